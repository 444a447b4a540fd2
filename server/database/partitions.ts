import { type Kysely, sql } from 'kysely';
import { codeOf } from './errors.ts';
import type { Database } from './tables.ts';
import { inTransaction } from './transaction.ts';

/** One partition of a table that is partitioned by range. */
export interface Partition {
  readonly table: string;
  readonly name: string;
  /** Inclusive lower and exclusive upper bound. */
  readonly from: string;
  readonly to: string;
}

const CHECK_VIOLATION = '23514';
const LOCK_NOT_AVAILABLE = '55P03';

/** Names of the partitions of these tables, sorted. */
export async function listPartitions(db: Kysely<Database>, tables: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_inherits join pg_class c on c.oid = inhrelid
    where inhparent = any(${[...tables]}::regclass[]) order by 1`.execute(db);
  return rows.map(({ name }) => name);
}

/**
 * Creates the missing ones of these partitions, also while another process does the same; returns their names. A range
 * of which the default partition holds rows already is skipped: its rows stay there.
 */
export async function createPartitions(
  db: Kysely<Database>,
  partitions: readonly Partition[],
): Promise<string[]> {
  const tables = [...new Set(partitions.map(({ table }) => table))];
  const existing = new Set(await listPartitions(db, tables));
  const made: string[] = [];
  for (const partition of partitions) {
    if (!existing.has(partition.name) && (await createPartition(db, partition))) made.push(partition.name);
  }
  return made;
}

/**
 * Creates a table and attaches it, which, unlike creating the partition directly, does not block readers and writers.
 */
async function createPartition(db: Kysely<Database>, { table, name, from, to }: Partition): Promise<boolean> {
  const [parent, partition] = [sql.table(table), sql.table(name)];
  try {
    return await inTransaction(db, async (tx) => {
      await sql`select pg_advisory_xact_lock(hashtext('partitions'))`.execute(tx);
      if ((await listPartitions(tx, [table])).includes(name)) return false;
      await sql`create table ${partition} (like ${parent} including all)`.execute(tx);
      await sql`alter table ${parent} attach partition ${partition}
        for values from (${sql.lit(from)}) to (${sql.lit(to)})`.execute(tx);
      return true;
    });
  } catch (error) {
    if (codeOf(error) !== CHECK_VIOLATION) throw error;
    return false;
  }
}

/**
 * Drops a partition. False when its lock was not available within five seconds: waiting longer would block all other
 * statements on the table.
 */
export async function dropPartition(db: Kysely<Database>, name: string): Promise<boolean> {
  try {
    await inTransaction(db, async (tx) => {
      await sql`set local lock_timeout = '5s'`.execute(tx);
      await sql`drop table ${sql.table(name)}`.execute(tx);
    });
    return true;
  } catch (error) {
    if (codeOf(error) !== LOCK_NOT_AVAILABLE) throw error;
    return false;
  }
}
