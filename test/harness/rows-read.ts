import { type Kysely, sql } from 'kysely';
import type { Database } from '../../server/database/tables.ts';

/** What some work finds, and how many rows of a table it reads for that, in a transaction of its own. */
export async function rowsRead<Found>(
  db: Kysely<Database>,
  table: keyof Database,
  work: (db: Kysely<Database>) => Promise<Found>,
): Promise<{ readonly found: Found; readonly read: number }> {
  return db.transaction().execute(async (tx) => {
    const readSoFar = async () => {
      const { rows } = await sql<{ read: number }>`
        select seq_tup_read + coalesce(idx_tup_fetch, 0) as read from pg_stat_xact_user_tables
        where relname = ${table}`.execute(tx);
      return rows[0]?.read ?? Number.NaN;
    };
    // The connection's transactions of the last second are counted, too.
    const before = await readSoFar();
    const found = await work(tx);
    return { found, read: (await readSoFar()) - before };
  });
}
