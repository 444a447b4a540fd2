import { type Insertable, type Kysely, sql } from 'kysely';
import type { ExtScope } from '../../contract/scopes.ts';
import type { Database, StateCodeTable } from '../database/tables.ts';
import { scopesOfCorporation } from '../registry/cumulated-scopes.ts';

export interface StateCode {
  readonly state_code: string;
  /** The app token whose callback gets the user token. */
  readonly app_token: string;
  readonly callback: string;
  /** The inviting corporation of a guest code. */
  readonly corporation_id: number | null;
  readonly code_verifier: string;
}

export async function insertStateCode(db: Kysely<Database>, code: Insertable<StateCodeTable>): Promise<void> {
  await db.insertInto('state_codes').values(code).execute();
}

/** Binds a live code to the app token that presents it, or finds it bound to it already (D25, D28). */
export async function bindStateCode(db: Kysely<Database>, code: string, appToken: string, now: Date) {
  return db
    .updateTable('state_codes')
    .set({ app_token: appToken })
    .where('state_code', '=', code)
    .where((eb) => eb.or([eb('app_token', 'is', null), eb('app_token', '=', appToken)]))
    .where('used_on', 'is', null)
    .where('expires_on', '>', now)
    .returning(['state_code', 'corporation_id', 'code_verifier'])
    .executeTakeFirst();
}

/** Takes a live code for one sign-in: of any number that try at once, one gets it (D25). */
export async function claimStateCode(
  db: Kysely<Database>,
  code: string,
  now: Date,
): Promise<StateCode | undefined> {
  const { rows } = await sql<StateCode>`
    update state_codes s set used_on = ${now}
    from tokens t
    where s.state_code = ${code} and t.uuid = s.app_token and t.callback is not null
      and s.used_on is null and s.expires_on > ${now}
    returning s.state_code, s.app_token, t.callback, s.corporation_id, s.code_verifier`.execute(db);
  return rows[0];
}

/** Gives a code back after a sign-in that came to nothing without the user's fault. */
export async function releaseStateCode(db: Kysely<Database>, code: string): Promise<void> {
  await db.updateTable('state_codes').set({ used_on: null }).where('state_code', '=', code).execute();
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
