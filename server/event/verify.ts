import type { Kysely } from 'kysely';
import type { Database } from '../database/tables.ts';
import { leastIdOf } from './event-id.ts';
import { findPlaceBefore, findUnchained, type Place, verifyStretch } from './verify.queries.ts';

/** Events of every kind are kept for so many milliseconds at least (D90). */
const KEPT_BY_ALL = 400 * 86_400_000;
/** Seals that are looked at in one statement. */
const AT_ONCE = 5_000;

export interface Verdict {
  /** Seals that were looked at. */
  readonly looked: number;
  /** The last position that there is. */
  readonly head: number;
  /** What is wrong first, in a few words; undefined: nothing. */
  readonly fault: string | undefined;
}

/**
 * Walks along the chain of the events and names the first position that is missing, was changed or has lost its event
 * (D90), a few thousand at a time, so that memory does not grow with the table.
 *
 * @param most only so many, the last ones
 */
export async function verifyEvents(
  db: Kysely<Database>,
  now: Date,
  most = Number.MAX_SAFE_INTEGER,
): Promise<Verdict> {
  const { from, head } = await findPlaceBefore(db, most);
  const since = leastIdOf(new Date(now.getTime() - KEPT_BY_ALL));
  let looked = 0;
  for (let place: Place | null = from; place !== null; ) {
    const { end, broken } = await verifyStretch(db, place, { since, most: AT_ONCE });
    if (broken !== null) return { looked, head, fault: `position ${broken.position}: ${broken.fault}` };
    looked += end === null ? 0 : end.position - place.position;
    place = end;
  }
  const unchained = await findUnchained(db, since);
  return { looked, head, fault: unchained && `event ${unchained} has no position any more` };
}
