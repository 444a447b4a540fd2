import type { TokenClaims } from '../keys/signing-keys.ts';

/** Lookups at a time that the active callers share, and how many each of them may have at least. */
const MOST_LOOKUPS = 16;
const LEAST_EACH = 2;
/** Milliseconds for which a caller counts as active, at least; at most twice as long. */
const ACTIVE_FOR = 1_000;
/** Milliseconds after which a lookup begins in spite of its caller's others. */
const WAITS_FOR = 250;

/** Runs the lookup of a token when it is its caller's turn. */
export type LookupTurns = <T>(claims: Identity, lookup: () => Promise<T>) => Promise<T>;

type Identity = Pick<TokenClaims, 'kind' | 'uuid' | 'ownerId'>;

/**
 * Spaces out the requests of one caller, each of which begins with the lookup of its token: when many of them arrive at
 * once, those of others pass in between (D3c). A caller alone does not wait. Nothing is refused here, and a database that
 * does not answer holds nobody up for longer.
 */
export function createLookupTurns(now: () => number = () => performance.now()): LookupTurns {
  const underWay = new Map<string, number>();
  const queues = new Map<string, Set<() => void>>();
  const countActive = activeCallers(now);

  const isAtLimit = (caller: string): boolean => {
    const active = countActive(caller);
    return active > 1 && (underWay.get(caller) ?? 0) >= Math.max(LEAST_EACH, MOST_LOOKUPS / active);
  };

  function wait(caller: string): Promise<void> {
    return new Promise((resolve) => {
      const queue = queues.get(caller) ?? new Set();
      const go = () => {
        clearTimeout(late);
        queue.delete(go);
        if (queue.size === 0) queues.delete(caller);
        count(caller, 1);
        resolve();
      };
      const late = setTimeout(go, WAITS_FOR);
      queue.add(go);
      queues.set(caller, queue);
    });
  }

  function count(caller: string, more: 1 | -1): void {
    const lookups = (underWay.get(caller) ?? 0) + more;
    if (lookups === 0) underWay.delete(caller);
    else underWay.set(caller, lookups);
  }

  function leave(caller: string): void {
    count(caller, -1);
    for (const go of queues.get(caller) ?? []) {
      if (isAtLimit(caller)) return;
      go();
    }
  }

  return async (claims, lookup) => {
    const caller = callerOf(claims);
    if (isAtLimit(caller)) await wait(caller);
    else count(caller, 1);
    try {
      return await lookup();
    } finally {
      leave(caller);
    }
  };
}

/** The user; but applications, of which one user may own many, count by themselves. */
function callerOf({ kind, uuid, ownerId }: Identity): string {
  return kind === 'use' ? String(ownerId) : uuid;
}

/** Counts the callers that were seen lately, this one included. */
function activeCallers(now: () => number): (caller: string) => number {
  let since = now();
  let current = new Set<string>();
  let former = 0;
  return (caller) => {
    const passed = now() - since;
    if (passed >= ACTIVE_FOR) {
      former = passed < 2 * ACTIVE_FOR ? current.size : 0;
      current = new Set();
      since += passed;
    }
    current.add(caller);
    return Math.max(former, current.size);
  };
}
