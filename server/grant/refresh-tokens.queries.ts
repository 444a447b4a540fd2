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
}

/** The refresh state of a grant; undefined when the grant was deleted. */
export async function readRefreshState(
  db: Kysely<Database>,
  grantId: string,
): Promise<RefreshState | undefined> {
  const { rows } = await sql<RefreshState>`
    select valid, refresh_token, access_token, access_expires_on,
      coalesce(refresh_started_on > now() - interval '30 seconds', false) as in_flight,
      coalesce(refresh_started_on <= now() - interval '30 seconds', false) as cut_off
    from grants where grant_id = ${grantId}`.execute(db);
  return rows[0];
}

/**
 * Claims the refresh of this token. Committed before the provider is asked, so that an interrupted refresh can be
 * detected (D34). Times are by the database's clock, which all processes share.
 */
export async function claimRefresh(
  db: Kysely<Database>,
  grantId: string,
  refreshToken: Buffer,
): Promise<boolean> {
  const { rows } = await sql`
    update grants set refresh_started_on = now()
    where grant_id = ${grantId} and valid and refresh_token = ${refreshToken}
      and (refresh_started_on is null or refresh_started_on <= now() - interval '30 seconds')
    returning 1`.execute(db);
  return rows.length > 0;
}

export interface NewTokens {
  readonly refreshToken: Buffer;
  /** Null when it could not be verified. */
  readonly accessToken: Buffer | null;
  readonly accessExpiresOn: Date | null;
  /** The character's owner according to the access token. */
  readonly owner: string | null;
  readonly nextCheckOn: Date;
}

/**
 * Stores refreshed tokens, unless the refresh token was replaced meanwhile by a sign-in or by the refresh of another
 * process.
 */
export async function storeTokens(
  db: Kysely<Database>,
  grantId: string,
  used: Buffer,
  tokens: NewTokens,
): Promise<void> {
  await sql`
    update grants set refresh_token = ${tokens.refreshToken}, access_token = ${tokens.accessToken},
      access_expires_on = ${tokens.accessExpiresOn}, heard_owner = coalesce(${tokens.owner}, heard_owner), refresh_started_on = null, valid = true, cause = null,
      next_check_on = ${tokens.nextCheckOn}
    where grant_id = ${grantId} and refresh_token = ${used}`.execute(db);
}

export async function markInvalid(
  db: Kysely<Database>,
  grantId: string,
  used: Buffer,
  cause: string,
  now: Date,
): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    update grants set valid = false, cause = ${cause}, access_token = null, access_expires_on = null,
      refresh_started_on = null, updated_on = ${now}
    where grant_id = ${grantId} and refresh_token = ${used}`.execute(db);
  return numAffectedRows > 0n;
}

/**
 * Leaves the decision about a refused refresh token to the job `check-grants`, which will check this grant first and is
 * subject to the mass-change guard (D63).
 */
export async function leaveToCheck(db: Kysely<Database>, grantId: string, used: Buffer): Promise<void> {
  await sql`
    update grants set refresh_started_on = null, next_check_on = 'epoch'
    where grant_id = ${grantId} and refresh_token = ${used}`.execute(db);
}

/** Ends a refresh about which the provider gave no answer: the refresh token stays valid. */
export async function endRefresh(db: Kysely<Database>, grantId: string, used: Buffer): Promise<void> {
  await sql`
    update grants set refresh_started_on = null
    where grant_id = ${grantId} and refresh_token = ${used}`.execute(db);
}
