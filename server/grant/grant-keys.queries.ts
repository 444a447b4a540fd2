import { type Kysely, sql } from 'kysely';
import type { Database } from '../database/tables.ts';

/** The id of the key that a secret was encrypted with, read from the vault's format. */
const keyId = sql<string>`
  case when length(refresh_token) > 2
    then encode(substring(refresh_token from 3 for get_byte(refresh_token, 1)), 'escape') else '' end`;

/** The number of valid grants that were encrypted with one key, and one of them to test the key with. */
export interface GrantsOfKey {
  readonly key_id: string;
  readonly grants: number;
  readonly grant_id: string;
  readonly refresh_token: Buffer;
}

export async function grantsByKey(db: Kysely<Database>): Promise<GrantsOfKey[]> {
  const { rows } = await sql<GrantsOfKey>`
    select distinct on (key_id) key_id, grant_id, refresh_token,
      count(*) over (partition by key_id)::int as grants
    from grants, lateral (select ${keyId} as key_id) encrypted
    where valid
    order by key_id, grant_id`.execute(db);
  return rows;
}

/** The characters with valid grants that were encrypted with these keys. */
export async function findCharactersOf(db: Kysely<Database>, keyIds: readonly string[]): Promise<number[]> {
  const rows = await db
    .selectFrom('grants')
    .select('character_id')
    .distinct()
    .where(sql<boolean>`valid`)
    .where(keyId, '=', sql<string>`any(${[...keyIds]}::text[])`)
    .execute();
  return rows.map((row) => row.character_id);
}

/**
 * Marks grants as invalid whose key is lost: tracking shows them, and their users have to sign in again.
 */
export async function giveUpGrants(
  db: Kysely<Database>,
  keyIds: readonly string[],
  now: Date,
): Promise<{ readonly grantId: string; readonly characterId: number; readonly cause: string }[]> {
  return db
    .updateTable('grants')
    .set({
      valid: false,
      cause: 'its encryption key was removed',
      access_token: null,
      access_expires_on: null,
      refresh_started_on: null,
      updated_on: now,
    })
    .where(sql<boolean>`valid`)
    .where(keyId, '=', sql<string>`any(${[...keyIds]}::text[])`)
    .returning(({ ref }) => [
      'grant_id as grantId',
      'character_id as characterId',
      ref('cause').$notNull().as('cause'),
    ])
    .execute();
}
