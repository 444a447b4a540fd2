/**
 * What two names share when they count as the same (D7) and what lists are ordered by (D9): NFC and case
 * folding. JavaScript has no `casefold`; lower, upper and lower case again reach it: "ẞ", "ß" and "SS" are one.
 */
export function nameKey(name: string): string {
  return name.normalize('NFC').toLowerCase().toUpperCase().toLowerCase().normalize('NFC');
}
