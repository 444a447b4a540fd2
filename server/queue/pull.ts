import type { Logger } from 'pino';

/** Where the jobs of one queue come from, and what becomes of them. */
interface Source<Job> {
  /** Milliseconds until the next job begins that waits for a time; undefined: none does. */
  nextIn(): Promise<number | undefined>;
  /** Takes so many jobs that are due, at the most. */
  take(most: number): Promise<readonly Job[]>;
  /** Does a job, and counts it as done or failed; throws nothing. */
  work(job: Job): Promise<void>;
}

interface Options {
  readonly log: Logger;
  /** Jobs at work at the same time. */
  readonly concurrency: number;
  /** Milliseconds after which it is looked for jobs though nobody rang. */
  patience(): number;
}

export interface Puller {
  /** There may be a job. */
  ring(): void;
  /** Takes no more jobs; resolves when those at work are done. */
  stop(): Promise<void>;
}

/** Jobs that are taken in one statement. */
const MOST = 64;

/** Takes the jobs of a queue as soon as they are due and as there is room; a slow one holds up no other. */
export function pull<Job>(source: Source<Job>, { log, concurrency, patience }: Options): Puller {
  const atWork = new Set<Promise<void>>();
  let looked: Promise<void> | undefined;
  let looking = false;
  let rung = false;
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;

  const ring = () => {
    rung = true;
    if (!looking) looked = look();
  };

  async function look(): Promise<void> {
    looking = true;
    let next: number | undefined;
    try {
      // Who is told of a job while he is full finds it when there is room.
      while (rung && !stopped && atWork.size < concurrency) {
        rung = false;
        // Asked before, or a time that comes in between would be overlooked.
        next = await source.nextIn();
        const most = Math.min(MOST, concurrency - atWork.size);
        const jobs = await source.take(most);
        for (const job of jobs) begin(job);
        rung ||= jobs.length === most;
      }
    } catch (error) {
      log.error({ err: error }, 'the job queue could not be looked into');
    }
    looking = false;
    clearTimeout(timer);
    if (!stopped) timer = setTimeout(ring, Math.min(next ?? Infinity, patience()));
  }

  function begin(job: Job): void {
    const working = source.work(job).finally(() => {
      atWork.delete(working);
      if (atWork.size === concurrency - 1) ring();
    });
    atWork.add(working);
  }

  return {
    ring,
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await looked;
      await Promise.all(atWork);
    },
  };
}
