/** Maximum length of nicknames and names of server groups (provider.md §3). */
export const LONGEST_NAME = 30;

/** Truncates to whole characters, counted in UTF-16 units, which is at least as strict as any other way of counting. */
export function shorten(text: string, length = LONGEST_NAME): string {
  let short = '';
  for (const character of text) {
    if (short.length + character.length > length) break;
    short += character;
  }
  return short.trim();
}

/** How a user has to be called on the voice server (D41): its tickered name, as far as it fits. */
export function nicknameOf({ tickered_name }: { readonly tickered_name: string }): string {
  return shorten(tickered_name);
}
