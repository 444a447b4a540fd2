import { distance } from 'fastest-levenshtein';

/** Characters of the longest name for which a suggestion is looked for. */
const LONGEST = 100;
/** Share of a name's characters that may differ for it to count as a typing error. */
const SLIP = 0.4;

/** The known name that is most similar to a mistyped one (D5); undefined where none is similar enough. */
export function nearest(given: string, known: Iterable<string>): string | undefined {
  if (given.length > LONGEST) return undefined;
  let found: string | undefined;
  let least = Math.floor(given.length * SLIP) + 1;
  for (const name of known) {
    const apart = distance(given, name);
    if (apart >= least) continue;
    least = apart;
    found = name;
  }
  return found;
}
