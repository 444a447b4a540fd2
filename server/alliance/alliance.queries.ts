import { type Kysely, sql } from 'kysely';
import type { Alliance } from '../../contract/alliance.ts';
import type { AllianceShort } from '../../contract/membership.ts';
import type { ExtScope } from '../../contract/scopes.ts';
import { scopesOfAlliance } from '../access/required-scopes.queries.ts';
import type { Database } from '../database/tables.ts';

/** The row of an Alliance record. */
export interface AllianceRow extends Omit<Alliance, 'ceo' | 'executor_corporation' | 'updated_on'> {
  readonly executor_id: number;
  readonly executor_name: string;
  readonly ceo_id: number;
  readonly ceo_name: string;
  readonly updated_on: Date;
}

/** All alliances in the order of D9. */
export async function listAlliances(db: Kysely<Database>): Promise<AllianceShort[]> {
  return db
    .selectFrom('alliances')
    .select(['alliance_id', 'alliance_name'])
    .orderBy('name_key')
    .orderBy('alliance_id')
    .execute();
}

/**
 * An alliance. The CEO's name is taken from the user's row, which is more recent, unless the user was deleted (D19b).
 */
export async function findAllianceRow(
  db: Kysely<Database>,
  allianceId: number,
): Promise<AllianceRow | undefined> {
  const { rows } = await sql<AllianceRow>`
    select a.alliance_id, a.alliance_name, a.ticker, a.mandatory_ext_scopes, a.updated_on,
      ${scopesOfAlliance} as cumulated_mandatory_ext_scopes,
      e.corporation_id as executor_id, e.corporation_name as executor_name,
      e.ceo_id, coalesce(u.character_name, e.ceo_name) as ceo_name
    from alliances a
      join corporations e on e.corporation_id = a.executor_corporation_id
      left join users u on u.character_id = e.ceo_id
    where a.alliance_id = ${allianceId}`.execute(db);
  return rows[0];
}

/** Locks the row until the transaction ends; returns name and required scopes. */
export async function lockAlliance(db: Kysely<Database>, allianceId: number) {
  return db
    .selectFrom('alliances')
    .select(['alliance_name', 'mandatory_ext_scopes'])
    .where('alliance_id', '=', allianceId)
    .forNoKeyUpdate()
    .executeTakeFirst();
}

/** Writes only if something differs, so that `updated_on` changes with the content only. */
export async function setAllianceScopes(
  db: Kysely<Database>,
  allianceId: number,
  scopes: readonly ExtScope[],
  now: Date,
): Promise<void> {
  await db
    .updateTable('alliances')
    .set({ mandatory_ext_scopes: [...scopes], updated_on: now })
    .where('alliance_id', '=', allianceId)
    .where('mandatory_ext_scopes', '!=', sql<ExtScope[]>`${[...scopes]}::text[]`)
    .execute();
}

/** Those of the corporations that are not registered. */
export async function withoutRegistered(
  db: Kysely<Database>,
  corporationIds: readonly number[],
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from unnest(${[...corporationIds]}::bigint[]) as given(id)
    where not exists (
      select from corporations c where c.corporation_id = given.id)`.execute(db);
  return rows.map((row) => row.id);
}
