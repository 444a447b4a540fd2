import { type Kysely, sql } from 'kysely';
import type { Clock } from '../shared/clock.ts';
import type { Database } from './tables.ts';

/** The time by the database's clock. */
export async function readClock(db: Kysely<Database>): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db);
  return (rows[0] as { now: Date }).now;
}

/**
 * The time for what processes agree on among each other, whose machines' clocks may differ: the database's. A clock that
 * is not the machine's is that of a test, which all its processes share.
 */
export async function sharedTime(db: Kysely<Database>, clock: Clock): Promise<Date> {
  return clock.real ? readClock(db) : clock.now();
}
