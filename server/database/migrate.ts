import { type Kysely, type MigrationInfo, Migrator } from 'kysely';
import { migrations } from '../../migrations/index.ts';
import type { Log } from './connection.ts';
import type { Database } from './tables.ts';

const migratorOf = (db: Kysely<Database>) =>
  new Migrator({ db, provider: { getMigrations: () => Promise.resolve(migrations) } });

/**
 * Brings the schema up to date. Several processes may call it at once: Kysely takes a lock in the database, and
 * all pending migrations are one transaction.
 *
 * @throws with the failed migration's name, the database's error as `cause`.
 */
export async function migrate(db: Kysely<Database>, log: Log): Promise<void> {
  const { error, results = [] } = await migratorOf(db).migrateToLatest();
  for (const { migrationName, status } of results) {
    if (status === 'Success' && error === undefined)
      log.info({ migration: migrationName }, 'migrated the database');
  }
  if (error === undefined) return;
  const failed = results.find(({ status }) => status === 'Error')?.migrationName;
  const reason = error instanceof Error ? error.message : String(error);
  throw new Error(
    failed ? `Migration ${failed} failed: ${reason}` : `Migrating the database failed: ${reason}`,
    {
      cause: error,
    },
  );
}

/** Names of the migrations that the database lacks; one or two small statements, for /readyz. */
export async function pendingMigrations(db: Kysely<Database>): Promise<string[]> {
  const all: readonly MigrationInfo[] = await migratorOf(db).getMigrations();
  return all.filter(({ executedAt }) => executedAt === undefined).map(({ name }) => name);
}
