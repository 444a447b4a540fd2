import { type Insertable, type Kysely, sql } from 'kysely';
import type { ExtScope } from '../../contract/scopes.ts';
import { scopesOfCorporation } from '../access/required-scopes.queries.ts';
import type { Database, StateCodeTable } from '../database/tables.ts';

/** Where a sign-in ends: at the callback of an app token, which gets a user token, or in OpenID Connect. */
type Destination =
  | { readonly to: 'application'; readonly app_token: string; readonly callback: string }
  | { readonly to: 'interaction'; readonly interaction_hash: string };

/** A state code, and where its sign-in ends. */
export interface StateCode {
  readonly state_code: string;
  readonly destination: Destination;
  /** The inviting corporation of a guest code. */
  readonly corporation_id: number | null;
  readonly code_verifier: string;
  readonly expires_on: Date;
  readonly used_on: Date | null;
}

/** Authorization codes that the provider may refuse before a state code is dead (D26). */
const MOST_TRIES = 5;

export async function insertStateCode(db: Kysely<Database>, code: Insertable<StateCodeTable>): Promise<void> {
  await db.insertInto('state_codes').values(code).execute();
}

/** Living invitations of a corporation; nobody else makes one until the transaction ends. */
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

/** Binds a live code to the app token that presents it, or finds it bound to it already (D25, D28). */
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

/** A state code, whether it lives or not; undefined: unknown, or no app token presented it yet. */
export async function findStateCode(db: Kysely<Database>, code: string): Promise<StateCode | undefined> {
  const { rows } = await sql<StateCode>`
    select s.state_code, s.corporation_id, s.code_verifier, s.expires_on, s.used_on,
      case when s.interaction_hash is null
        then json_build_object('to', 'application', 'app_token', s.app_token, 'callback', t.callback)
        else json_build_object('to', 'interaction', 'interaction_hash', s.interaction_hash) end as destination
    from state_codes s left join tokens t on t.uuid = s.app_token
    where s.state_code = ${code} and num_nonnulls(t.callback, s.interaction_hash) > 0`.execute(db);
  return rows[0];
}

/**
 * Reserves one of the tries that a state code has, before the provider is asked about an authorization code: of any
 * number of codes that come at once, over all processes, it hears of no more than are left. False: none is left.
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

/** Gives a try back: the provider did not refuse the authorization code. */
export async function giveTryBack(db: Kysely<Database>, code: string): Promise<void> {
  await db
    .updateTable('state_codes')
    .set((eb) => ({ tries: eb('tries', '-', 1) }))
    .where('state_code', '=', code)
    .execute();
}

/** Uses a state code up, in the transaction of the sign-in that succeeds with it: of many, one does (D25). */
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

/** Takes the sign-in that succeeded for an interaction: it is told once who that was, and when (D82). */
export async function takeSignIn(db: Kysely<Database>, interactionHash: string, now: Date) {
  const row = await db
    .deleteFrom('state_codes')
    .where('interaction_hash', '=', interactionHash)
    .where('signed_in_id', 'is not', null)
    .where('expires_on', '>', now)
    .returning(['signed_in_id as character_id', 'used_on as signed_in_on'])
    .executeTakeFirst();
  return row as { readonly character_id: number; readonly signed_in_on: Date } | undefined;
}

/** Lets a code live until then at the least, so that a second try has the time of a first one (D26). */
export async function prolongStateCode(db: Kysely<Database>, code: string, until: Date): Promise<void> {
  await db
    .updateTable('state_codes')
    .set({ expires_on: until })
    .where('state_code', '=', code)
    .where('used_on', 'is', null)
    .where('expires_on', '<', until)
    .execute();
}

/** What a corporation requires of those who belong to it, through alliance and coalitions, too (D38). */
export async function requiredScopes(db: Kysely<Database>, corporationId: number): Promise<ExtScope[]> {
  const { rows } = await sql<{ required: ExtScope[] }>`
    select ${scopesOfCorporation} as required
    from corporations c left join alliances a on a.alliance_id = c.alliance_id
    where c.corporation_id = ${corporationId}`.execute(db);
  return rows[0]?.required ?? [];
}

/** Deletes some of the codes that have expired, used or not; returns how many. */
export async function deleteExpiredCodes(db: Kysely<Database>, now: Date, most: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from state_codes where state_code in (
      select state_code from state_codes where expires_on <= ${now}
      order by expires_on limit ${most} for update skip locked)`.execute(db);
  return Number(numAffectedRows);
}
