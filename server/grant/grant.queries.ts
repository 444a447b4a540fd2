import { randomUUID } from 'node:crypto';
import { type Kysely, type Selectable, sql } from 'kysely';
import type { ExtScope } from '../../contract/scopes.ts';
import type { Database } from '../database/tables.ts';
import { openTurns } from '../history/turn.queries.ts';
import type { Vault } from '../keys/vault.ts';

/**
 * What a stored token's encryption is bound to: row and column. Copied to others it cannot be decrypted
 * (D34).
 */
export function grantBinding(grantId: string, column: 'refresh_token' | 'access_token'): string {
  return `grants/${grantId}/${column}`;
}

/** Maximum milliseconds between two checks of a refresh token. */
const CHECK_AFTER = 50 * 60_000;
/** Random share by which a check may come earlier, so that tokens of the same moment spread out over time. */
const EARLIER = 0.1;

/** The time of the next check of a refresh token that is valid now, unless it is used before. */
export function nextCheck(now: Date): Date {
  return new Date(now.getTime() + CHECK_AFTER * (1 - EARLIER * Math.random()));
}

/** Of one character; each is checked every hour, and another one comes with each set of scopes that was signed in with. */
const MOST_GRANTS = 20;

export interface NewGrant {
  readonly characterId: number;
  /** Sorted by name. */
  readonly scopes: readonly ExtScope[];
  readonly refreshToken: string;
  readonly accessToken: string;
  readonly accessExpiresOn: Date;
}

/**
 * Stores a grant: one refresh token per user and set of scopes, the newest (D34b). From then on the histories that its
 * scopes allow are collected. Returns the grants that were deleted for it, besides, to be revoked.
 */
export async function saveGrant(
  db: Kysely<Database>,
  vault: Vault,
  grant: NewGrant,
  now: Date,
): Promise<{ readonly given: GivenScopes; readonly taken: readonly TakenGrant[] }> {
  await lockGrants(db, [grant.characterId]);
  const before = await findValidScopes(db, grant.characterId);
  await openTurns(db, grant.characterId, now);
  const existing = await db
    .selectFrom('grants')
    .select('grant_id')
    .where('character_id', '=', grant.characterId)
    .where('scopes', '=', sql<ExtScope[]>`${[...grant.scopes]}::text[]`)
    .executeTakeFirst();
  const grantId = existing?.grant_id ?? randomUUID();
  const values = {
    refresh_token: vault.encrypt(grant.refreshToken, grantBinding(grantId, 'refresh_token')),
    access_token: vault.encrypt(grant.accessToken, grantBinding(grantId, 'access_token')),
    access_expires_on: grant.accessExpiresOn,
    valid: true,
    cause: null,
    heard_owner: null,
    refresh_started_on: null,
    next_check_on: nextCheck(now),
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
  const taken = existing === undefined ? await takeSurplus(db, grant.characterId, grantId) : [];
  return { given: { before, after: await findValidScopes(db, grant.characterId) }, taken };
}

/** Deletes what is too many besides the new one: dead grants first, then those with the fewest scopes, the eldest first. */
async function takeSurplus(
  db: Kysely<Database>,
  characterId: number,
  newest: string,
): Promise<readonly TakenGrant[]> {
  const surplus = db
    .selectFrom('grants')
    .select('grant_id')
    .where('character_id', '=', characterId)
    .where('grant_id', '<>', newest)
    .orderBy('valid', 'desc')
    .orderBy(sql`cardinality(scopes)`, 'desc')
    .orderBy('updated_on', 'desc')
    .offset(MOST_GRANTS - 1);
  return db
    .deleteFrom('grants')
    .where('grant_id', 'in', surplus)
    .returning(['grant_id', 'refresh_token', 'valid'])
    .execute();
}

/**
 * Forgets other owners that refreshes named: the character's owner has just signed in (D100), and a dead grant hears of no
 * owner any more. The others are used again from then on, for the histories, too.
 */
export async function forgetOtherOwners(
  db: Kysely<Database>,
  { characterId, ownerHash }: { readonly characterId: number; readonly ownerHash: string },
  now: Date,
): Promise<void> {
  await lockGrants(db, [characterId]);
  const heard = await db
    .selectFrom('grants')
    .select('grant_id')
    .where('character_id', '=', characterId)
    .where('heard_owner', '<>', ownerHash)
    .limit(1)
    .executeTakeFirst();
  if (heard === undefined) return;
  await openTurns(db, characterId, now);
  await db
    .updateTable('grants')
    .set({ heard_owner: null })
    .where('character_id', '=', characterId)
    .where('heard_owner', '<>', ownerHash)
    .execute();
}

/**
 * Locks all grants of these characters, in the order of their ids. Call it before one of them changes: the others
 * decide what is told of the scopes before and after (D91).
 */
export async function lockGrants(db: Kysely<Database>, characterIds: readonly number[]): Promise<void> {
  if (characterIds.length === 0) return;
  await db
    .selectFrom('grants')
    .where('character_id', '=', sql<number>`any(${[...characterIds]}::bigint[])`)
    .orderBy('grant_id')
    .forNoKeyUpdate()
    .execute();
}

/** All scopes that a character has granted, sorted. */
export interface GivenScopes {
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** The scopes of a character's valid grants, sorted. */
export async function findValidScopes(db: Kysely<Database>, characterId: number): Promise<readonly string[]> {
  const { rows } = await sql<{ scopes: string[] }>`
    select array(select distinct s collate "C" from grants g, unnest(g.scopes) s
      where g.character_id = ${characterId} and g.valid order by 1) as scopes`.execute(db);
  return rows[0]?.scopes ?? [];
}

/** The grants of these characters with their scopes, the invalid ones included. */
export async function findScopesOf(db: Kysely<Database>, characterIds: readonly number[]) {
  return db
    .selectFrom('grants')
    .select(['grant_id', 'character_id', 'scopes', 'valid'])
    .where('character_id', '=', sql<number>`any(${[...characterIds]}::bigint[])`)
    .execute();
}

/** A grant that was deleted. */
export type TakenGrant = Pick<Selectable<Database['grants']>, 'grant_id' | 'refresh_token' | 'valid'>;

/** Deletes the users' grants and returns them, so that they can be revoked at the provider (D19b, D29b). */
export async function takeGrants(
  db: Kysely<Database>,
  characterIds: readonly number[],
): Promise<readonly TakenGrant[]> {
  return db
    .deleteFrom('grants')
    .where('character_id', 'in', characterIds)
    .returning(['grant_id', 'refresh_token', 'valid'])
    .execute();
}
