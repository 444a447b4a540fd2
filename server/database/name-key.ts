/**
 * The key by which names are compared for uniqueness (D7) and ordered in lists (D9): NFC and case folding. JavaScript
 * has no `casefold`; lower, upper and lower case in sequence give the same result ("ẞ", "ß" and "SS" become one),
 * except for "ı", which would become "i" and is left unchanged.
 */
export function nameKey(name: string): string {
  const parts = name.normalize('NFC').split('ı');
  return parts.map(fold).join('ı').normalize('NFC');
}

function fold(text: string): string {
  return text.toLowerCase().toUpperCase().toLowerCase();
}
