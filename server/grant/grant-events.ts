import type { Kysely } from 'kysely';
import type { Actor } from '../../contract/event.ts';
import type { Database } from '../database/tables.ts';
import { recordEvents, userTarget } from '../event/record.ts';
import type { Death } from '../provider/access-token-source.ts';

const GAME: Actor = {
  kind: 'provider',
  character_id: null,
  token: null,
  app_token: null,
  on_behalf_of: null,
};

/** Records that the provider declared these refresh tokens invalid; the reason is the provider's error code. */
export async function recordDeaths(
  db: Kysely<Database>,
  deaths: readonly Pick<Death, 'grantId' | 'characterId' | 'cause'>[],
  now: Date,
): Promise<void> {
  const events = deaths.map(({ grantId, characterId, cause }) => ({
    type: 'grant.invalidated' as const,
    targets: [{ type: 'grant' as const, id: grantId, name: null }, userTarget(characterId)],
    reason: cause,
    actor: GAME,
  }));
  await recordEvents(db, events, now);
}
