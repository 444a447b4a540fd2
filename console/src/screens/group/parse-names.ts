import type { UserShort } from '@castellan/sdk';

/** The names in a pasted text, by what is known of them before anything is sent. */
export interface Pasted {
  /** Names of users to add, spelled as registered. */
  readonly fresh: readonly string[];
  readonly already: readonly string[];
  readonly unknown: readonly string[];
}

/** Splits a text at line breaks, commas, semicolons and tabs, as in mails, spreadsheets and the game's own lists. */
export function parseNames(text: string, users: readonly UserShort[], members: readonly UserShort[]): Pasted {
  const known = new Map(users.map(({ character_name: name }) => [name.toLowerCase(), name]));
  const inside = new Set(members.map(({ character_name }) => character_name));
  const given = new Map(
    text
      .split(/[\n,;\t]/)
      .map((name) => name.trim().replace(/\s+/g, ' '))
      .filter((name) => name !== '')
      .map((name) => [name.toLowerCase(), name]),
  );
  const fresh: string[] = [];
  const already: string[] = [];
  const unknown: string[] = [];
  for (const [key, name] of given) {
    const exact = known.get(key);
    if (exact === undefined) unknown.push(name);
    else (inside.has(exact) ? already : fresh).push(exact);
  }
  return { fresh, already, unknown };
}
