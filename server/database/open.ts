import { type Kysely, sql } from 'kysely';
import { startEmbedded } from '../../dev/postgres/embedded.ts';
import type { Settings } from '../config/settings.ts';
import { CannotStart } from '../shared/cannot-start.ts';
import { type Connection, connect, type Log } from './connection.ts';
import { migrate } from './migrate.ts';
import type { Database } from './tables.ts';

export interface OpenDatabase extends Connection {
  readonly url: string;
}

export interface OpenOptions {
  readonly applicationName?: string;
  readonly poolSize?: number;
  readonly onStatement?: (sql: string) => void;
}

/** The database of the settings, migrated: the one given, or the embedded one under DATA_DIR (D61). */
export async function openDatabase(
  settings: Pick<Settings, 'databaseUrl' | 'dataDir'>,
  log: Log,
  options: OpenOptions = {},
): Promise<OpenDatabase> {
  const embedded =
    settings.databaseUrl === undefined ? await startEmbedded({ dataDir: settings.dataDir, log }) : undefined;
  const url = settings.databaseUrl ?? (embedded?.url as string);
  const connection = connect({ url, log, ...options });
  const close = async () => {
    await connection.close();
    await embedded?.stop();
  };
  try {
    await migrateAtLeisure(url, log);
  } catch (error) {
    await close();
    throw error;
  }
  return { ...connection, url, close };
}

/** On a connection of its own, for it may have to wait for another process's migration. */
async function migrateAtLeisure(url: string, log: Log): Promise<void> {
  const { db, close } = connect({ url, log, poolSize: 1, answerWithin: 0 });
  try {
    await requireVersion(db);
    await migrate(db, log);
  } finally {
    await close();
  }
}

/** The oldest PostgreSQL that knows what the migrations say. */
const OLDEST = 15;

async function requireVersion(db: Kysely<Database>): Promise<void> {
  const { rows } = await sql<{ major: number; version: string }>`
    select current_setting('server_version_num')::int / 10000 as major,
      current_setting('server_version') as version`.execute(db);
  for (const { major, version } of rows) {
    if (major >= OLDEST) continue;
    throw new CannotStart(`The database is PostgreSQL ${version}; castellan needs ${OLDEST} or newer.`);
  }
}
