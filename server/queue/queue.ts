import { setMaxListeners } from 'node:events';
import type { Kysely } from 'kysely';
import PgBoss from 'pg-boss';
import type { Logger } from 'pino';
import type { Database } from '../database/tables.ts';
import { traceContext } from '../tracing/tracing.ts';
import { type JobName, type Payload, type ScheduledRun, scheduledJobs } from './catalogue.ts';
import { completeRun, executorOn, findWaitingRun, setUp } from './pgboss.queries.ts';
import { openQueueDatabase } from './queue-database.ts';
import type { Schedules } from './schedule.ts';
import { type Job, startWork, type Work } from './work.ts';

export interface Queue {
  /** Enqueues a job in the caller's transaction: kept with it, or gone with it. */
  send<Name extends JobName>(
    db: Kysely<Database>,
    name: Name,
    payload: Payload<Name>,
    options?: SendOptions,
  ): Promise<void>;
  /** Enqueues as many jobs in one statement, in the caller's transaction. */
  sendAll<Name extends JobName>(
    db: Kysely<Database>,
    name: Name,
    payloads: readonly Payload<Name>[],
  ): Promise<void>;
  /**
   * Enqueues a run of a scheduled job, unless one is waiting, which may from now on what this one may (D63); returns
   * the id of the run that waits.
   */
  run(db: Kysely<Database>, name: JobName, payload: Readonly<ScheduledRun>): Promise<string>;
  /** Counts a job at work as done in the caller's transaction; false: it is not at work any more. */
  finish(db: Kysely<Database>, name: JobName, id: string): Promise<boolean>;
  /** Takes the jobs of all queues from now on, each as soon as it is due; one whose handling throws fails. */
  work(handle: (name: JobName, job: Job) => Promise<void>): void;
  /** Aborted when the process stops: runs end where they can go on later. */
  readonly stopping: AbortSignal;
  /** For tests alone. */
  readonly boss: PgBoss;
  stop(): Promise<void>;
}

interface SendOptions {
  /** Seconds to wait, by the database's clock: the process may be before or behind it. */
  readonly startIn?: number;
  /** Higher ones are fetched first; 0 when absent. */
  readonly priority?: number;
}

interface QueueOptions {
  readonly databaseUrl: string;
  readonly log: Logger;
  /** Whether this process also runs jobs, and so keeps the queue tidy. */
  readonly worker: boolean;
  readonly schedules: Schedules;
}

/** Milliseconds that a stop waits for jobs at work. */
const STOP_WITHIN = 6_000;
/** Seconds between two looks for runs whose worker died. */
const LOOK_FOR_LOST = 30;
/** Looks at a queue whose waiting run begins whenever it is looked for. */
const TRIES = 10;

/** Opens the queue, with its tables, one queue for each job of the catalogue, and the schedules. */
export async function openQueue({ databaseUrl, log, worker, schedules }: QueueOptions): Promise<Queue> {
  const database = openQueueDatabase({ databaseUrl, log, max: worker ? 6 : 2 });
  const boss = new PgBoss({
    db: database,
    supervise: worker,
    schedule: worker,
    maintenanceIntervalSeconds: LOOK_FOR_LOST,
  });
  boss.on('error', (error) => log.error({ err: error }, 'the job queue reports an error'));
  try {
    await setUp(boss, databaseUrl);
    if (worker) await setSchedules(boss, schedules);
  } catch (error) {
    await boss.stop({ graceful: false });
    await database.close();
    throw error;
  }
  let work: Work | undefined;
  const stopping = new AbortController();
  // Every run at work listens.
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
      // pg-boss answers null, silently, when the queue does not exist.
      if (id === null) throw new Error(`the job ${name} could not be enqueued`);
    },
    async sendAll(db, name, payloads) {
      if (payloads.length === 0) return;
      const trace = traceContext();
      const jobs = payloads.map((payload) => ({ name, data: { ...payload, ...trace } }));
      await boss.insert(jobs, { db: executorOn(db) });
    },
    async run(db, name, payload) {
      // The run that waits may begin between the two looks: then there is room for another one.
      for (let tries = 0; tries < TRIES; tries += 1) {
        const sent = await boss.send(name, { ...payload, ...traceContext() }, { db: executorOn(db) });
        const id = sent ?? (await findWaitingRun(db, name, payload));
        if (id !== undefined) return id;
      }
      throw new Error(`the job ${name} could not be enqueued`);
    },
    finish: completeRun,
    work(handle) {
      work ??= startWork({ boss, database, databaseUrl, log, handle });
    },
    async stop() {
      stopping.abort();
      database.hurry();
      await work?.stop(STOP_WITHIN);
      await boss.stop({ graceful: false });
      await database.close();
    },
  };
}

/** Schedules of jobs that are no more in the catalogue end. */
async function setSchedules(boss: PgBoss, { cron, timeZone }: Schedules): Promise<void> {
  for (const { name } of await boss.getSchedules()) {
    if (!(scheduledJobs as readonly string[]).includes(name)) await boss.unschedule(name);
  }
  for (const [name, expression] of cron) await boss.schedule(name, expression, {}, { tz: timeZone });
}
