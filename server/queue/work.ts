import { setTimeout as sleep } from 'node:timers/promises';
import type PgBoss from 'pg-boss';
import type { Logger } from 'pino';
import { subscribe } from '../database/notifications.ts';
import { waitAtMost } from '../shared/wait-at-most.ts';
import { catalogue, isScheduled, type JobName } from './job-catalogue.ts';
import { giveTryBack, JOBS_CHANNEL, nextRunIn, notifyWorkers, takeOverRetry } from './pgboss.queries.ts';
import { type Puller, pull } from './pull.ts';
import type { QueueDatabase } from './queue-database.ts';

/** A job that was fetched from its queue. */
export type Job = PgBoss.JobWithMetadata<object>;

export interface Handling {
  /** Runs a job. If it throws, or takes longer than its time, the job has failed, and is retried or given up. */
  handle(name: JobName, job: Job): Promise<void>;
  /** Called with the run, which throws where the job has failed: by its handler, or because its time is over. */
  around?(name: JobName, job: Job, run: () => Promise<void>): Promise<void>;
}

interface Options extends Handling {
  readonly boss: PgBoss;
  readonly database: QueueDatabase;
  readonly databaseUrl: string;
  readonly log: Logger;
}

export interface Work {
  /** Stops fetching jobs, waits up to `patience` milliseconds for active ones, and leaves the rest to other workers. */
  stop(patience: number): Promise<void>;
}

/** Processes the jobs of all queues, each as soon as it is due. */
export function startWork({
  boss,
  database,
  databaseUrl,
  log,
  handle,
  around = (_name, _job, run) => run(),
}: Options): Work {
  /** Queue names of the active jobs, by job id. */
  const atWork = new Map<string, JobName>();
  let stopping = false;

  async function work(name: JobName, job: Job): Promise<void> {
    atWork.set(job.id, name);
    const run = () => inTime(Number(job.expireInSeconds), handle(name, job));
    const done = await around(name, job, run).then(
      () => true,
      () => false,
    );
    // The stop may have ended it already.
    if (atWork.delete(job.id)) await end(name, job.id, done);
  }

  async function end(name: JobName, id: string, done: boolean): Promise<void> {
    try {
      // Otherwise as many stops as it has tries, such as those of a rolling restart, would give it up.
      if (!done && stopping) await giveTryBack(database, name, id);
      if (!done && isScheduled(name)) await takeOverRetry(database, name, id);
      // The error is not stored in the queue, because it may contain secrets.
      await (done ? boss.complete(name, id) : boss.fail(name, id, { message: 'failed; the log says why' }));
    } catch (error) {
      log.error(
        { err: error, job: name, run_id: id },
        'the end of a job could not be stored: it will run again',
      );
    }
  }

  const pullers = new Map<string, Puller>();
  const subscription = subscribe({
    databaseUrl,
    log,
    channel: JOBS_CHANNEL,
    applicationName: 'castellan jobs',
    warning: 'the job queue is not told of jobs and looks by itself',
    notify: (payload) => notifyWorkers(database, payload),
    onNotification(queue) {
      if (queue !== undefined) pullers.get(queue)?.wake();
      else for (const puller of pullers.values()) puller.wake();
    },
  });
  for (const [name, { concurrency }] of Object.entries(catalogue) as [JobName, { concurrency: number }][]) {
    const source = {
      nextIn: () => nextRunIn(database, name),
      take: (most: number) => boss.fetch<object>(name, { batchSize: most, includeMetadata: true }),
      work: (job: Job) => work(name, job),
    };
    const puller = pull(source, { log, concurrency, pollEvery: subscription.pollEvery });
    pullers.set(name, puller);
    puller.wake();
  }

  return {
    async stop(patience) {
      stopping = true;
      subscription.close();
      const stopped = Promise.all([...pullers.values()].map((puller) => puller.stop()));
      await waitAtMost(patience, stopped);
      const left = [...atWork];
      atWork.clear();
      for (const [id, name] of left) {
        log.warn({ job: name, run_id: id }, 'a job did not end before the process: it is tried again');
        await end(name, id, false);
      }
    },
  };
}

/** @throws Error also where the work takes longer than so many seconds, whatever comes of it afterwards */
async function inTime(seconds: number, work: Promise<void>): Promise<void> {
  const decided = new AbortController();
  const late = sleep(seconds * 1000, undefined, { signal: decided.signal }).then(() => {
    throw new Error(`took longer than its ${seconds} s`);
  });
  try {
    await Promise.race([work, late]);
  } finally {
    decided.abort();
  }
}
