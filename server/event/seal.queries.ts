import { type Kysely, sql } from 'kysely';
import type { Database } from '../database/tables.ts';

/** The NOTIFY channel for events. Payloads: `written`, `sealed POSITION`, or a word to make subscribers look. */
export const EVENTS_CHANNEL = 'castellan_events';

/** Assigns positions to at most `most` events in one statement; returns their number. */
export async function sealEvents(db: Kysely<Database>, most: number): Promise<number> {
  const { rows } = await sql<{ sealed: number }>`select seal_events(${most}::int) as sealed`.execute(db);
  return rows[0]?.sealed ?? 0;
}

/** Notifies all processes that listen for events. */
export async function announceEvents(db: Kysely<Database>, payload: string): Promise<void> {
  await sql`select pg_notify(${EVENTS_CHANNEL}, ${payload})`.execute(db);
}
