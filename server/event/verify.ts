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
  const { looked, fault } = await verifyChain(db, from, now);
  if (fault !== undefined) return { looked, head, fault };
  const unchained = await findUnchained(db, leastKept(now));
  return { looked, head, fault: unchained && `event ${unchained} has no position any more` };
}

/** The same from a place on, whose hash is taken for granted; `end` is the last place that is whole. */
export async function verifyChain(
  db: Kysely<Database>,
  from: Place,
  now: Date,
): Promise<Pick<Verdict, 'looked' | 'fault'> & { readonly end: Place }> {
  const since = leastKept(now);
  let at = from;
  for (;;) {
    const { end, broken } = await verifyStretch(db, at, { since, most: AT_ONCE });
    const looked = at.position - from.position;
    if (broken !== null) return { looked, end: at, fault: `position ${broken.position}: ${broken.fault}` };
    if (end === null) return { looked, end: at, fault: undefined };
    at = end;
  }
}

/** The least id of an event that has to be there still. */
function leastKept(now: Date): string {
  return leastIdOf(new Date(now.getTime() - KEPT_BY_ALL));
}
