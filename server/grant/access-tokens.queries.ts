import { type Kysely, sql } from 'kysely';
import type { Database } from '../database/tables.ts';

/** What a grant's row says while its tokens are being renewed. */
export interface RefreshState {
  readonly valid: boolean;
  readonly refresh_token: Buffer;
  readonly access_token: Buffer | null;
  readonly access_expires_on: Date | null;
  /** Another process is asking the provider at this moment. */
  readonly in_flight: boolean;
  readonly cut_off: boolean;
}

/** Undefined: the grant is gone. */
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
 * Claims the right to refresh this very token: committed before the provider is asked, so that a refresh that was
 * cut off can be seen (D34). By the database's clock, which all processes share.
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
  /** Null: it could not be verified. */
  readonly accessToken: Buffer | null;
  readonly accessExpiresOn: Date | null;
  /** Whom the character belongs to, by the access token. */
  readonly owner: string | null;
  readonly nextCheckOn: Date;
}

/** Unless the refresh token was replaced meanwhile: by a sign-in, or by a refresh that followed a stalled one. */
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

/** The refresh token is dead, and whoever found it so has no say in that: it is checked before all others (D63). */
export async function leaveToCheck(db: Kysely<Database>, grantId: string, used: Buffer): Promise<void> {
  await sql`
    update grants set refresh_started_on = null, next_check_on = 'epoch'
    where grant_id = ${grantId} and refresh_token = ${used}`.execute(db);
}

/** The provider gave no word on the refresh token: it stays what it was. */
export async function endRefresh(db: Kysely<Database>, grantId: string, used: Buffer): Promise<void> {
  await sql`
    update grants set refresh_started_on = null
    where grant_id = ${grantId} and refresh_token = ${used}`.execute(db);
}
