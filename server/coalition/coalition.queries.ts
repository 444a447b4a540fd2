import { type Insertable, type Kysely, sql, type Updateable } from 'kysely';
import type { Coalition, CoalitionShort } from '../../contract/coalition.ts';
import type { CoalitionTable, Database } from '../database/tables.ts';
import type { ListDifference } from '../shared/list-change.ts';

/** The row of a Coalition record. */
export type CoalitionRow = Omit<Coalition, 'created_on' | 'updated_on'> & {
  created_on: Date;
  updated_on: Date;
};

/** All coalitions in the order of D9. */
export async function listCoalitions(db: Kysely<Database>): Promise<CoalitionShort[]> {
  return db
    .selectFrom('coalitions')
    .select(['coalition_id', 'coalition_name'])
    .orderBy('name_key')
    .orderBy('coalition_id')
    .execute();
}

/** A coalition with its members in one statement, so that a reader never sees half of an update. */
export async function findCoalition(
  db: Kysely<Database>,
  coalitionId: string,
): Promise<CoalitionRow | undefined> {
  const { rows } = await sql<CoalitionRow>`
    select co.coalition_id, co.coalition_name, co.ticker, co.authorized_to_login, co.mandatory_ext_scopes,
      co.created_on, co.updated_on,
      (select coalesce(json_agg(json_build_object('alliance_id', a.alliance_id, 'alliance_name', a.alliance_name)
          order by a.name_key, a.alliance_id), '[]')
        from coalition_alliances m join alliances a using (alliance_id)
        where m.coalition_id = co.coalition_id) as member_alliances,
      (select coalesce(json_agg(json_build_object('corporation_id', c.corporation_id,
          'corporation_name', c.corporation_name) order by c.name_key, c.corporation_id), '[]')
        from coalition_corporations m join corporations c using (corporation_id)
        where m.coalition_id = co.coalition_id) as member_corporations
    from coalitions co where co.coalition_id = ${coalitionId}`.execute(db);
  return rows[0];
}

export async function insertCoalition(
  db: Kysely<Database>,
  coalition: Insertable<CoalitionTable>,
): Promise<void> {
  await db.insertInto('coalitions').values(coalition).execute();
}

/**
 * Locks a coalition until the transaction ends, so that its updates run one after another; foreign keys to it can still
 * be inserted.
 */
export async function lockCoalition(db: Kysely<Database>, coalitionId: string) {
  return db
    .selectFrom('coalitions')
    .select(['coalition_name', 'ticker', 'authorized_to_login', 'mandatory_ext_scopes'])
    .where('coalition_id', '=', coalitionId)
    .forNoKeyUpdate()
    .executeTakeFirst();
}

/** Ids of alliances and of corporations. */
export interface ByKind<Ids = readonly number[]> {
  readonly alliances: Ids;
  readonly corporations: Ids;
}

/**
 * The members of a coalition, whether the coalition or its autogroup forbids them to log in, whether there is an autogroup,
 * and which of the mentioned alliances and corporations are not registered.
 */
export async function findMembers(
  db: Kysely<Database>,
  coalitionId: string,
  mentioned: ByKind,
): Promise<{ members: ByKind; bars: boolean; grouped: boolean; unregistered: ByKind }> {
  const { rows } = await sql<
    Record<'alliances' | 'corporations' | 'new_alliances' | 'new_corporations', number[]> &
      Record<'bars' | 'grouped', boolean>
  >`
    select
      exists(select from groups where coalition_id = ${coalitionId}) as grouped,
      exists(select from coalitions where coalition_id = ${coalitionId} and not authorized_to_login)
        or exists(select from groups where coalition_id = ${coalitionId} and not authorized_to_login) as bars,
      array(select alliance_id::bigint from coalition_alliances where coalition_id = ${coalitionId}) as alliances,
      array(select corporation_id::bigint from coalition_corporations
        where coalition_id = ${coalitionId}) as corporations,
      array(select id from unnest(${[...mentioned.alliances]}::bigint[]) id
        where not exists (select from alliances where alliance_id = id) order by id) as new_alliances,
      array(select id from unnest(${[...mentioned.corporations]}::bigint[]) id
        where not exists (select from corporations where corporation_id = id) order by id) as new_corporations
  `.execute(db);
  const {
    alliances = [],
    corporations = [],
    bars = false,
    grouped = false,
    new_alliances = [],
    new_corporations = [],
  } = rows[0] ?? {};
  return {
    members: { alliances, corporations },
    bars,
    grouped,
    unregistered: { alliances: new_alliances, corporations: new_corporations },
  };
}

const MEMBER_TABLES = {
  alliances: { table: 'coalition_alliances', key: 'alliance_id' },
  corporations: { table: 'coalition_corporations', key: 'corporation_id' },
} as const;

/** Adds and removes members by set operations. */
export async function changeMembers(
  db: Kysely<Database>,
  coalitionId: string,
  kind: keyof ByKind,
  { added, removed }: ListDifference<number>,
): Promise<void> {
  const { table, key } = MEMBER_TABLES[kind];
  if (added.length > 0) {
    await sql`insert into ${sql.table(table)} (coalition_id, ${sql.ref(key)})
      select ${coalitionId}, unnest(${[...added]}::bigint[])`.execute(db);
  }
  if (removed.length > 0) {
    await db
      .deleteFrom(table)
      .where('coalition_id', '=', coalitionId)
      .where(key, '=', sql<number>`any(${[...removed]}::bigint[])`)
      .execute();
  }
}

export async function setCoalition(
  db: Kysely<Database>,
  coalitionId: string,
  values: Updateable<CoalitionTable>,
): Promise<void> {
  await db.updateTable('coalitions').set(values).where('coalition_id', '=', coalitionId).execute();
}

/** Deletes a coalition with its memberships and its autogroup. */
export async function deleteCoalition(db: Kysely<Database>, coalitionId: string): Promise<void> {
  await db.deleteFrom('coalitions').where('coalition_id', '=', coalitionId).execute();
}
