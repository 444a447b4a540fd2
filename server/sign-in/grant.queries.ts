import { randomUUID } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import type { ExtScope } from '../../contract/scopes.ts';
import type { Database } from '../database/tables.ts';
import type { Vault } from '../vault.ts';

/** Where a sealed token is stored: row and column, so that it opens nowhere else (D34). */
export function grantPlace(grantId: string, column: 'refresh_token' | 'access_token'): string {
  return `grants/${grantId}/${column}`;
}

export interface NewGrant {
  readonly characterId: number;
  /** Sorted. */
  readonly scopes: readonly ExtScope[];
  readonly refreshToken: string;
  readonly accessToken: string;
  readonly accessExpiresOn: Date;
}

/** Stores what the provider granted: one refresh token per user and set of scopes, the newest (D34b). */
export async function saveGrant(
  db: Kysely<Database>,
  vault: Vault,
  grant: NewGrant,
  now: Date,
): Promise<void> {
  const existing = await db
    .selectFrom('grants')
    .select('grant_id')
    .where('character_id', '=', grant.characterId)
    .where('scopes', '=', sql<ExtScope[]>`${[...grant.scopes]}::text[]`)
    .forUpdate()
    .executeTakeFirst();
  const grantId = existing?.grant_id ?? randomUUID();
  const values = {
    refresh_token: vault.seal(grant.refreshToken, grantPlace(grantId, 'refresh_token')),
    access_token: vault.seal(grant.accessToken, grantPlace(grantId, 'access_token')),
    access_expires_on: grant.accessExpiresOn,
    valid: true,
    cause: null,
    refresh_started_on: null,
    updated_on: now,
  };
  if (existing !== undefined) {
    await db.updateTable('grants').set(values).where('grant_id', '=', grantId).execute();
  } else {
    await db
      .insertInto('grants')
      .values({
        ...values,
        grant_id: grantId,
        character_id: grant.characterId,
        scopes: [...grant.scopes],
        created_on: now,
      })
      .execute();
  }
}

/** Removes a user's grants and returns them, so that the provider can be told (D19b, D29b). */
export async function takeGrants(db: Kysely<Database>, characterId: number) {
  return db
    .deleteFrom('grants')
    .where('character_id', '=', characterId)
    .returning(['grant_id', 'refresh_token'])
    .execute();
}
