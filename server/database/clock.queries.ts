import { type Kysely, sql } from 'kysely';
import type { Database } from './tables.ts';

/** The time by the database's clock. */
export async function readClock(db: Kysely<Database>): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db);
  return (rows[0] as { now: Date }).now;
}
