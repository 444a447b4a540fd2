import type { Kysely } from 'kysely';
import type { Database } from '../database/tables.ts';
import { leastIdOf } from './event-id.ts';
import { KEPT_AT_LEAST } from './partitions.ts';
import { findPlaceBefore, findWithoutSeal, type Place, verifyStretch } from './verify.queries.ts';

/** Seals, or events, that one statement verifies. */
const AT_ONCE = 5_000;

export interface Verdict {
  /** Number of seals verified. */
  readonly looked: number;
  /** The last position of all. */
  readonly head: number;
  /** The first fault, in a few words; undefined when there is none. */
  readonly fault: string | undefined;
}

/**
 * Verifies the chain of events and names the first position that is missing, was changed or has lost its event (D90).
 * It reads a few thousand at a time, so that memory does not grow with the table.
 *
 * @param most verifies only this many of the last positions
 */
export async function verifyEvents(
  db: Kysely<Database>,
  now: Date,
  most = Number.MAX_SAFE_INTEGER,
): Promise<Verdict> {
  const { from, event_id, head } = await findPlaceBefore(db, most);
  const { looked, fault } = await verifyChain(db, from, now);
  if (fault !== undefined) return { looked, head, fault };
  const lost = await firstWithoutSeal(db, event_id, now);
  return { looked, head, fault: lost && `event ${lost} has no position any more` };
}

/**
 * The id of the first event that has lost its seal, among those after this one; among all that must still exist where
 * it is null.
 *
 * Ids are in the order of time, seals in that of commits: where a change committed late, or a clock was wrong, events
 * that were sealed later may have lower ids. One whose seal leaves no gap, as it was the last one or as the chain was
 * written anew, is then found by a look at all events only.
 */
async function firstWithoutSeal(
  db: Kysely<Database>,
  event_id: string | null,
  now: Date,
): Promise<string | undefined> {
  const least = leastKept(now);
  let after: string | null = event_id === null || event_id < least ? least : event_id;
  while (after !== null) {
    const { end, lost } = await findWithoutSeal(db, after, AT_ONCE);
    if (lost !== null) return lost;
    after = end;
  }
  return undefined;
}

/** Verifies the chain after a place whose hash is trusted; `end` is the last place before a fault. */
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

/** The smallest id of an event that must still exist. */
function leastKept(now: Date): string {
  return leastIdOf(new Date(now.getTime() - KEPT_AT_LEAST));
}
