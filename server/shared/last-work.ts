import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';

/** Work that the end of the process must not cut off, because nobody could do it again. */
export interface LastWork {
  /** Returns the same work. */
  add<T>(work: Promise<T>): Promise<T>;
  /**
   * Waits until the deadline (of `performance.now()`) for all of it, and what that adds, but not for what begins later.
   */
  finish(deadline: number): Promise<void>;
}

/** @param what names the work in the log, in the plural */
export function createLastWork(log: Pick<Logger, 'info' | 'error'>, what: string): LastWork {
  const running = new Set<Promise<unknown>>();
  return {
    add(work) {
      const ended = work
        .catch(() => undefined)
        .finally(() => {
          running.delete(ended);
        });
      running.add(ended);
      return work;
    },
    async finish(deadline) {
      if (running.size === 0) return;
      log.info({ count: running.size }, `the stop waits for ${what}`);
      const gone = new AbortController();
      let isLate = false;
      // Noted by the timer itself, which may fire a fraction of a millisecond before the deadline.
      const late = sleep(Math.max(deadline - performance.now(), 0), undefined, { signal: gone.signal }).then(
        () => {
          isLate = true;
        },
        () => undefined,
      );
      for (const _ of ['what runs', 'what that added']) await Promise.race([Promise.all(running), late]);
      gone.abort();
      if (running.size > 0 && isLate)
        log.error({ count: running.size }, `the stop has cut off ${what}, which may be lost`);
    },
  };
}
