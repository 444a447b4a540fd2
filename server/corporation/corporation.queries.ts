import { type Kysely, sql } from 'kysely';
import type { Corporation } from '../../contract/corporation.ts';
import type { CorporationShort } from '../../contract/membership.ts';
import type { ExtScope } from '../../contract/scopes.ts';
import { scopesOfCorporation } from '../access/required-scopes.queries.ts';
import type { Database } from '../database/tables.ts';

/** The row of a Corporation record; alliance id and name are null together. */
export interface CorporationRow extends Omit<Corporation, 'alliance' | 'ceo' | 'updated_on'> {
  readonly alliance_id: number | null;
  readonly alliance_name: string | null;
  readonly ceo_id: number;
  readonly ceo_name: string;
  readonly updated_on: Date;
}

/** All corporations in the order of D9. */
export async function listCorporations(db: Kysely<Database>): Promise<CorporationShort[]> {
  return db
    .selectFrom('corporations')
    .select(['corporation_id', 'corporation_name'])
    .orderBy('name_key')
    .orderBy('corporation_id')
    .execute();
}

/**
 * A corporation. The CEO's name is taken from the user's row, which is more recent, unless the user was deleted (D19b).
 */
export async function findCorporationRow(
  db: Kysely<Database>,
  corporationId: number,
): Promise<CorporationRow | undefined> {
  const { rows } = await sql<CorporationRow>`
    select c.corporation_id, c.corporation_name, c.ticker, c.mandatory_ext_scopes, c.updated_on,
      ${scopesOfCorporation} as cumulated_mandatory_ext_scopes,
      a.alliance_id, a.alliance_name, c.ceo_id, coalesce(u.character_name, c.ceo_name) as ceo_name
    from corporations c
      left join alliances a on a.alliance_id = c.alliance_id
      left join users u on u.character_id = c.ceo_id
    where c.corporation_id = ${corporationId}`.execute(db);
  return rows[0];
}

/** Locks the row until the transaction ends; returns name and required scopes. */
export async function lockCorporation(db: Kysely<Database>, corporationId: number) {
  return db
    .selectFrom('corporations')
    .select(['corporation_name', 'mandatory_ext_scopes'])
    .where('corporation_id', '=', corporationId)
    .forNoKeyUpdate()
    .executeTakeFirst();
}

/** Writes only if something differs, so that `updated_on` changes with the content only. */
export async function setCorporationScopes(
  db: Kysely<Database>,
  corporationId: number,
  scopes: readonly ExtScope[],
  now: Date,
): Promise<void> {
  await db
    .updateTable('corporations')
    .set({ mandatory_ext_scopes: [...scopes], updated_on: now })
    .where('corporation_id', '=', corporationId)
    .where('mandatory_ext_scopes', '!=', sql<ExtScope[]>`${[...scopes]}::text[]`)
    .execute();
}
