import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from 'pino';
import { addressOf } from '../database/address.ts';
import { RoutedClient, type RoutedClientConfig } from '../database/client.ts';
import { isUnreachable } from '../database/errors.ts';
import { untilAborted } from '../shared/until-aborted.ts';

interface Options {
  readonly databaseUrl: string;
  readonly log: Logger;
  /** Maximum number of connections. */
  readonly max: number;
}

/** The queue's own connection pool, with pg-boss's interface. */
export interface QueueDatabase {
  executeSql(text: string, values: unknown[]): Promise<{ rows: unknown[] }>;
  /** From now on statements do not wait for an unreachable database, and in `patience` milliseconds for no answer. */
  hurry(patience: number): void;
  close(): Promise<void>;
}

/** Milliseconds between two attempts. */
const AGAIN_AFTER = 1000;
/** Timeout for connecting, in milliseconds. */
const CONNECT_WITHIN = 10_000;
const ANSWER_WITHIN = 60_000;
/**
 * Milliseconds after which an unused connection is closed: longer than polls and maintenance are apart, as in a new one
 * PostgreSQL reads the catalog of every queue's table anew.
 */
const IDLE = 120_000;
/** Milliseconds of silence after which an unused connection is probed, as networks forget those that are silent. */
const PROBED_AFTER = 30_000;
/** Seconds after which a connection is renewed. */
const LIFETIME = 3600;

/**
 * Opens a pool whose statements are retried until the database is reachable again. pg-boss does not await the
 * statements that complete a job: a failure would end the process with an unhandled rejection and leave the job active
 * until its timeout. All its statements are safe to repeat.
 */
export function openQueueDatabase({ databaseUrl, log, max }: Options): QueueDatabase {
  const options: pg.PoolConfig & RoutedClientConfig = {
    address: addressOf(databaseUrl),
    Client: RoutedClient,
    application_name: 'castellan jobs',
    max,
    min: 1,
    idleTimeoutMillis: IDLE,
    maxLifetimeSeconds: LIFETIME,
    keepAlive: true,
    keepAliveInitialDelayMillis: PROBED_AFTER,
    connectionTimeoutMillis: CONNECT_WITHIN,
    query_timeout: ANSWER_WITHIN,
  };
  const pool = new pg.Pool(options);
  pool.on('error', (error) => log.warn({ err: error }, 'a connection of the job queue was lost'));
  const hurried = new AbortController();
  const givenUp = new AbortController();
  // Every waiting statement adds a listener.
  setMaxListeners(0, hurried.signal, givenUp.signal);
  let gone = false;
  return {
    async executeSql(text, values) {
      while (!givenUp.signal.aborted) {
        try {
          const answer = await untilAborted(pool.query(text, values), givenUp.signal);
          gone = false;
          return answer;
        } catch (error) {
          if (!isUnreachable(error) && error !== givenUp.signal.reason) throw error;
          if (hurried.signal.aborted) break;
          if (!gone) log.error({ err: error }, 'the job queue waits for the database');
          gone = true;
          await sleep(AGAIN_AFTER, undefined, { signal: hurried.signal }).catch(() => undefined);
        }
      }
      // pg-boss returns the same after its own stop; another worker will fetch the job.
      return undefined as never;
    },
    hurry(patience) {
      hurried.abort();
      setTimeout(() => givenUp.abort(), patience).unref();
    },
    // The pool waits for its statements.
    close: () => untilAborted(pool.end(), givenUp.signal).catch(() => undefined),
  };
}
