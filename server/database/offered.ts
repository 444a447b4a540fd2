import { setTimeout as sleep } from 'node:timers/promises';
import { isUnreachable } from './errors.ts';

/** Milliseconds for which a change is offered to a database out of reach, and between two tries. */
const OFFER_FOR = 60_000;
const OFFER_EVERY = 250;

/**
 * Repeats a statement while the database cannot be reached, such as during a failover: for what cannot be had again, and
 * without which a user would have to sign in again.
 */
export async function offered(store: () => Promise<void>): Promise<void> {
  for (const end = performance.now() + OFFER_FOR; ; ) {
    try {
      return await store();
    } catch (error) {
      if (!isUnreachable(error) || performance.now() > end) throw error;
      // A process that stops does not wait for it.
      await sleep(OFFER_EVERY, undefined, { ref: false });
    }
  }
}
