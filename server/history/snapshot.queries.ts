import { type Kysely, sql } from 'kysely';
import { PAGE_SIZE } from '../../contract/paging.ts';
import type { Database } from '../database/tables.ts';
import { SNAPSHOT_TABLES, type SnapshotTable } from './kinds.ts';
import type { PageRows } from './page.ts';
import { type Subject, stillThere } from './subject.queries.ts';
import { endOfTurn, type Turn } from './turn.queries.ts';

/** The values of one snapshot, without character and time. */
export type NewEntry<Table extends SnapshotTable> = Omit<Database[Table], 'character_id' | 'timestamp'>;

/**
 * Stores an entry once, even if it is repeated, and not at all if the user was deleted or has a new owner (D29b). With
 * a turn, the same statement completes the turn, so that a turn has at most one entry: none if another worker has taken
 * it over.
 *
 * @returns whether the user is still there, with the same owner
 */
export async function insertEntry<Table extends SnapshotTable>(
  db: Kysely<Database>,
  table: Table,
  subject: Subject,
  timestamp: Date,
  snapshot: NewEntry<Table>,
  turn: Turn | undefined,
): Promise<boolean> {
  const columns = Object.keys(snapshot);
  const taken =
    turn === undefined
      ? sql`select character_id from subject`
      : sql`${endOfTurn(turn, timestamp)} and t.character_id in (select character_id from subject)
        returning t.character_id`;
  const { rows } = await sql<{ readonly there: boolean }>`
    with subject as materialized (${stillThere(subject)}), taken as (${taken}), entry as (
      insert into ${sql.table(table)} (character_id, timestamp, ${sql.join(columns.map((name) => sql.ref(name)))})
      select character_id, ${timestamp}, ${sql.join(Object.values(snapshot))} from taken
      on conflict do nothing
    )
    select exists (select from subject) as there`.execute(db);
  return rows[0]?.there === true;
}

/** The latest entry after `since`, if there are already many of late. */
export async function findLatestOfMany<Table extends SnapshotTable>(
  db: Kysely<Database>,
  table: Table,
  characterId: number,
  since: Date,
  many: { readonly entries: number; readonly since: Date },
): Promise<Database[Table] | undefined> {
  const { rows } = await sql<Database[Table]>`
    select * from ${sql.table(table)}
    where character_id = ${characterId} and timestamp > ${since} and ${many.entries} <= (
      select count(*) from (
        select from ${sql.table(table)} where character_id = ${characterId} and timestamp > ${many.since}
        limit ${many.entries}) recent)
    order by timestamp desc limit 1`.execute(db);
  return rows[0];
}

/** The largest subscript of an array in PostgreSQL. */
const LAST_SUBSCRIPT = 2 ** 31 - 1;

export type EntryRow<Table extends SnapshotTable> = Database[Table] & { readonly character_name: string };

/**
 * One page of the entries after `after`, newest first. The page's entries are selected by an index-only scan and only
 * then read from the table, so that the last page costs as much as the first.
 */
export async function findEntries<Table extends SnapshotTable>(
  db: Kysely<Database>,
  table: Table,
  characterId: number,
  { after, page }: { readonly after: Date; readonly page: number },
): Promise<PageRows<EntryRow<Table>>> {
  const first = Math.min((page - 1) * PAGE_SIZE + 1, LAST_SUBSCRIPT - PAGE_SIZE);
  const { rows } = await sql<EntryRow<Table> & { readonly total: number }>`
    with history as materialized (
      select array(select timestamp from ${sql.table(table)}
        where character_id = ${characterId} and timestamp > ${after} order by timestamp desc) as moments
    ), bounds as materialized (
      select cardinality(moments) as total, moments[${first}::int] as newest,
        moments[least(${first + PAGE_SIZE - 1}::int, cardinality(moments))] as oldest
      from history
    )
    select bounds.total, u.character_name, entry.*
    from bounds
      join users u on u.character_id = ${characterId}
      left join lateral (
        select * from ${sql.table(table)}
        where character_id = ${characterId} and timestamp between bounds.oldest and bounds.newest
      ) entry on true
    order by entry.timestamp desc`.execute(db);
  // A page without entries is one row with only the total.
  return { rows: rows.filter((row) => row.timestamp !== null), total: rows[0]?.total ?? 0 };
}

export async function deleteSnapshots(db: Kysely<Database>, characterIds: readonly number[]): Promise<void> {
  for (const table of SNAPSHOT_TABLES) {
    await db
      .deleteFrom(table)
      .where('character_id', '=', sql<number>`any(${[...characterIds]}::bigint[])`)
      .execute();
  }
}
