import { type Kysely, sql } from 'kysely';
import type { Database } from '../database/tables.ts';

/** The channel on which the database tells of events: `written`, and `sealed`. */
export const EVENTS_CHANNEL = 'castellan_events';

/** Gives so many events at the most their positions, in one statement; returns how many there were. */
export async function sealEvents(db: Kysely<Database>, most: number): Promise<number> {
  const { rows } = await sql<{ sealed: number }>`select seal_events(${most}::int) as sealed`.execute(db);
  return rows[0]?.sealed ?? 0;
}

/** Says something to everybody who listens. */
export async function announceEvents(db: Kysely<Database>, words: string): Promise<void> {
  await sql`select pg_notify(${EVENTS_CHANNEL}, ${words})`.execute(db);
}
