import type { Logger } from 'pino';

/** Access to the jobs of one queue. */
interface Source<Job> {
  /** Milliseconds until the start time of the next delayed job; undefined when there is none. */
  nextIn(): Promise<number | undefined>;
  /** Fetches up to `most` jobs that are due. */
  take(most: number): Promise<readonly Job[]>;
  /** Runs a job and marks it completed or failed; never throws. */
  work(job: Job): Promise<void>;
}

interface Options {
  readonly log: Logger;
  /** Maximum number of concurrent jobs. */
  readonly concurrency: number;
  /** Polling interval in milliseconds, for when no notification comes. */
  pollEvery(): number;
}

export interface Puller {
  /** Notifies that there may be a job. */
  wake(): void;
  /** Stops fetching; resolves when the active jobs have ended. */
  stop(): Promise<void>;
}

/** Maximum number of jobs fetched by one statement. */
const MOST = 64;
/** Part of the interval over which polls are spread, so that those of all queues do not open connections at once. */
const SPREAD = 0.25;

/**
 * Fetches jobs of a queue as soon as they are due and below the concurrency limit; a slow job does not delay others.
 */
export function pull<Job>(source: Source<Job>, { log, concurrency, pollEvery }: Options): Puller {
  const atWork = new Set<Promise<void>>();
  let looked: Promise<void> | undefined;
  let looking = false;
  let wanted = false;
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;

  const wake = () => {
    wanted = true;
    if (!looking) looked = look();
  };

  async function look(): Promise<void> {
    looking = true;
    let next: number | undefined;
    try {
      // A notification at the concurrency limit is kept in `wanted` and handled when a job ends.
      while (wanted && !stopped && atWork.size < concurrency) {
        wanted = false;
        // Read before fetching; otherwise a job that becomes due in between would be missed.
        next = await source.nextIn();
        const most = Math.min(MOST, concurrency - atWork.size);
        const jobs = await source.take(most);
        for (const job of jobs) begin(job);
        wanted ||= jobs.length === most;
      }
    } catch (error) {
      log.error({ err: error }, 'jobs could not be fetched from the queue');
    }
    looking = false;
    clearTimeout(timer);
    const poll = pollEvery() * (1 - SPREAD * Math.random());
    if (!stopped) timer = setTimeout(wake, Math.min(next ?? Infinity, poll));
  }

  function begin(job: Job): void {
    const working = source.work(job).finally(() => {
      atWork.delete(working);
      if (atWork.size === concurrency - 1) wake();
    });
    atWork.add(working);
  }

  return {
    wake,
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await looked;
      await Promise.all(atWork);
    },
  };
}
