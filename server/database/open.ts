import { type Kysely, sql } from 'kysely';
import { CannotStart } from '../shared/cannot-start.ts';
import { untilAborted } from '../shared/until-aborted.ts';
import { addressOf } from './address.ts';
import { RoutedClient } from './client.ts';
import { type Connection, type ConnectionConfig, connect, type Log } from './connection.ts';
import { isMigrated, migrate } from './migrate.ts';
import type { Database } from './tables.ts';

export interface OpenDatabase extends Connection {
  readonly url: string;
}

export type OpenOptions = Partial<Omit<ConnectionConfig, 'url' | 'log' | 'server'>>;

/**
 * Connects to the database at a URL and migrates it.
 *
 * @param stopping ends it at once, by its reason, whatever it waits for: then nothing is migrated any more
 */
export async function openDatabase(
  url: string,
  log: Log,
  options: OpenOptions = {},
  stopping = new AbortController().signal,
): Promise<OpenDatabase> {
  await untilAborted(learnOfPooler(url, options.connectedWithin), stopping);
  await untilAborted(migrateAtLeisure(url, log, stopping), stopping);
  return { ...connect({ url, log, watched: true, ...options }), url };
}

/** Timeout for the first connection, in milliseconds: a server that keeps silent would never end the wait for it. */
const CONNECT_WITHIN = 10_000;

/** Opens one connection to find out whether a pooler rejects startup settings; later connections then send none. */
export async function learnOfPooler(url: string, connectedWithin = CONNECT_WITHIN): Promise<void> {
  const client = new RoutedClient({
    connectionString: url,
    statement_timeout: 1_000,
    connectionTimeoutMillis: connectedWithin,
  });
  try {
    await client.connect();
  } catch (error) {
    if (!addressOf(url).bare) throw error;
  } finally {
    client.end().catch(() => undefined);
  }
}

/** Migrates on a separate connection without timeouts, because it may have to wait for another process's migration. */
async function migrateAtLeisure(url: string, log: Log, stopping: AbortSignal): Promise<void> {
  const { db, close } = connect({ url, log, poolSize: 1, answerWithin: 0 });
  try {
    await requireServer(db, log);
    await migrate(db, log, { stopping });
  } finally {
    await close();
  }
}

/** The oldest major version of PostgreSQL that the migrations work with. */
export const OLDEST_POSTGRESQL = 15;

/** The encoding that can hold every name and mail. */
export const ENCODING = 'UTF8';

async function requireServer(db: Kysely<Database>, log: Log): Promise<void> {
  const { rows } = await sql<{ major: number; version: string; encoding: string }>`
    select current_setting('server_version_num')::int / 10000 as major,
      current_setting('server_version') as version, current_setting('server_encoding') as encoding`.execute(
    db,
  );
  for (const { major, version, encoding } of rows) {
    if (major < OLDEST_POSTGRESQL) {
      throw new CannotStart(
        `The database is PostgreSQL ${version}; castellan needs ${OLDEST_POSTGRESQL} or newer.`,
      );
    }
    // It stores every name, as bytes.
    if (encoding === 'SQL_ASCII') {
      log.warn(
        { encoding },
        `a search for names with other letters than a to z may miss some: give the database the encoding ${ENCODING}`,
      );
      continue;
    }
    // One that is in use goes on: the doctor says what to do.
    if (encoding !== ENCODING && !(await isMigrated(db))) {
      throw new CannotStart(
        `The encoding of the database is ${encoding}; castellan needs ${ENCODING}: make it anew, by ` +
          `createdb --template template0 --encoding ${ENCODING}.`,
      );
    }
  }
}
