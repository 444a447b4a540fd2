import { setTimeout as sleep } from 'node:timers/promises';
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import type { Logger } from 'pino';
import { addressOf } from './address.ts';
import { RoutedClient } from './client.ts';
import { NamingClient, type NamingClientConfig } from './statements.ts';
import type { Database } from './tables.ts';
import { Watch } from './watch.ts';

/** The part of the logger that the database layer uses. */
export type Log = Pick<Logger, 'info' | 'warn' | 'error'>;

export interface ConnectionConfig {
  /** A PostgreSQL URL; its query may override the defaults below (`?statement_timeout=…`). */
  readonly url: string;
  readonly log: Log;
  /** Most connections at a time. */
  readonly poolSize?: number;
  /** Milliseconds that a statement's answer is waited for, 35 s when absent; 0: for ever. */
  readonly answerWithin?: number;
  /** Whether to notice when the server, unless behind a pooler, keeps silent, and to refuse what is asked meanwhile. */
  readonly watched?: boolean;
  /** Shown in `pg_stat_activity`. */
  readonly applicationName?: string;
  /** Called with the text of every statement, `begin` and `commit` included. */
  readonly onStatement?: (sql: string) => void;
  /** Told of every statement, and sends it: to measure what it takes. */
  readonly around?: NamingClientConfig['around'];
}

export interface Connection {
  readonly db: Kysely<Database>;
  readonly pool: pg.Pool;
  /** Waits for running statements, though not for ever, then closes every connection. */
  close(): Promise<void>;
}

const SECOND = 1000;
/** Milliseconds that closing waits for statements. */
const CLOSED_WITHIN = 2 * SECOND;

/**
 * Opens a pool (lazily: the first statement connects). A statement may run 30 s, an answer (even that it ran too
 * long) is waited for 35 s, a transaction may idle 30 s, a free connection is waited for 5 s; {@link isUnreachable}
 * recognises what the waiting ends in.
 */
export function connect(config: ConnectionConfig): Connection {
  const address = addressOf(config.url);
  // A pooler whose connections are all at work keeps silent, too, and nothing is wrong then.
  const pooled = address.bare || !address.prepares;
  const watch = config.watched && !pooled ? watchOver(config) : undefined;
  const options: pg.PoolConfig & NamingClientConfig = {
    address,
    ...(!address.prepares && { namedStatements: 0 }),
    ...(watch && { watch }),
    application_name: config.applicationName ?? 'castellan',
    max: config.poolSize ?? 10,
    connectionTimeoutMillis: 5 * SECOND,
    idleTimeoutMillis: 60 * SECOND,
    // Renewed now and then, so that a changed address or a connection full of odd statements does not last.
    maxLifetimeSeconds: 3600,
    statement_timeout: 30 * SECOND,
    // A network that swallows everything would otherwise be noticed by the kernel alone, after a quarter of an hour.
    query_timeout: config.answerWithin ?? 35 * SECOND,
    idle_in_transaction_session_timeout: 30 * SECOND,
    keepAlive: true,
    types: columnTypes,
    Client: NamingClient,
    ...(config.onStatement && { onStatement: config.onStatement }),
    ...(config.around && { around: config.around }),
  };
  const pool = new pg.Pool(options);
  // Without a listener an idle connection's loss would end the process.
  pool.on('error', (error) => config.log.warn({ err: error }, 'a database connection was lost'));
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool }) });
  const end = async () => {
    watch?.close();
    await db.destroy();
    // Kysely leaves a pool alone that it never used.
    if (!pool.ending) await pool.end();
  };
  // A statement that waits for another one's lock would hold up the end of the process.
  const close = () => Promise.race([end(), sleep(CLOSED_WITHIN, undefined, { ref: false })]);
  return { db, pool, close };
}

function watchOver({ url, log }: ConnectionConfig): Watch {
  const open = () => new RoutedClient({ address: addressOf(url), application_name: 'castellan watch' });
  return new Watch({ log, open });
}

const { INT8 } = pg.types.builtins;
/** pg's list of types leaves the arrays out. */
const INT8_ARRAY = 1016 as typeof pg.types.builtins.INT8;

const parseInt8Array = pg.types.getTypeParser(INT8_ARRAY) as (text: string) => (string | null)[];

/** Ids are JSON numbers (D3b: at most 2^53−1), so int8 is read as Number; the rest is pg's own reading. */
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
