import type { Kysely } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { Caller } from '../access/caller.queries.ts';
import type { Database } from '../database/tables.ts';
import { callerAsActor } from './origin.ts';
import { recordEvents, userTarget } from './record.ts';

/** Milliseconds for which the same use of somebody's data is not told again. */
const TOLD_FOR = 60 * 60_000;
const REMEMBERED = 10_000;

/** Uses that this process has told of, and when: what it forgets is told once more. */
const told = new LRUCache<string, number>({ max: REMEMBERED });

/**
 * Tells that somebody uses another one's data (D91): before he gets it, and once an hour for each token, character and
 * kind of data, so that reading costs no statement more than that.
 */
export async function recordUse(
  db: Kysely<Database>,
  type: 'ext.asked_on_behalf' | 'history.read',
  caller: Caller,
  characterId: number,
  what: string,
  now: Date,
): Promise<void> {
  const actor = callerAsActor(caller);
  if (actor.character_id === characterId) return;
  const use = `${type} ${caller.uuid} ${characterId} ${what}`;
  if ((told.get(use) ?? Number.NEGATIVE_INFINITY) > now.getTime() - TOLD_FOR) return;
  const on_behalf_of = type === 'ext.asked_on_behalf' ? characterId : null;
  const targets = [userTarget(characterId)];
  await recordEvents(db, [{ type, targets, reason: what, actor: { ...actor, on_behalf_of } }], now);
  told.set(use, now.getTime());
}
