import { distance } from 'fastest-levenshtein';

/** Longest text that is taken for a slip of the pen. */
const LONGEST = 100;
/** Share of its letters that may be wrong. */
const SLIP = 0.4;

/** The known name that somebody most likely meant (D5); undefined where none is like it. */
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
