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

/**
 * The forms in which a part of a name may stand in the name's own key. A sigma is lower-cased by what is next to it,
 * which is unknown at the edges of a part: "ΔΥΣ" is "δυς" by itself and "δυσ" in "οδυσσευς".
 */
export function keysOfPart(part: string): string[] {
  const either = (key: string, edge: RegExp) =>
    edge.test(key) ? ['σ', 'ς'].map((sigma) => key.replace(edge, sigma)) : [key];
  const keys = either(nameKey(part), /^[σς]/).flatMap((key) => either(key, /[σς]$/));
  return [...new Set(keys)];
}
