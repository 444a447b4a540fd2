import { createFairSemaphore, type FairSemaphore } from '../shared/fair-semaphore.ts';

/** Lines in which requests wait for others of this process before they take a connection (D3c). */
export interface Lines {
  /** By group: its row is locked by one at a time anyway, so the others need no connection to wait for it. */
  readonly groups: FairSemaphore;
  /** By the caller below level 9, for the same reason: each of its writes locks its own row. */
  readonly callers: FairSemaphore;
  /** Dry runs and writes with many ids of callers below level 9, which hold a connection for seconds. */
  readonly slowWrites: FairSemaphore;
  /** By the caller: the compliance of thousands of members takes seconds of the database and of the event loop. */
  readonly compliance: FairSemaphore;
}

/** Milliseconds that a request waits, as long as PostgreSQL would let it wait for a lock. */
const WAIT_FOR = 30_000;

function crowdedWith(what: string) {
  const detail = `Too many ${what} are waiting at the moment.`;
  return { waitFor: WAIT_FOR, crowded: { code: 'database_unavailable', detail } } as const;
}

export function createLines(): Lines {
  const changes = crowdedWith('changes');
  return {
    groups: createFairSemaphore({ most: Number.POSITIVE_INFINITY, each: 1, ...changes }),
    callers: createFairSemaphore({ most: Number.POSITIVE_INFINITY, each: 1, ...changes }),
    // Less than the pool has connections, so that slow writes of many callers leave some to everybody else.
    slowWrites: createFairSemaphore({ most: 6, each: 1, ...changes }),
    compliance: createFairSemaphore({ most: 2, each: 1, ...crowdedWith('readers of compliance') }),
  };
}

/** Runs `work` in its turn. `gone` is aborted when nobody waits for its result any more. */
export async function inLine<T>(
  line: FairSemaphore,
  key: string,
  gone: () => AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  const leave = await line.enter(key, gone);
  try {
    return await work();
  } finally {
    leave();
  }
}
