import type { Kysely } from 'kysely';
import type { Log } from '../database/connection.ts';
import { createPartitions, dropPartitions, listPartitions, type Partition } from '../database/partitions.ts';
import type { Database } from '../database/tables.ts';
import { leastIdOf, momentOf } from './event-id.ts';
import { findMonthsInDefault } from './partitions.queries.ts';

const DAY = 86_400_000;
/** Milliseconds for which events of every type are kept at least (D90). */
export const KEPT_AT_LEAST = 400 * DAY;
/** Milliseconds for which each table keeps its rows (D90): a month is dropped when its last day is that old. */
const KEPT_FOR = {
  events_short: KEPT_AT_LEAST,
  events_long: 3 * 365 * DAY,
  event_subjects: 3 * 365 * DAY,
  event_contexts: 90 * DAY,
} as const;
const TABLES = Object.keys(KEPT_FOR) as (keyof typeof KEPT_FOR)[];
/**
 * Months whose partitions are created in advance: if maintenance fails longer, rows go to the default partition until it
 * succeeds.
 */
const MONTHS_AHEAD = 2;

/**
 * Creates the missing partitions of this month and the next ones, and of the months of all rows in default partitions,
 * as only partitions of a month are ever dropped; returns the names of the new ones.
 */
export async function ensureEventPartitions(
  db: Kysely<Database>,
  now: Date,
  log?: Pick<Log, 'warn'>,
): Promise<string[]> {
  const partitions: Partition[] = [];
  for (const table of TABLES) {
    for (let ahead = 0; ahead <= MONTHS_AHEAD; ahead += 1) partitions.push(partitionOf(table, now, ahead));
    for (const id of await findMonthsInDefault(db, table)) partitions.push(partitionOf(table, momentOf(id)));
  }
  return createPartitions(db, partitions, log);
}

/** Drops expired partitions; returns their names. Those whose tables are in use are left to the next run. */
export async function dropExpiredEvents(
  db: Kysely<Database>,
  now: Date,
  log?: Pick<Log, 'warn'>,
): Promise<string[]> {
  const expired: string[] = [];
  for (const table of TABLES) {
    for (const name of await listPartitions(db, [table])) {
      if (endOf(name) <= now.getTime() - KEPT_FOR[table]) expired.push(name);
    }
  }
  return dropPartitions(db, expired, log);
}

/** The partition of a moment's month in UTC or of a later one, named as in `events_long_202608`. */
function partitionOf(table: string, now: Date, ahead = 0): Partition {
  const from = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + ahead));
  const to = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + ahead + 1));
  const month = from.toISOString().slice(0, 7).replace('-', '');
  return { table, name: `${table}_${month}`, from: leastIdOf(from), to: leastIdOf(to) };
}

/** The end of a partition's month; infinity for the default partition. */
function endOf(name: string): number {
  const [, year, month] = /_(\d{4})(\d\d)$/.exec(name) ?? [];
  return year === undefined ? Number.POSITIVE_INFINITY : Date.UTC(Number(year), Number(month));
}
