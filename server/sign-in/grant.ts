import type { Kysely } from 'kysely';
import type { Queue } from '../../jobs/queue.ts';
import type { Database } from '../database/tables.ts';
import { takeGrants } from './grant.queries.ts';

/** Drops a user's refresh tokens and has them revoked at the provider, in the caller's transaction. */
export async function revokeGrants(db: Kysely<Database>, queue: Queue, characterId: number): Promise<void> {
  for (const { grant_id, refresh_token } of await takeGrants(db, characterId)) {
    await queue.send(db, 'revoke-grant', { grant_id, refresh_token: refresh_token.toString('base64') });
  }
}
