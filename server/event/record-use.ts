import type { Kysely } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { ExtScope } from '../../contract/scopes.ts';
import type { Caller } from '../access/caller.queries.ts';
import type { Database } from '../database/tables.ts';
import { callerAsActor } from './origin.ts';
import { recordEvents, userTarget } from './record.ts';
import { findUsed } from './record-use.queries.ts';

/** Milliseconds for which the same use of a user's data is not recorded again. */
const RECORDED_FOR = 60 * 60_000;
const REMEMBERED = 10_000;

/** When this process recorded which uses, in milliseconds; a use that was evicted is recorded once more. */
const recorded = new LRUCache<string, number>({ max: REMEMBERED });
/** Uses that are being recorded, for whose end others of the same wait. */
const underWay = new Map<string, Promise<unknown>>();

/**
 * Records that a caller uses another user's data (D91), before the data is sent: each process does once an hour for each
 * token, character, owner of the character and kind of data.
 *
 * @param scope which a grant of the character must have: without one there is no data and nothing to record
 */
export async function recordUse(
  db: Kysely<Database>,
  type: 'ext.asked_on_behalf' | 'history.read',
  caller: Caller,
  characterId: number,
  what: string,
  now: Date,
  scope?: ExtScope,
): Promise<void> {
  const actor = callerAsActor(caller);
  if (actor.character_id === characterId) return;
  const used = await findUsed(db, characterId, scope);
  if (used === undefined || !used.granted) return;
  const use = `${type} ${caller.uuid} ${characterId} ${used.owner} ${what}`;
  const begun = underWay.get(use);
  if (begun !== undefined) {
    await begun;
    return;
  }
  if ((recorded.get(use) ?? 0) > now.getTime() - RECORDED_FOR) return;
  const on_behalf_of = type === 'ext.asked_on_behalf' ? characterId : null;
  const targets = [userTarget(characterId)];
  const event = { type, targets, reason: what, actor: { ...actor, on_behalf_of } };
  const recording = recordEvents(db, [event], now)
    .then(() => recorded.set(use, now.getTime()))
    .finally(() => underWay.delete(use));
  underWay.set(use, recording);
  await recording;
}
