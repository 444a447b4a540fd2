import type { UserShort } from '@castellan/sdk';

/** What a pasted text is about, judged before anything is sent. */
export interface Pasted {
  /** Will be added, by their names as they are known. */
  readonly fresh: readonly string[];
  readonly already: readonly string[];
  readonly unknown: readonly string[];
}

/** Names stand one a line, or between commas, semicolons and tabs, as mails, sheets and the game's own lists have them. */
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
