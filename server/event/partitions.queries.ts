import { type Kysely, sql } from 'kysely';
import type { Database } from '../database/tables.ts';

/** For each month in UTC of which a table's default partition holds rows, the id of an event in it. */
export async function findMonthsInDefault(db: Kysely<Database>, table: string): Promise<string[]> {
  // The first 48 bits of an id are milliseconds.
  const { rows } = await sql<{ id: string }>`
    select min(event_id::text) as id from ${sql.table(`${table}_default`)}
    group by date_trunc('month', to_timestamp(
      ('x' || left(replace(event_id::text, '-', ''), 12))::bit(48)::bigint / 1000) at time zone 'UTC')
    order by 1`.execute(db);
  return rows.map(({ id }) => id);
}
