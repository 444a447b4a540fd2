import { type Kysely, sql } from 'kysely';
import type { Database } from '../database/tables.ts';
import { inTransaction } from '../database/transaction.ts';
import { SNAPSHOT_TABLES, type SnapshotTable } from './kinds.ts';

export interface Partition {
  readonly table: SnapshotTable;
  readonly name: string;
  readonly from: Date;
  readonly to: Date;
}

/** Names of the partitions of all histories, in order. */
export async function listPartitions(db: Kysely<Database>): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_inherits join pg_class c on c.oid = inhrelid
    where inhparent = any(${[...SNAPSHOT_TABLES]}::regclass[]) order by 1`.execute(db);
  return rows.map(({ name }) => name);
}

/**
 * Creates partitions that another process may be creating at the same time; returns the names of those that it
 * made. Attaching a finished table, unlike creating a partition in place, lets readers and writers go on.
 */
export async function createPartitions(
  db: Kysely<Database>,
  partitions: readonly Partition[],
): Promise<string[]> {
  if (partitions.length === 0) return [];
  return inTransaction(db, async (tx) => {
    await sql`select pg_advisory_xact_lock(hashtext('history partitions'))`.execute(tx);
    const existing = new Set(await listPartitions(tx));
    const missing = partitions.filter(({ name }) => !existing.has(name));
    for (const { table, name, from, to } of missing) {
      const [parent, partition] = [sql.table(table), sql.table(name)];
      await sql`create table ${partition} (like ${parent} including all)`.execute(tx);
      await sql`alter table ${parent} attach partition ${partition}
        for values from (${sql.lit(from.toISOString())}) to (${sql.lit(to.toISOString())})`.execute(tx);
    }
    return missing.map(({ name }) => name);
  });
}

/** Drops a partition; gives up, rather than hold up everybody, when its table stays busy for five seconds. */
export async function dropPartition(db: Kysely<Database>, name: string): Promise<void> {
  await inTransaction(db, async (tx) => {
    await sql`set local lock_timeout = '5s'`.execute(tx);
    await sql`drop table ${sql.table(name)}`.execute(tx);
  });
}
