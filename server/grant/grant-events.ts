import type { Kysely } from 'kysely';
import type { Database } from '../database/tables.ts';
import { GAME } from '../event/origin.ts';
import { type NewEvent, recordEvents, userTarget, valueChanges } from '../event/record.ts';
import type { Death } from '../provider/access-token-source.ts';
import { findScopesOf, type GivenScopes } from './grant.queries.ts';

type Dead = Pick<Death, 'grantId' | 'characterId' | 'cause'>;

/**
 * Records that these refresh tokens were marked invalid, with the scopes that their users have granted before and after;
 * the reason is the provider's error code.
 *
 * @param actor who declared them invalid: by default the game
 */
export async function recordDeaths(
  db: Kysely<Database>,
  deaths: readonly Dead[],
  now: Date,
  actor = GAME,
): Promise<void> {
  if (deaths.length === 0) return;
  const grants = await findScopesOf(db, [...new Set(deaths.map(({ characterId }) => characterId))]);
  const dead = new Set(deaths.map(({ grantId }) => grantId));
  const held = new Map<number, Map<string, readonly string[]>>();
  for (const { character_id, grant_id, scopes, valid } of grants) {
    if (!valid && !dead.has(grant_id)) continue;
    held.set(character_id, (held.get(character_id) ?? new Map()).set(grant_id, scopes));
  }
  const events = deaths.map(({ grantId, characterId, cause }): NewEvent => {
    const own = held.get(characterId);
    const before = all(own);
    own?.delete(grantId);
    return {
      type: 'grant.invalidated',
      targets: [userTarget(characterId), { type: 'grant', id: grantId, name: null }],
      changes: [{ field: 'scopes', before, after: all(own) }],
      reason: cause,
      actor,
    };
  });
  await recordEvents(db, events, now);
}

/** Records what a new or changed grant of a character gives, if anything. */
export async function recordGrant(
  db: Kysely<Database>,
  { characterId, characterName }: { readonly characterId: number; readonly characterName?: string },
  { before, after }: GivenScopes,
  now: Date,
): Promise<void> {
  const changes = valueChanges({ scopes: before }, { scopes: after }, ['scopes']);
  if (changes.length === 0) return;
  const type = before.length === 0 ? 'grant.given' : 'grant.scopes_changed';
  await recordEvents(db, [{ type, targets: [userTarget(characterId, characterName)], changes }], now);
}

/** The scopes of several grants, each once and sorted. */
function all(grants: ReadonlyMap<string, readonly string[]> | undefined): string[] {
  return [...new Set([...(grants?.values() ?? [])].flat())].sort();
}
