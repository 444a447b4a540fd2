import { type Kysely, sql } from 'kysely';
import type { Database } from '../database/tables.ts';

/** The stored row of an alliance. */
export interface StoredAlliance {
  readonly alliance_id: number;
  readonly alliance_name: string;
  readonly ticker: string;
  readonly executor_corporation_id: number;
  readonly refreshed_on: Date;
  /** Grows with each time that it is stored. */
  readonly revision: number;
}

/** The stored row of a corporation. */
export interface StoredCorporation {
  readonly corporation_id: number;
  readonly corporation_name: string;
  readonly ticker: string;
  readonly alliance_id: number | null;
  readonly ceo_id: number;
  readonly ceo_name: string;
  /** Whether it is the executor of its alliance. */
  readonly executes: boolean;
  readonly refreshed_on: Date;
  /** Grows with each time that it is stored. */
  readonly revision: number;
}

export interface StoredOrganizations {
  readonly alliances: ReadonlyMap<number, StoredAlliance>;
  readonly corporations: ReadonlyMap<number, StoredCorporation>;
}

export interface OrganizationIds {
  readonly alliances: readonly number[];
  readonly corporations: readonly number[];
}

/** The latest revision: whatever is stored from now on has a later one. */
export async function readRevision(db: Kysely<Database>): Promise<number> {
  const { rows } = await sql<{ last: number }>`
    select case when is_called then last_value else 0 end as last from registry_revision`.execute(db);
  return rows[0]?.last ?? 0;
}

/** Reads those organizations that are registered; `lock` locks them in the order in which they are written. */
export async function readOrganizations(
  db: Kysely<Database>,
  ids: OrganizationIds,
  lock: 'lock' | 'no lock' = 'no lock',
): Promise<StoredOrganizations> {
  const forUpdate = lock === 'lock' ? sql`for no key update` : sql``;
  const { rows: alliances } = await sql<StoredAlliance>`
    select alliance_id, alliance_name, ticker, executor_corporation_id, refreshed_on, revision
    from alliances
    where alliance_id = any(${[...ids.alliances]}::bigint[]) order by alliance_id ${forUpdate}`.execute(db);
  const { rows: corporations } = await sql<StoredCorporation>`
    select corporation_id, corporation_name, ticker, alliance_id, ceo_id, ceo_name, refreshed_on, revision,
      exists (select from alliances a where a.alliance_id = corporations.alliance_id
        and a.executor_corporation_id = corporation_id) as executes
    from corporations
    where corporation_id = any(${[...ids.corporations]}::bigint[]) order by corporation_id ${forUpdate}`.execute(
    db,
  );
  return {
    alliances: new Map(alliances.map((row) => [row.alliance_id, row])),
    corporations: new Map(corporations.map((row) => [row.corporation_id, row])),
  };
}

/** Names of those of the characters that are users. */
export async function readUserNames(
  db: Kysely<Database>,
  characterIds: readonly number[],
): Promise<Map<number, string>> {
  const rows = await db
    .selectFrom('users')
    .select(['character_id', 'character_name'])
    .where('character_id', '=', sql<number>`any(${[...characterIds]}::bigint[])`)
    .execute();
  return new Map(rows.map((row) => [row.character_id, row.character_name]));
}

/**
 * Organizations that were last refreshed before `before`, oldest first, then those with a time after `latest`, which only
 * a wrong clock can have written.
 */
export async function readDue(
  db: Kysely<Database>,
  { before, latest }: { readonly before: Date; readonly latest: Date },
  most: { readonly alliances: number; readonly corporations: number },
): Promise<OrganizationIds> {
  const due = sql<boolean>`(refreshed_on < ${before} or refreshed_on > ${latest})`;
  const alliances = await db
    .selectFrom('alliances')
    .select('alliance_id as id')
    .where(due)
    .orderBy('refreshed_on')
    .orderBy('alliance_id')
    .limit(most.alliances)
    .execute();
  const corporations = await db
    .selectFrom('corporations')
    .select('corporation_id as id')
    .where(due)
    .orderBy('refreshed_on')
    .orderBy('corporation_id')
    .limit(most.corporations)
    .execute();
  return { alliances: alliances.map(({ id }) => id), corporations: corporations.map(({ id }) => id) };
}

/** Sets back the time of the last refresh, so that these organizations are due sooner. */
export async function unmarkRefreshed(db: Kysely<Database>, ids: OrganizationIds, on: Date): Promise<void> {
  if (ids.alliances.length + ids.corporations.length === 0) return;
  await sql`
    with alliances_asked as (
      update alliances set refreshed_on = ${on}
      where alliance_id = any(${[...ids.alliances]}::bigint[]) and refreshed_on > ${on}
    )
    update corporations set refreshed_on = ${on}
    where corporation_id = any(${[...ids.corporations]}::bigint[]) and refreshed_on > ${on}`.execute(db);
}

/**
 * Stores when organizations were last requested, except for those that somebody else refreshed since; a time after
 * `latest` is no such refresh. Those that were not refreshed after `after` stay as they are.
 */
export async function markRefreshed(
  db: Kysely<Database>,
  ids: OrganizationIds,
  { on, latest, after }: { readonly on: Date; readonly latest: Date; readonly after?: Date | undefined },
): Promise<void> {
  if (ids.alliances.length + ids.corporations.length === 0) return;
  const since = sql`${after ?? '-infinity'}::timestamptz`;
  const earlier = sql`(refreshed_on < ${on} and refreshed_on > ${since} or refreshed_on > ${latest})`;
  await sql`
    with alliances_asked as (
      update alliances set refreshed_on = ${on}
      where alliance_id = any(${[...ids.alliances]}::bigint[]) and ${earlier}
    )
    update corporations set refreshed_on = ${on}
    where corporation_id = any(${[...ids.corporations]}::bigint[]) and ${earlier}`.execute(db);
}
