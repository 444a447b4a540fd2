import pino from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Puller, pull } from '../../../server/queue/pull.ts';

const PATIENCE = 60_000;

/** A queue in memory, whose jobs end when the test says so. */
class TestQueue {
  due: string[] = [];
  next: number | undefined;
  looks = 0;
  broken = false;
  readonly begun: string[] = [];
  readonly #ends = new Map<string, () => void>();

  readonly source = {
    nextIn: async () => {
      if (this.broken) throw new Error('the database is odd');
      return this.next;
    },
    take: async (most: number) => {
      this.looks += 1;
      return this.due.splice(0, most);
    },
    work: (job: string) => {
      this.begun.push(job);
      return new Promise<void>((resolve) => this.#ends.set(job, resolve));
    },
  };

  async end(...jobs: string[]): Promise<void> {
    for (const job of jobs) this.#ends.get(job)?.();
    await settled();
  }
}

/** Waits until everything has happened that needs no timer. */
const settled = () => vi.advanceTimersByTimeAsync(0);
const jobs = (count: number) => Array.from({ length: count }, (_, n) => `job ${n}`);

let queue: TestQueue;
let puller: Puller;
const start = async (concurrency: number) => {
  puller = pull(queue.source, { log: pino({ level: 'silent' }), concurrency, pollEvery: () => PATIENCE });
  puller.wake();
  await settled();
};

beforeEach(() => {
  vi.useFakeTimers();
  queue = new TestQueue();
});
afterEach(async () => {
  await Promise.all([puller.stop(), queue.end(...queue.begun)]);
  vi.useRealTimers();
});

describe('jobs are taken from a queue', () => {
  it.each([
    { chance: 0, poll: PATIENCE },
    { chance: 0.8, poll: 0.8 * PATIENCE },
  ])(
    'at a notification, and without one in the last quarter of pollEvery: $poll ms',
    async ({ chance, poll }) => {
      const random = vi.spyOn(Math, 'random').mockReturnValue(chance);
      await start(1);
      random.mockRestore();
      expect(queue.looks).toBe(1);
      await vi.advanceTimersByTimeAsync(poll - 1);
      expect(queue.looks).toBe(1);
      await vi.advanceTimersByTimeAsync(1);
      expect(queue.looks).toBe(2);
      queue.due = jobs(1);
      puller.wake();
      await settled();
      expect(queue.begun).toEqual(jobs(1));
    },
  );

  it('when the next delayed one is due', async () => {
    queue.next = 5_000;
    await start(1);
    queue.next = undefined;
    queue.due = jobs(1);
    await vi.advanceTimersByTimeAsync(4_999);
    expect(queue.begun).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(queue.begun).toEqual(jobs(1));
  });

  it('also when the notification came during a fetch', async () => {
    await start(2);
    const take = queue.source.take;
    queue.source.take = async (most) => {
      const found = await take(most);
      if (queue.looks === 2) {
        queue.due = jobs(1);
        puller.wake();
      }
      return found;
    };
    puller.wake();
    await settled();
    expect(queue.begun).toEqual(jobs(1));
  });

  it('fetches all of them, 64 per statement', async () => {
    queue.due = jobs(200);
    await start(2048);
    expect(queue.begun).toEqual(jobs(200));
    expect(queue.looks).toBe(4);
  });

  it('no more concurrently than allowed; a slow one does not hold up others', async () => {
    queue.due = jobs(5);
    await start(2);
    expect(queue.begun).toEqual(jobs(2));
    puller.wake();
    await settled();
    expect(queue.begun).toEqual(jobs(2));
    await queue.end('job 1');
    await queue.end('job 2');
    await queue.end('job 3');
    expect(queue.begun).toEqual(jobs(5));
  });

  it('retries after a pause when the database fails', async () => {
    queue.broken = true;
    await start(1);
    queue.broken = false;
    queue.due = jobs(1);
    await vi.advanceTimersByTimeAsync(PATIENCE);
    expect(queue.begun).toEqual(jobs(1));
  });

  it('no more after the stop, which waits for running jobs', async () => {
    queue.due = jobs(3);
    await start(2);
    let stopped = false;
    const stopping = puller.stop().then(() => {
      stopped = true;
    });
    await queue.end('job 0');
    puller.wake();
    await vi.advanceTimersByTimeAsync(PATIENCE);
    expect(stopped).toBe(false);
    await queue.end('job 1');
    await stopping;
    expect(queue.begun).toEqual(jobs(2));
  });
});
