import { type Kysely, sql, type Transaction } from 'kysely';
import type { UserShort } from '../../contract/user.ts';
import { MEMBER_LEVEL } from '../access/clearance-levels.ts';
import { byKey } from '../database/by-key.ts';
import type { JsonBytes } from '../database/json-text.ts';
import type { Database } from '../database/tables.ts';
import { deleteHistories } from '../history/history.queries.ts';
import { type Parting, partCharacters } from '../person/membership.ts';
import { deleteWebhooksOf } from '../webhook/delete-webhooks.queries.ts';
import { deleteBelowTokens } from './user-tokens.queries.ts';

/** Members and the built-in user, without guests, in the order of D9; concurrent callers share one statement and its bytes. */
export async function listUsers(db: Kysely<Database>): Promise<JsonBytes<UserShort[]>> {
  return (await everybody(db, 'everybody')) ?? Buffer.from('[]');
}

const everybody = byKey<'everybody', JsonBytes<UserShort[]>>(async (db) => {
  const { rows } = await sql<{ users: string }>`
    select coalesce(json_agg(u), '[]')::text as users from (
      select character_id, character_name from users where clearance_level >= ${MEMBER_LEVEL}
      order by name_key, character_id
    ) u`.execute(db);
  return new Map(rows.map(({ users }) => ['everybody', Buffer.from(users)]));
});

/** Locks a user before its deletion and returns its level. */
export async function lockForDeletion(
  db: Transaction<Database>,
  characterId: number,
): Promise<number | undefined> {
  const row = await db
    .selectFrom('users')
    .select('clearance_level')
    .where('character_id', '=', characterId)
    .forUpdate()
    .executeTakeFirst();
  return row?.clearance_level;
}

export async function setLevel(
  db: Kysely<Database>,
  characterId: number,
  level: number,
  now: Date,
): Promise<void> {
  await db
    .updateTable('users')
    .set({ clearance_level: level, updated_on: now })
    .where('character_id', '=', characterId)
    .execute();
}

/** A voice identity, by its id on the voice server, and whose it is. */
export type VoiceIdentity = Awaited<ReturnType<typeof findVoiceIdentities>>[number];

/** The voice identities of these users. */
export async function findVoiceIdentities(db: Kysely<Database>, characterIds: readonly number[]) {
  return db
    .selectFrom('voice_identities')
    .select(({ ref }) => ['client_database_id', ref('character_id').$notNull().as('character_id')])
    .where('character_id', 'in', characterIds)
    .orderBy('client_database_id')
    .execute();
}

/**
 * Deletes users. By foreign keys their tokens, grants and memberships go too, their groups lose the owner and persons
 * lose the characters (D19b, D101).
 *
 * @param by the user who deletes them; null for the service itself
 * @returns what is to be told of the persons
 */
export async function deleteUsers(
  db: Transaction<Database>,
  characterIds: readonly number[],
  { by, now }: { readonly by: number | null; readonly now: Date },
): Promise<readonly Parting[]> {
  await deleteHistories(db, characterIds);
  const partings = await partCharacters(db, characterIds, { happened: 'deleted', by, now });
  await deleteBelowTokens(db, { ownerIds: characterIds });
  await deleteWebhooksOf(db, { ownerIds: characterIds });
  await db.deleteFrom('users').where('character_id', 'in', characterIds).execute();
  return partings;
}
