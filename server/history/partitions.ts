import type { Kysely } from 'kysely';
import { createPartitions, dropPartition, listPartitions, type Partition } from '../database/partitions.ts';
import type { Database } from '../database/tables.ts';
import { SNAPSHOT_TABLES, type SnapshotTable } from './kinds.ts';

const DAY = 86_400_000;
const WEEK = 7 * DAY;
/** The epoch began on a Thursday: weeks begin on Mondays, in UTC. */
const FIRST_MONDAY = 4 * DAY;
/** Weeks that have their partitions in advance: as long may maintenance fail before an insertion has to help itself. */
const WEEKS_AHEAD = 4;

/** The beginning of what histories show: they are kept 90 days (D36). */
export function shownAfter(now: Date): Date {
  return new Date(now.getTime() - 90 * DAY);
}

/** Makes the partitions of this week and of four more, where they are missing; returns the names of the new ones. */
export async function ensurePartitions(db: Kysely<Database>, now: Date): Promise<string[]> {
  return createPartitions(
    db,
    SNAPSHOT_TABLES.flatMap((table) =>
      Array.from({ length: WEEKS_AHEAD + 1 }, (_, week) => partitionOf(table, now.getTime() + week * WEEK)),
    ),
  );
}

/**
 * Drops the partitions of which no entry is shown any more (D36); returns their names. One that stays busy is
 * left to the next run.
 */
export async function dropExpired(db: Kysely<Database>, now: Date): Promise<string[]> {
  const dropped: string[] = [];
  for (const name of await listPartitions(db, SNAPSHOT_TABLES)) {
    // One of another's making, whose name tells no week, is not ours to drop.
    if (endOf(name) <= shownAfter(now) && (await dropPartition(db, name))) dropped.push(name);
  }
  return dropped;
}

/** The week that holds a moment; `character_locations_20260803` is the one that begins on that Monday. */
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
