import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import type { Logger } from 'pino';
import { waitAtMost } from '../shared/wait-at-most.ts';
import { type Address, addressOf } from './address.ts';
import { RoutedClient } from './client.ts';
import { NamingClient, type NamingClientConfig } from './statements.ts';
import type { Database } from './tables.ts';
import { Watch } from './watch.ts';

/** The part of the logger that the database layer uses. */
export type Log = Pick<Logger, 'info' | 'warn' | 'error'>;

export interface ConnectionConfig {
  /** A PostgreSQL URL; its query parameters override the defaults below (`?statement_timeout=…`). */
  readonly url: string;
  readonly log: Log;
  /** Maximum number of connections. */
  readonly poolSize?: number;
  /** Timeout in milliseconds for a free connection; 5 s by default. */
  readonly connectedWithin?: number;
  /** Timeout in milliseconds for a statement's answer; 35 s by default, 0 for none. */
  readonly answerWithin?: number;
  /** Whether to detect an unresponsive server (not behind a pooler) and to reject statements at once while it is. */
  readonly watched?: boolean;
  /** What the log calls the server; the database by default. */
  readonly server?: 'database' | 'replica';
  /** Shown in `pg_stat_activity`. */
  readonly applicationName?: string;
  /** Called with the text of every statement, `begin` and `commit` included. */
  readonly onStatement?: (sql: string) => void;
  /** Wraps every statement, to measure its duration. */
  readonly around?: NamingClientConfig['around'];
}

export interface Connection {
  readonly db: Kysely<Database>;
  readonly pool: pg.Pool;
  /** Waits for running statements for a limited time, then closes all connections. */
  close(): Promise<void>;
}

const SECOND = 1000;
/** Networks forget connections that are silent for minutes. One that is gone all the same is noticed while it is idle. */
const KEPT_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 30 * SECOND } as const;
/** Milliseconds for which closing waits for running statements. */
const CLOSED_WITHIN = 2 * SECOND;

/**
 * Opens a pool; the first statement connects. Timeouts: 30 s for a statement, 35 s for its answer (more than the
 * former, so that the server's error can arrive), 30 s for an idle transaction, 5 s for a free connection. {@link
 * isUnreachable} recognises the errors of those that mean an unreachable database.
 */
export function connect(config: ConnectionConfig): Connection {
  const address = addressOf(config.url);
  const watch = config.watched ? watchOver(config, address) : undefined;
  const options: pg.PoolConfig & NamingClientConfig = {
    address,
    ...(!address.prepares && { namedStatements: 0 }),
    ...(watch && { watch }),
    application_name: config.applicationName ?? 'castellan',
    max: config.poolSize ?? 10,
    connectionTimeoutMillis: config.connectedWithin ?? 5 * SECOND,
    // Opening one costs PostgreSQL some hundred times a statement.
    min: 1,
    idleTimeoutMillis: 60 * SECOND,
    // Connections are renewed, so that a changed DNS address is noticed and prepared statements do not accumulate.
    maxLifetimeSeconds: 3600,
    statement_timeout: 30 * SECOND,
    // Without this a network that drops packets silently would be noticed only by the kernel, after a quarter of an
    // hour.
    query_timeout: config.answerWithin ?? 35 * SECOND,
    idle_in_transaction_session_timeout: 30 * SECOND,
    ...KEPT_ALIVE,
    types: columnTypes,
    Client: NamingClient,
    ...(config.onStatement && { onStatement: config.onStatement }),
    ...(config.around && { around: config.around }),
  };
  const pool = new pg.Pool(options);
  // Without a listener the loss of an idle connection would end the process.
  pool.on('error', (error) =>
    config.log.warn({ err: error }, `a ${config.server ?? 'database'} connection was lost`),
  );
  pool.on('release', (_error, client) => {
    if (client instanceof RoutedClient && isSpent(client)) client.end().catch(() => undefined);
  });
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool }) });
  const end = async () => {
    watch?.close();
    await db.destroy();
    // Kysely does not end a pool that it never used.
    if (!pool.ending) await pool.end();
  };
  // Limited, because a statement that waits for a lock would delay the end of the process.
  const close = () => waitAtMost(CLOSED_WITHIN, end());
  return { db, pool, close };
}

/**
 * Whether nobody may get this connection any more: its server has changed its role, or its transaction could not be ended,
 * which the next user would commit.
 */
function isSpent(client: RoutedClient): boolean {
  return client.misplaced || (client.getTransactionStatus() ?? 'I') !== 'I';
}

function watchOver({ log, server = 'database' }: ConnectionConfig, address: Address): Watch {
  const open = () => new RoutedClient({ address, application_name: 'castellan watch', ...KEPT_ALIVE });
  // A pooler whose connections are all in use does not answer either, although nothing is wrong. It may be down at the
  // start, and recognised later.
  const spared = () => address.bare || !address.prepares;
  return new Watch({ log, server, open, spared });
}

const { INT8 } = pg.types.builtins;
/** pg's list of type ids has no array types. */
const INT8_ARRAY = 1016 as typeof pg.types.builtins.INT8;

const parseInt8Array = pg.types.getTypeParser(INT8_ARRAY) as (text: string) => (string | null)[];

/** Parses int8 as number, because ids are JSON numbers (D3b: at most 2^53−1); other types as pg does. */
const columnTypes: pg.CustomTypesConfig = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (format !== 'binary') {
      if (oid === INT8) return parseInt8;
      if (oid === INT8_ARRAY) {
        return (text: string) => parseInt8Array(text).map((item) => (item === null ? null : parseInt8(item)));
      }
    }
    return pg.types.getTypeParser(oid, format as 'text');
  },
};

function parseInt8(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`int8 beyond 2^53-1: ${text}`);
  return value;
}
