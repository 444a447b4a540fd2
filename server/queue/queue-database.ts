import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from 'pino';
import { addressOf } from '../database/address.ts';
import { RoutedClient, type RoutedClientConfig } from '../database/client.ts';
import { isUnreachable } from '../database/errors.ts';

interface Options {
  readonly databaseUrl: string;
  readonly log: Logger;
  /** Connections at the most. */
  readonly max: number;
}

/** The queue's own connections, as pg-boss wants them. */
export interface QueueDatabase {
  executeSql(text: string, values: unknown[]): Promise<{ rows: unknown[] }>;
  /** From now on nothing waits for a database that is gone. */
  hurry(): void;
  close(): Promise<void>;
}

/** Milliseconds between two tries. */
const AGAIN_AFTER = 1000;
/** Milliseconds after which a database that keeps silent counts as gone. */
const CONNECT_WITHIN = 10_000;
const ANSWER_WITHIN = 60_000;

/**
 * Opens connections on which statements wait for a database that is gone to come back. For pg-boss does not wait
 * for those by which it ends a job: one that failed would end the process, and leave the job at work until its time
 * limit. All its statements may be made twice.
 */
export function openQueueDatabase({ databaseUrl, log, max }: Options): QueueDatabase {
  const options: pg.PoolConfig & RoutedClientConfig = {
    address: addressOf(databaseUrl),
    Client: RoutedClient,
    application_name: 'castellan jobs',
    max,
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_WITHIN,
    query_timeout: ANSWER_WITHIN,
  };
  const pool = new pg.Pool(options);
  pool.on('error', (error) => log.warn({ err: error }, 'a connection of the job queue was lost'));
  const hurried = new AbortController();
  // Every statement that waits listens.
  setMaxListeners(0, hurried.signal);
  let gone = false;
  return {
    async executeSql(text, values) {
      for (;;) {
        try {
          const answer = await pool.query(text, values);
          gone = false;
          return answer;
        } catch (error) {
          if (!isUnreachable(error)) throw error;
          // What pg-boss itself gives to those who come after its end; another worker finds the job.
          if (hurried.signal.aborted) return undefined as never;
          if (!gone) log.error({ err: error }, 'the job queue waits for the database');
          gone = true;
          await sleep(AGAIN_AFTER, undefined, { signal: hurried.signal }).catch(() => undefined);
        }
      }
    },
    hurry: () => hurried.abort(),
    close: () => pool.end(),
  };
}
