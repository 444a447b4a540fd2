/**
 * What two names share when they count as the same (D7) and what lists are ordered by (D9): NFC and case
 * folding. JavaScript has no `casefold`; lower, upper and lower case again reach it ("ẞ", "ß" and "SS" are one), but
 * for "ı", which that would make an "i" and folding leaves alone.
 */
export function nameKey(name: string): string {
  const parts = name.normalize('NFC').split('ı');
  return parts.map(fold).join('ı').normalize('NFC');
}

function fold(text: string): string {
  return text.toLowerCase().toUpperCase().toLowerCase();
}
