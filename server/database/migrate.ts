import { isDeepStrictEqual } from 'node:util';
import {
  DEFAULT_MIGRATION_LOCK_TABLE,
  type Kysely,
  MIGRATION_LOCK_ID,
  type Migration,
  Migrator,
  sql,
} from 'kysely';
import { migrations as ours } from '../../migrations/index.ts';
import { applyFunctions } from './apply-functions.ts';
import type { Log } from './connection.ts';
import { codeOf, isUndone } from './errors.ts';
import { type FunctionSet, functions as ourFunctions } from './functions/index.ts';
import type { Database } from './tables.ts';

const UNDEFINED_TABLE = '42P01';
/** How often migrations are tried that deadlocks undo. */
const TRIES = 5;

/** The migrations and functions of a schema. */
interface Schema {
  readonly migrations: Readonly<Record<string, Migration>>;
  readonly functions: FunctionSet;
}

/**
 * Brings the schema up to date: all pending migrations in one transaction, then the functions that differ. Several
 * processes may call it concurrently: Kysely's lock in the database lets them run one after the other.
 *
 * @throws with the failed migration's or function's name, the database's error as `cause`
 */
export async function migrate(
  db: Kysely<Database>,
  log: Log,
  { migrations, functions }: Schema = { migrations: ours, functions: ourFunctions },
): Promise<void> {
  await db.connection().execute(async (connection) => {
    // No timeout: it may have to wait for another process's migration, or build a large index.
    await sql`set statement_timeout = 0`.execute(connection);
    try {
      await underLock(connection, async () => {
        // At most starts: the migrator asks the whole catalog for its own two tables, several times.
        if (!(await isUpToDate(connection, migrations))) await migrateUp(connection, migrations, log);
        await applyFunctions(connection, functions, log);
      });
    } finally {
      await sql`reset statement_timeout`.execute(connection);
    }
  });
}

/** Runs `work` while holding the lock of Kysely's migrator, which can take the lock again on the same connection. */
async function underLock(connection: Kysely<Database>, work: () => Promise<void>): Promise<void> {
  const { adapter } = connection.getExecutor();
  const lock = { lockTable: DEFAULT_MIGRATION_LOCK_TABLE, lockRowId: MIGRATION_LOCK_ID };
  await adapter.acquireMigrationLock(connection, lock);
  try {
    await work();
  } finally {
    await adapter.releaseMigrationLock(connection, lock);
  }
}

/** Whether just these migrations were executed; the migrator says what is wrong where others were, too. */
async function isUpToDate(db: Kysely<Database>, migrations: Schema['migrations']): Promise<boolean> {
  return isDeepStrictEqual(new Set(await executedMigrations(db)), new Set(Object.keys(migrations)));
}

async function migrateUp(
  connection: Kysely<Database>,
  migrations: Schema['migrations'],
  log: Log,
): Promise<void> {
  const provider = { getMigrations: () => Promise.resolve({ ...migrations }) };
  let outcome = await new Migrator({ db: connection, provider }).migrateToLatest();
  // Processes of the release before go on writing, and may lock the same tables in another order.
  for (let tries = 1; tries < TRIES && isUndone(outcome.error); tries += 1) {
    log.warn({ err: outcome.error }, 'a migration was undone for others, and begins again');
    outcome = await new Migrator({ db: connection, provider }).migrateToLatest();
  }
  const { error, results = [] } = outcome;
  if (error === undefined) {
    for (const { migrationName } of results) log.info({ migration: migrationName }, 'migrated the database');
    return;
  }
  const failed = results.find(({ status }) => status === 'Error')?.migrationName;
  const what = failed ? `Migration ${failed}` : 'Migrating the database';
  throw new Error(`${what} failed: ${error instanceof Error ? error.message : error}`, { cause: error });
}

/** Names of the pending migrations, for /readyz: one cheap statement. */
export async function pendingMigrations(db: Kysely<Database>): Promise<string[]> {
  const done = new Set(await executedMigrations(db));
  return Object.keys(ours).filter((name) => !done.has(name));
}

async function executedMigrations(db: Kysely<Database>): Promise<string[]> {
  try {
    const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db);
    return rows.map(({ name }) => name);
  } catch (error) {
    if (codeOf(error) === UNDEFINED_TABLE) return [];
    throw error;
  }
}
