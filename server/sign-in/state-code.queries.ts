import { type Insertable, type Kysely, sql } from 'kysely';
import type { ExtScope } from '../../contract/scopes.ts';
import { scopesOfCorporation } from '../access/required-scopes.queries.ts';
import type { Database, StateCodeTable } from '../database/tables.ts';

/** Where a sign-in ends: at the callback of an app token, with a user token, or in an OpenID Connect interaction. */
type Destination =
  | {
      readonly to: 'application';
      readonly app_token: string;
      readonly callback: string;
      /** Whether that is the console: no other dynamic token is without a parent. */
      readonly is_console: boolean;
    }
  | { readonly to: 'interaction'; readonly interaction_hash: string };

/** A state code, and where its sign-in ends. */
export interface StateCode {
  readonly state_code: string;
  readonly destination: Destination;
  /** For a guest invitation the corporation that invites, else null. */
  readonly corporation_id: number | null;
  /** Who answers for the invitation; null: a process of the release before made it. */
  readonly invited_by: number | null;
  readonly code_verifier: string;
  readonly expires_on: Date;
  readonly used_on: Date | null;
}

/** Authorization codes that the provider may refuse before the state code becomes invalid (D26). */
const MOST_TRIES = 5;

export async function insertStateCode(db: Kysely<Database>, code: Insertable<StateCodeTable>): Promise<void> {
  await db.insertInto('state_codes').values(code).execute();
}

/**
 * The number of valid invitations of a corporation. Takes an advisory lock, so that no other transaction can add one
 * meanwhile.
 */
export async function countInvitations(
  db: Kysely<Database>,
  corporationId: number,
  now: Date,
): Promise<number> {
  await sql`select pg_advisory_xact_lock(hashtext(${`invitations of ${corporationId}`}))`.execute(db);
  const { count } = await db
    .selectFrom('state_codes')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('corporation_id', '=', corporationId)
    .where('used_on', 'is', null)
    .where('tries', '<', MOST_TRIES)
    .where('expires_on', '>', now)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/**
 * Binds a valid code to the app token that presents it; succeeds also when it is bound to that token already (D25,
 * D28).
 */
export async function bindStateCode(db: Kysely<Database>, code: string, appToken: string, now: Date) {
  return db
    .updateTable('state_codes')
    .set({ app_token: appToken })
    .where('state_code', '=', code)
    .where((eb) => eb.or([eb('app_token', 'is', null), eb('app_token', '=', appToken)]))
    .where('interaction_hash', 'is', null)
    .where('used_on', 'is', null)
    .where('tries', '<', MOST_TRIES)
    .where('expires_on', '>', now)
    .returning(['state_code', 'corporation_id', 'code_verifier'])
    .executeTakeFirst();
}

/** Whether a code, valid or not, is that of an invitation. */
export async function isInvitation(db: Kysely<Database>, code: string): Promise<boolean> {
  const found = await db
    .selectFrom('state_codes')
    .select('state_code')
    .where('state_code', '=', code)
    .where('corporation_id', 'is not', null)
    .executeTakeFirst();
  return found !== undefined;
}

/** A state code, valid or not; undefined when it is unknown or no app token has presented it yet. */
export async function findStateCode(db: Kysely<Database>, code: string): Promise<StateCode | undefined> {
  const { rows } = await sql<StateCode>`
    select s.state_code, s.corporation_id, s.invited_by, s.code_verifier, s.expires_on, s.used_on,
      case when s.interaction_hash is null
        then json_build_object('to', 'application', 'app_token', s.app_token, 'callback', t.callback,
          'is_console', t.parent is null)
        else json_build_object('to', 'interaction', 'interaction_hash', s.interaction_hash) end as destination
    from state_codes s left join tokens t on t.uuid = s.app_token
    where s.state_code = ${code} and num_nonnulls(t.callback, s.interaction_hash) > 0`.execute(db);
  return rows[0];
}

/**
 * Reserves one try of a state code before the provider is asked about an authorization code, so that concurrent
 * requests of all processes cannot exceed the limit. False when no try is left.
 */
export async function takeTry(db: Kysely<Database>, code: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('state_codes')
    .set((eb) => ({ tries: eb('tries', '+', 1) }))
    .where('state_code', '=', code)
    .where('used_on', 'is', null)
    .where('tries', '<', MOST_TRIES)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Returns a reserved try, because the provider did not refuse the authorization code. */
export async function giveTryBack(db: Kysely<Database>, code: string): Promise<void> {
  await db
    .updateTable('state_codes')
    .set((eb) => ({ tries: eb('tries', '-', 1) }))
    .where('state_code', '=', code)
    .execute();
}

/**
 * Marks a state code as used, in the transaction of the successful sign-in: of concurrent ones exactly one succeeds
 * (D25).
 */
export async function useStateCode(
  db: Kysely<Database>,
  code: string,
  characterId: number,
  now: Date,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('state_codes')
    .set({ used_on: now, signed_in_id: characterId })
    .where('state_code', '=', code)
    .where('used_on', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Which character signed in for an interaction, and when. */
export interface SignedIn {
  readonly character_id: number;
  readonly signed_in_on: Date;
}

/**
 * Reads and removes the successful sign-ins of an interaction, of which the last one counts. They can be read only once
 * (D82), so call it in the transaction that stores what comes of it.
 */
export async function takeSignIn(
  db: Kysely<Database>,
  interactionHash: string,
  now: Date,
): Promise<SignedIn | undefined> {
  const { rows } = await sql<SignedIn>`
    with taken as (
      delete from state_codes
      where interaction_hash = ${interactionHash} and signed_in_id is not null and expires_on > ${now}
      returning signed_in_id as character_id, used_on as signed_in_on
    )
    select character_id, signed_in_on from taken order by signed_in_on desc limit 1`.execute(db);
  return rows[0];
}

/**
 * Extends a code's lifetime at least to `until`, so that a second attempt has as much time as the first (D26), unless the
 * code was made before `madeAfter`.
 */
export async function prolongStateCode(
  db: Kysely<Database>,
  code: string,
  { until, madeAfter }: { readonly until: Date; readonly madeAfter: Date },
): Promise<void> {
  await db
    .updateTable('state_codes')
    .set({ expires_on: until })
    .where('state_code', '=', code)
    .where('used_on', 'is', null)
    .where('expires_on', '<', until)
    .where('created_on', '>', madeAfter)
    .execute();
}

/** The scopes required of a corporation's members by the corporation, its alliance and coalitions (D38). */
export async function requiredScopes(db: Kysely<Database>, corporationId: number): Promise<ExtScope[]> {
  const { rows } = await sql<{ required: ExtScope[] }>`
    select ${scopesOfCorporation} as required
    from corporations c left join alliances a on a.alliance_id = c.alliance_id
    where c.corporation_id = ${corporationId}`.execute(db);
  return rows[0]?.required ?? [];
}

/** Deletes up to `most` codes that expired before, used or not; returns how many. */
export async function deleteCodesExpiredBefore(
  db: Kysely<Database>,
  before: Date,
  most: number,
): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from state_codes where state_code in (
      select state_code from state_codes where expires_on <= ${before}
      order by expires_on limit ${most} for update skip locked)`.execute(db);
  return Number(numAffectedRows);
}
