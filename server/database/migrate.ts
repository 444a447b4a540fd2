import { type Kysely, type Migration, Migrator, sql } from 'kysely';
import { migrations as ours } from '../../migrations/index.ts';
import type { Log } from './connection.ts';
import { codeOf } from './errors.ts';
import type { Database } from './tables.ts';

const UNDEFINED_TABLE = '42P01';

/**
 * Brings the schema up to date. Several processes may call it at once: Kysely takes a lock in the database, and
 * all pending migrations are one transaction.
 *
 * @throws with the failed migration's name, the database's error as `cause`.
 */
export async function migrate(
  db: Kysely<Database>,
  log: Log,
  migrations: Readonly<Record<string, Migration>> = ours,
): Promise<void> {
  const { error, results = [] } = await db.connection().execute(async (connection) => {
    const provider = { getMigrations: () => Promise.resolve({ ...migrations }) };
    // Waiting for another process's migration, or building a large index, may take longer than a request may.
    await sql`set statement_timeout = 0`.execute(connection);
    try {
      return await new Migrator({ db: connection, provider }).migrateToLatest();
    } finally {
      await sql`reset statement_timeout`.execute(connection);
    }
  });
  if (error === undefined) {
    for (const { migrationName } of results) log.info({ migration: migrationName }, 'migrated the database');
    return;
  }
  const failed = results.find(({ status }) => status === 'Error')?.migrationName;
  const reason = error instanceof Error ? error.message : String(error);
  throw new Error(
    failed ? `Migration ${failed} failed: ${reason}` : `Migrating the database failed: ${reason}`,
    {
      cause: error,
    },
  );
}

/** Names of the migrations that the database lacks, for /readyz: one small statement. */
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
