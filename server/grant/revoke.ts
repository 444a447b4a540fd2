import type { Kysely } from 'kysely';
import type { Database } from '../database/tables.ts';
import type { Queue } from '../queue/queue.ts';
import { type TakenGrant, takeGrants } from './grant.queries.ts';

/**
 * Deletes the users' refresh tokens and enqueues their revocation at the provider, in the caller's transaction.
 */
export async function revokeGrants(
  db: Kysely<Database>,
  queue: Queue,
  characterIds: readonly number[],
): Promise<void> {
  await revoke(db, queue, await takeGrants(db, characterIds));
}

/** Enqueues the revocation of grants that were deleted, in the caller's transaction. Dead ones need none, and their keys may be gone (D34). */
export async function revoke(
  db: Kysely<Database>,
  queue: Queue,
  taken: readonly TakenGrant[],
): Promise<void> {
  await queue.sendAll(
    db,
    'revoke-grant',
    taken
      .filter(({ valid }) => valid)
      .map(({ grant_id, refresh_token }) => ({ grant_id, refresh_token: refresh_token.toString('base64') })),
  );
}
