import { type Kysely, sql } from 'kysely';
import type { Database } from '../database/tables.ts';

/** The columns of a grant that a refresh of its tokens needs. */
export interface RefreshState {
  readonly valid: boolean;
  readonly refresh_token: Buffer;
  readonly access_token: Buffer | null;
  readonly access_expires_on: Date | null;
  /** Whether another process is refreshing the tokens at the moment. */
  readonly in_flight: boolean;
  readonly cut_off: boolean;
  /** Whether its last refresh named another owner of the character than the one who signed in (D29b). */
  readonly of_another: boolean;
  readonly next_check_on: Date;
}

/** The refresh state of a grant; undefined when the grant was deleted. */
export async function readRefreshState(
  db: Kysely<Database>,
  grantId: string,
): Promise<RefreshState | undefined> {
  const { rows } = await sql<RefreshState>`
    select valid, refresh_token, access_token, access_expires_on, next_check_on,
      coalesce(refresh_started_on > now() - interval '30 seconds', false) as in_flight,
      coalesce(refresh_started_on <= now() - interval '30 seconds', false) as cut_off,
      coalesce(heard_owner <> u.owner_hash, false) as of_another
    from grants join users u using (character_id) where grant_id = ${grantId}`.execute(db);
  return rows[0];
}

/**
 * Claims the refresh of this token. Committed before the provider is asked, so that an interrupted refresh can be
 * detected (D34), and due to be checked from `now` on, so that the next check makes up for it. Its other times are by
 * the database's clock, which all processes share.
 */
export async function claimRefresh(
  db: Kysely<Database>,
  grantId: string,
  refreshToken: Buffer,
  now: Date,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('grants')
    .set({ refresh_started_on: sql`now()`, next_check_on: sql`least(next_check_on, ${now}::timestamptz)` })
    .where('grant_id', '=', grantId)
    .where('valid', '=', true)
    .where('refresh_token', '=', refreshToken)
    .where(sql<boolean>`(refresh_started_on is null or refresh_started_on <= now() - interval '30 seconds')`)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Lets refreshes that began while the database's clock was ahead count as begun now. */
export async function endRefreshesOfLater(db: Kysely<Database>): Promise<void> {
  await db
    .updateTable('grants')
    .set({ refresh_started_on: sql`now()` })
    .where('refresh_started_on', '>', sql<Date>`now() + interval '1 minute'`)
    .execute();
}

/**
 * Stores a refresh token in place of the one that was used, unless that was replaced meanwhile by a sign-in or by the
 * refresh of another process. The refresh stays claimed, and the former access token is forgotten.
 *
 * @param validity `valid` to store it only where the grant is still valid, `invalid` only where it is not: it is then
 * @returns whether it was stored
 */
export async function storeRefreshToken(
  db: Kysely<Database>,
  grantId: string,
  used: Buffer,
  renewed: Buffer,
  validity: 'valid' | 'invalid',
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('grants')
    .set({ refresh_token: renewed, access_token: null, access_expires_on: null, valid: true, cause: null })
    .where('grant_id', '=', grantId)
    .where('refresh_token', '=', used)
    .where('valid', '=', validity === 'valid')
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export interface VerifiedAccessToken {
  readonly accessToken: Buffer;
  readonly accessExpiresOn: Date;
  /** The character's owner according to the access token. */
  readonly owner: string | null;
  readonly nextCheckOn: Date;
}

/**
 * Stores the access token that came with a refresh token, which must still be the grant's, and ends the refresh.
 *
 * @returns whether the access token may be used: not where it names another owner than the one who signed in (D29b), nor
 * where the grant is gone. An owner who is not known differs from nobody
 */
export async function storeAccessToken(
  db: Kysely<Database>,
  grantId: string,
  refreshToken: Buffer,
  { accessToken, accessExpiresOn, owner, nextCheckOn }: VerifiedAccessToken,
): Promise<boolean> {
  const { rows } = await sql<{ usable: boolean }>`
    with stored as (
      update grants set access_token = ${accessToken}, access_expires_on = ${accessExpiresOn},
        heard_owner = coalesce(${owner}, heard_owner), refresh_started_on = null,
        next_check_on = ${nextCheckOn}
      where grant_id = ${grantId} and refresh_token = ${refreshToken}
    )
    select (coalesce(${owner}, heard_owner) = u.owner_hash) is not false as usable
    from grants join users u using (character_id) where grant_id = ${grantId}`.execute(db);
  return rows[0]?.usable ?? false;
}

/** Marks a valid grant invalid, unless its refresh token was replaced meanwhile; returns whether it did. */
export async function markInvalid(
  db: Kysely<Database>,
  grantId: string,
  used: Buffer,
  cause: string,
  now: Date,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('grants')
    .set({
      valid: false,
      cause,
      access_token: null,
      access_expires_on: null,
      refresh_started_on: null,
      updated_on: now,
    })
    .where('grant_id', '=', grantId)
    .where('refresh_token', '=', used)
    .where('valid', '=', true)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/**
 * Leaves the decision about a refused refresh token to the job `check-grants`, which will check this grant first and is
 * subject to the mass-change guard (D63).
 */
export async function leaveToCheck(db: Kysely<Database>, grantId: string, used: Buffer): Promise<void> {
  await db
    .updateTable('grants')
    .set({ refresh_started_on: null, next_check_on: sql`'epoch'` })
    .where('grant_id', '=', grantId)
    .where('refresh_token', '=', used)
    .execute();
}

/**
 * Ends a refresh about which the provider gave no answer: the refresh token stays valid, and its check due when it was.
 * Otherwise a token in use whose refresh always fails would be part of every check.
 */
export async function endRefresh(
  db: Kysely<Database>,
  grantId: string,
  used: Buffer,
  nextCheckOn: Date,
): Promise<void> {
  await db
    .updateTable('grants')
    .set({
      refresh_started_on: null,
      next_check_on: sql`greatest(next_check_on, ${nextCheckOn}::timestamptz)`,
    })
    .where('grant_id', '=', grantId)
    .where('refresh_token', '=', used)
    .execute();
}
