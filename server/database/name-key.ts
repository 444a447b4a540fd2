/**
 * What two names share when they count as the same (D7) and what lists are ordered by (D9): NFC and case
 * folding. JavaScript has no `casefold`; upper, then lower case reaches the full folding ("ß" = "SS").
 */
export function nameKey(name: string): string {
  return name.normalize('NFC').toUpperCase().toLowerCase().normalize('NFC');
}
