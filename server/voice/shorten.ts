/** Nicknames and names of server groups have at most so many characters (facts §3). */
export const LONGEST_NAME = 30;

/** As many whole characters as fit, counted in UTF-16 units: whoever counts otherwise finds no more. */
export function shorten(text: string, length = LONGEST_NAME): string {
  let short = '';
  for (const character of text) {
    if (short.length + character.length > length) break;
    short += character;
  }
  return short.trim();
}
