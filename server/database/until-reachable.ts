import { setTimeout as sleep } from 'node:timers/promises';
import { isUnreachable } from './errors.ts';

/** Milliseconds for which a statement is repeated while the database is out of reach, and between two tries. */
const RETRY_FOR = 60_000;
const RETRY_EVERY = 250;

/**
 * Repeats a statement while the database cannot be reached, such as during a failover: for what cannot be had again, and
 * without which a user would have to sign in again.
 */
export async function untilReachable<T>(statement: () => Promise<T>): Promise<T> {
  for (const end = performance.now() + RETRY_FOR; ; ) {
    try {
      return await statement();
    } catch (error) {
      if (!isUnreachable(error) || performance.now() > end) throw error;
      // By itself it keeps no process from its end.
      await sleep(RETRY_EVERY, undefined, { ref: false });
    }
  }
}
