import { setMaxListeners } from 'node:events';
import type { Kysely } from 'kysely';
import PgBoss from 'pg-boss';
import type { Logger } from 'pino';
import type { Database } from '../database/tables.ts';
import { traceContext } from '../tracing/tracing.ts';
import type { JobName, Payload, RunOptions } from './job-catalogue.ts';
import { completeRun, executorOn, findWaitingRun, setUp } from './pgboss.queries.ts';
import { openQueueDatabase } from './queue-database.ts';
import { type Handling, startWork, type Work } from './work.ts';

export interface Queue {
  /** Enqueues a job in the caller's transaction: it exists only if that commits. */
  send<Name extends JobName>(
    db: Kysely<Database>,
    name: Name,
    payload: Payload<Name>,
    options?: SendOptions,
  ): Promise<void>;
  /** Enqueues several jobs by one statement in the caller's transaction. */
  sendAll<Name extends JobName>(
    db: Kysely<Database>,
    name: Name,
    payloads: readonly Payload<Name>[],
  ): Promise<void>;
  /**
   * Enqueues a run of a scheduled job unless one is waiting, which gets the options of this one that are set. Returns
   * the id of the waiting run.
   */
  run(db: Kysely<Database>, name: JobName, options?: Partial<RunOptions>): Promise<string>;
  /** Completes an active job in the caller's transaction; false when it is not active any more. */
  finish(db: Kysely<Database>, name: JobName, id: string): Promise<boolean>;
  /** Starts processing all queues, each job as soon as it is due. */
  work(handle: Handling['handle'], around?: Handling['around']): void;
  /** Aborted when the process stops: runs should end at a point where they can be continued. */
  readonly stopping: AbortSignal;
  /** For tests only. */
  readonly boss: PgBoss;
  stop(): Promise<void>;
}

interface SendOptions {
  /** Delay in seconds, by the database's clock, as the process's clock may differ. */
  readonly startIn?: number;
  /** Jobs with higher priority are fetched first; default 0. */
  readonly priority?: number;
}

interface QueueOptions {
  readonly databaseUrl: string;
  readonly log: Logger;
  /** Whether this process runs jobs; it then also maintains the queue. */
  readonly worker: boolean;
}

/** Milliseconds for which a stop waits for active jobs. */
const STOP_WITHIN = 6_000;
/** The same for statements, such as those that store the ends of jobs. */
const STORED_WITHIN = 7_000;
/** Seconds between two checks for runs whose worker died. */
const LOOK_FOR_LOST = 30;
/** Seconds for which pg-boss leaves a failed job where the doctor and the metrics count those of a day; else 12 hours. */
const FAILED_KEPT = 2 * 86_400;
/** Maximum attempts to find or create a waiting run while other runs begin. */
const TRIES = 10;

/** Opens the queue, with its tables, and one queue for each job of the catalogue. */
export async function openQueue({ databaseUrl, log, worker }: QueueOptions): Promise<Queue> {
  const database = openQueueDatabase({ databaseUrl, log, max: worker ? 6 : 2 });
  const boss = new PgBoss({
    db: database,
    supervise: worker,
    schedule: false,
    maintenanceIntervalSeconds: LOOK_FOR_LOST,
    archiveFailedAfterSeconds: FAILED_KEPT,
  });
  boss.on('error', (error) => log.error({ err: error }, 'the job queue reports an error'));
  try {
    await setUp(boss, databaseUrl, worker);
  } catch (error) {
    await boss.stop({ graceful: false });
    await database.close();
    throw error;
  }
  let work: Work | undefined;
  const stopping = new AbortController();
  // Every active run adds a listener.
  setMaxListeners(0, stopping.signal);
  return {
    boss,
    stopping: stopping.signal,
    async send(db, name, payload, { startIn = 0, ...options } = {}) {
      const id = await boss.send(
        name,
        { ...payload, ...traceContext() },
        {
          db: executorOn(db),
          startAfter: startIn,
          ...options,
        },
      );
      // pg-boss returns null without an error when the queue does not exist.
      if (id === null) throw new Error(`the job ${name} could not be enqueued`);
    },
    async sendAll(db, name, payloads) {
      if (payloads.length === 0) return;
      const trace = traceContext();
      const jobs = payloads.map((payload) => ({ name, data: { ...payload, ...trace } }));
      await boss.insert(jobs, { db: executorOn(db) });
    },
    async run(db, name, options = {}) {
      // The waiting run may begin between the two statements; then a new one can be enqueued.
      for (let tries = 0; tries < TRIES; tries += 1) {
        const sent = await boss.send(name, { ...options, ...traceContext() }, { db: executorOn(db) });
        const id = sent ?? (await findWaitingRun(db, name, options));
        if (id !== undefined) return id;
      }
      throw new Error(`the job ${name} could not be enqueued`);
    },
    finish: completeRun,
    work(handle, around) {
      work ??= startWork({ boss, database, databaseUrl, log, handle, ...(around && { around }) });
    },
    async stop() {
      stopping.abort();
      database.hurry(STORED_WITHIN);
      await work?.stop(STOP_WITHIN);
      await boss.stop({ graceful: false });
      await database.close();
    },
  };
}
