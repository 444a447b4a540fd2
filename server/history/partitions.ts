import type { Kysely } from 'kysely';
import type { Log } from '../database/connection.ts';
import { createPartitions, dropPartitions, listPartitions, type Partition } from '../database/partitions.ts';
import type { Database } from '../database/tables.ts';
import { SNAPSHOT_TABLES, type SnapshotTable } from './kinds.ts';

const DAY = 86_400_000;
const WEEK = 7 * DAY;
/** The first Monday after the epoch, which began on a Thursday: weeks begin on Mondays in UTC. */
const FIRST_MONDAY = 4 * DAY;
/**
 * Weeks for which partitions are made in advance: as long as the maintenance job may fail before an insertion has to
 * create its own.
 */
const WEEKS_AHEAD = 4;

/** The start of the visible period: histories are kept for 90 days (D36). */
export function shownAfter(now: Date): Date {
  return new Date(now.getTime() - 90 * DAY);
}

/** Creates the missing partitions of this and the next four weeks; returns their names. */
export async function ensurePartitions(
  db: Kysely<Database>,
  now: Date,
  log?: Pick<Log, 'warn'>,
): Promise<string[]> {
  return createPartitions(
    db,
    SNAPSHOT_TABLES.flatMap((table) =>
      Array.from({ length: WEEKS_AHEAD + 1 }, (_, week) => partitionOf(table, now.getTime() + week * WEEK)),
    ),
    log,
  );
}

/**
 * Drops the partitions whose entries are all past the visible period (D36); returns their names. Those whose tables are
 * in use are left to the next run.
 */
export async function dropExpired(
  db: Kysely<Database>,
  now: Date,
  log?: Pick<Log, 'warn'>,
): Promise<string[]> {
  const names = await listPartitions(db, SNAPSHOT_TABLES);
  // A partition whose name does not end in a week was made by somebody else, and is kept.
  return dropPartitions(
    db,
    names.filter((name) => endOf(name) <= shownAfter(now)),
    log,
  );
}

/** The partition of a moment's week; `character_locations_20260803` begins on that Monday. */
function partitionOf(table: SnapshotTable, moment: number): Partition {
  const start = Math.floor((moment - FIRST_MONDAY) / WEEK) * WEEK + FIRST_MONDAY;
  const from = new Date(start).toISOString();
  const name = `${table}_${from.slice(0, 10).replaceAll('-', '')}`;
  return { table, name, from, to: new Date(start + WEEK).toISOString() };
}

function endOf(name: string): Date {
  const [, year, month, day] = /(\d{4})(\d\d)(\d\d)$/.exec(name) ?? [];
  return new Date(Date.parse(`${year}-${month}-${day}`) + WEEK);
}
