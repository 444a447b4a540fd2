import { type Kysely, sql, type Transaction } from 'kysely';
import type { Log } from './connection.ts';
import { codeOf, isOverdue } from './errors.ts';
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

const LOCK_NOT_AVAILABLE = '55P03';

/** Names of the partitions of these tables, sorted. */
export async function listPartitions(db: Kysely<Database>, tables: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_inherits join pg_class c on c.oid = inhrelid
    where inhparent = any(${[...tables]}::regclass[]) order by 1`.execute(db);
  return rows.map(({ name }) => name);
}

/**
 * Creates the missing ones of these partitions, also while another process does the same; returns their names. Rows of
 * their ranges that the default partition holds are moved into them. When a lock is not available within five seconds,
 * this and the following ones are left to the next call.
 */
export async function createPartitions(
  db: Kysely<Database>,
  partitions: readonly Partition[],
  log?: Pick<Log, 'warn'>,
): Promise<string[]> {
  const tables = [...new Set(partitions.map(({ table }) => table))];
  const existing = new Set(await listPartitions(db, tables));
  const made: string[] = [];
  for (const partition of partitions) {
    if (existing.has(partition.name)) continue;
    existing.add(partition.name);
    try {
      const moved = await createPartition(db, partition);
      if (moved === undefined) continue;
      made.push(partition.name);
      if (moved > 0) {
        log?.warn(
          { partition: partition.name, rows: moved },
          'rows were written before their partition was made, and moved',
        );
      }
    } catch (error) {
      if (isOverdue(error)) {
        // They stay where they are, and can be read as before.
        log?.warn({ partition: partition.name }, 'moving rows into their partition takes too long');
        continue;
      }
      if (codeOf(error) !== LOCK_NOT_AVAILABLE) throw error;
      log?.warn(
        { partition: partition.name },
        'a partition is made another time, as its table is in use: by a dump, or a transaction that is open for long',
      );
      break;
    }
  }
  return made;
}

/**
 * Creates a table and attaches it. Unlike creating the partition directly, this locks of all the table's rows only those
 * in its default partition, for which whoever reads them queues: the wait for that lock is limited, as a dump would make
 * it long. Returns the number of rows that it got from the default partition; undefined when another process was faster.
 */
async function createPartition(db: Kysely<Database>, partition: Partition): Promise<number | undefined> {
  const { table, name, from, to } = partition;
  const [parent, made] = [sql.table(table), sql.table(name)];
  return inTransaction(db, async (tx) => {
    await sql`set local lock_timeout = '5s'`.execute(tx);
    await sql`select pg_advisory_xact_lock(hashtext('partitions'))`.execute(tx);
    if ((await listPartitions(tx, [table])).includes(name)) return undefined;
    await sql`create table ${made} (like ${parent} including all)`.execute(tx);
    const moved = await moveFromDefault(tx, partition);
    await sql`alter table ${parent} attach partition ${made}
      for values from (${sql.lit(from)}) to (${sql.lit(to)})`.execute(tx);
    return moved;
  });
}

/** Moves the rows of a range from the default partition, if there is one, to a new table; returns their number. */
async function moveFromDefault(
  tx: Transaction<Database>,
  { table, name, from, to }: Partition,
): Promise<number> {
  const { rows } = await sql<{ rest: string; column: string }>`
    select relname as rest, attname as column from pg_partitioned_table
      join pg_class c on c.oid = partdefid join pg_attribute on attrelid = partrelid and attnum = partattrs[0]
    where partrelid = ${table}::regclass`.execute(tx);
  const [found] = rows;
  if (found === undefined) return 0;
  const [rest, column] = [sql.table(found.rest), sql.ref(found.column)];
  // Attaching takes this lock, too: with a weaker one until then, it deadlocks with who reads rows and then adds one.
  await sql`lock table ${rest} in access exclusive mode`.execute(tx);
  // A trigger refuses to delete events (D90); these stay what they are.
  await sql`alter table ${rest} disable trigger user`.execute(tx);
  const { numAffectedRows = 0n } = await sql`
    with moved as (
      delete from ${rest} where ${column} >= ${sql.lit(from)} and ${column} < ${sql.lit(to)} returning *)
    insert into ${sql.table(name)} select * from moved`.execute(tx);
  await sql`alter table ${rest} enable trigger user`.execute(tx);
  return Number(numAffectedRows);
}

/**
 * Drops these partitions; returns the names of those that are gone. Whoever uses their table queues behind the wait for
 * its lock: when one is not available within a second, this and the following ones are left to the next call.
 */
export async function dropPartitions(
  db: Kysely<Database>,
  names: readonly string[],
  log?: Pick<Log, 'warn'>,
): Promise<string[]> {
  const dropped: string[] = [];
  for (const name of names) {
    try {
      await inTransaction(db, async (tx) => {
        await sql`set local lock_timeout = '1s'`.execute(tx);
        await sql`drop table ${sql.table(name)}`.execute(tx);
      });
    } catch (error) {
      if (codeOf(error) !== LOCK_NOT_AVAILABLE) throw error;
      log?.warn(
        { partition: name },
        'a partition is dropped another time, as its table is in use: by a dump, or a transaction that is open for long',
      );
      break;
    }
    dropped.push(name);
  }
  return dropped;
}
