import { setTimeout as sleep } from 'node:timers/promises';
import { type Kysely, type Migration, sql, type Transaction } from 'kysely';
import { migrations as ours } from '../../migrations/index.ts';
import { CannotStart } from '../shared/cannot-start.ts';
import { applyFunctions } from './apply-functions.ts';
import type { Log } from './connection.ts';
import { codeOf, isUndone } from './errors.ts';
import { type FunctionSet, functions as ourFunctions } from './functions/index.ts';
import type { Database } from './tables.ts';

const UNDEFINED_TABLE = '42P01';
const LOCK_NOT_AVAILABLE = '55P03';
/** How often migrations are tried that deadlocks undo. */
const TRIES = 5;
/** Advisory lock of Kysely's migrator, which former releases used: their processes exclude ours. */
const LOCK = sql.lit('3853314791062309107');
/** Milliseconds between two attempts to get the lock, and after which waiting for it is logged. */
const AGAIN_AFTER = 100;
const PATIENCE = 2_000;
/** Milliseconds after which migrations are tried again that had to wait for a lock: meanwhile others get it. */
const ONCE_MORE_AFTER = 10_000;

/** The migrations and functions of a schema; ours by default. */
interface Schema {
  readonly migrations: Readonly<Record<string, Migration>>;
  readonly functions: FunctionSet;
}

interface Options extends Partial<Schema> {
  /** Aborted when nothing is to be migrated any more, though it may be this process's turn. */
  readonly stopping?: AbortSignal;
}

/**
 * Brings the schema up to date: all pending migrations in one transaction, then the functions that differ in another,
 * as they may use what becomes usable by a commit. Several processes may call it concurrently: a lock in the database
 * lets them run one after the other.
 *
 * @throws the reason of `stopping`; CannotStart when the schema is of a later release; else with the failed migration's
 * or function's name, the database's error as `cause`
 */
export async function migrate(
  db: Kysely<Database>,
  log: Log,
  { migrations = ours, functions = ourFunctions, stopping }: Options = {},
): Promise<void> {
  const migrated = await again(log, () => alone(db, log, stopping, (tx) => migrateUp(tx, migrations)));
  for (const migration of migrated) log.info({ migration }, 'migrated the database');
  const applied = await again(log, () => alone(db, log, stopping, (tx) => applyFunctions(tx, functions)));
  for (const name of applied) log.info({ function: name }, 'applied a database function');
}

/**
 * Repeats migrations that were undone. Processes of the previous release go on writing, and may lock the same tables in
 * another order (a deadlock); a dump locks all tables until it ends, so it has to be waited for.
 */
async function again<T>(log: Log, work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
      if (codeOf(cause) === LOCK_NOT_AVAILABLE) {
        tries = 0;
        log.warn(
          { err: error },
          'a migration waits for a table that is in use, by a dump or a transaction that is open for long; it tries again',
        );
        await sleep(ONCE_MORE_AFTER);
      } else {
        if (!isUndone(cause) || tries === TRIES) throw error;
        log.warn({ err: error }, 'a migration was undone for others, and begins again');
      }
    }
  }
}

/**
 * Runs `work` in a transaction that has the lock. Lock and setting are the transaction's, as a pooler gives the next
 * statement of a session to any connection; and the lock is tried without blocking, which would keep one busy.
 */
async function alone<T>(
  db: Kysely<Database>,
  log: Log,
  stopping: AbortSignal | undefined,
  work: (tx: Transaction<Database>) => Promise<T>,
): Promise<T> {
  const tellAt = performance.now() + PATIENCE;
  for (let told = false; ; ) {
    const done = await db.transaction().execute(async (tx) => {
      // It may build a large index.
      await sql`set local statement_timeout = 0`.execute(tx);
      // Whoever uses a table queues behind a lock that is waited for.
      await sql`set local lock_timeout = '5s'`.execute(tx);
      const { rows } = await sql<{ first: boolean }>`
        select pg_try_advisory_xact_lock(${LOCK}) as first`.execute(tx);
      stopping?.throwIfAborted();
      return rows[0]?.first === true ? { result: await work(tx) } : undefined;
    });
    if (done !== undefined) return done.result;
    if (!told && performance.now() > tellAt) {
      told = true;
      log.warn('another process migrates the database; waiting for it');
    }
    await sleep(AGAIN_AFTER);
  }
}

/** Runs the pending migrations; returns their names. */
async function migrateUp(
  tx: Transaction<Database>,
  migrations: Schema['migrations'],
): Promise<readonly string[]> {
  const executed = await readExecuted(tx);
  const unknown = executed.filter((name) => !(name in migrations));
  if (unknown.length > 0) {
    throw new CannotStart(
      `The database is of a later release of castellan: it has the migration ${unknown[0]}, which this release does ` +
        'not know. Start that release, or restore a backup from before it (docs/deploying.md).',
    );
  }
  const done = new Set(executed);
  const pending = Object.keys(migrations)
    .filter((name) => !done.has(name))
    .sort();
  for (const name of pending) {
    try {
      await migrations[name]?.up(tx);
    } catch (error) {
      throw new Error(`Migration ${name} failed: ${(error as Error).message}`, { cause: error });
    }
    await sql`insert into kysely_migration values (${name}, ${new Date().toISOString()})`.execute(tx);
  }
  return pending;
}

/** Reads what was executed; creates the table for that, as Kysely's migrator does, in an empty database. */
async function readExecuted(tx: Transaction<Database>): Promise<readonly string[]> {
  await sql`savepoint before_reading`.execute(tx);
  const executed = await executedMigrations(tx);
  if (executed.length > 0) return executed;
  await sql`rollback to savepoint before_reading`.execute(tx);
  await sql`create table if not exists kysely_migration (
    name varchar(255) primary key, timestamp varchar(255) not null)`.execute(tx);
  return [];
}

/** Names of the pending migrations, for /readyz: one cheap statement. */
export async function pendingMigrations(db: Kysely<Database>): Promise<string[]> {
  const done = new Set(await executedMigrations(db));
  return Object.keys(ours).filter((name) => !done.has(name));
}

/** Names of executed migrations that this release does not know, as a later one executed them. */
export async function laterMigrations(db: Kysely<Database>): Promise<string[]> {
  return (await executedMigrations(db)).filter((name) => !(name in ours));
}

/** Whether a release has made its tables. */
export async function isMigrated(db: Kysely<Database>): Promise<boolean> {
  return (await executedMigrations(db)).length > 0;
}

async function executedMigrations(db: Kysely<Database>): Promise<string[]> {
  try {
    const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db);
    return rows.map(({ name }) => name);
  } catch (error) {
    if (codeOf(error) === UNDEFINED_TABLE) return [];
    throw error;
  }
}
