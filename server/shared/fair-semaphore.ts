import type { ErrorCode } from '../../contract/error-codes.ts';
import { DomainError } from './domain-error.ts';

export interface FairSemaphoreLimits {
  /** Maximum number of holders. */
  readonly most: number;
  /** Maximum number of holders that belong to one caller. */
  readonly each: number;
  /** Maximum number of one caller in the queue; without it there is none. */
  readonly queued?: number;
  /** Maximum time in the queue, in milliseconds. */
  readonly waitFor: number;
  /** What is answered when that takes longer. */
  readonly crowded: { readonly code: ErrorCode; readonly detail: string };
}

/**
 * A semaphore with a limit for each caller. Callers take turns, except those at their own limit; of what one caller
 * waits with, the first in is the first out. So nobody waits longer because another caller waits with much.
 */
export interface FairSemaphore {
  /**
   * Waits for a permit; the returned function releases it.
   *
   * @param gone creates the caller's abort signal; called only when it has to wait
   * @throws DomainError when that takes too long, or the caller waits with too much already; the signal's reason when
   *   it is aborted
   */
  enter(caller: string, gone: () => AbortSignal): Promise<() => void>;
}

/** `Retry-After` in seconds when the wait has timed out, or may not begin. */
const AGAIN_AFTER = 5;

const FULL = 'You have the maximum number of requests that wait for others of yours.';

export function createFairSemaphore({
  most,
  each,
  queued = Number.POSITIVE_INFINITY,
  waitFor,
  crowded,
}: FairSemaphoreLimits): FairSemaphore {
  const inside = new Map<string, number>();
  /** What lets each caller's waiting ones in, in order of arrival. */
  const queues = new Map<string, Set<() => void>>();
  /** The waiting callers below their own limit, in the order in which they are let in. */
  const next = new Set<string>();
  let count = 0;

  const isIn = (caller: string) => inside.get(caller) ?? 0;

  /** Puts the caller behind the others, if it waits and may enter. */
  function lineUp(caller: string): void {
    if (queues.has(caller) && isIn(caller) < each) next.add(caller);
  }

  function admit(): void {
    // Callers who are added meanwhile get their turn in the same loop.
    for (const caller of next) {
      if (count >= most) return;
      next.delete(caller);
      take(caller);
      const [go] = queues.get(caller) ?? [];
      go?.();
      lineUp(caller);
    }
  }

  function take(caller: string): void {
    count += 1;
    inside.set(caller, isIn(caller) + 1);
  }

  function leave(caller: string): void {
    count -= 1;
    if (isIn(caller) > 1) inside.set(caller, isIn(caller) - 1);
    else inside.delete(caller);
    lineUp(caller);
    admit();
  }

  async function wait(caller: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const queue = queues.get(caller) ?? new Set();
    if (queue.size >= queued) throw new DomainError('too_many_waiting', FULL, { retryAfter: AGAIN_AFTER });
    queues.set(caller, queue);
    return new Promise((resolve, reject) => {
      const end = () => {
        clearTimeout(tooLong);
        signal.removeEventListener('abort', giveUp);
        queue.delete(go);
        if (queue.size > 0) return;
        queues.delete(caller);
        next.delete(caller);
      };
      const go = () => {
        end();
        resolve();
      };
      const refuse = (reason: unknown) => {
        end();
        reject(reason as Error);
      };
      const giveUp = () => refuse(signal.reason);
      const tooLong = setTimeout(
        () => refuse(new DomainError(crowded.code, crowded.detail, { retryAfter: AGAIN_AFTER })),
        waitFor,
      );
      signal.addEventListener('abort', giveUp);
      queue.add(go);
      lineUp(caller);
    });
  }

  return {
    async enter(caller, gone) {
      if (count < most && isIn(caller) < each) take(caller);
      else await wait(caller, gone());
      let left = false;
      return () => {
        if (!left) leave(caller);
        left = true;
      };
    },
  };
}

/** A semaphore whose holders hold a permit of another one, too, for which all of them together are one caller. */
export function within(outer: FairSemaphore, name: string, inner: FairSemaphore): FairSemaphore {
  return {
    async enter(caller, gone) {
      const leave = await inner.enter(caller, gone);
      try {
        const leaveOuter = await outer.enter(name, gone);
        return () => {
          leaveOuter();
          leave();
        };
      } catch (error) {
        leave();
        throw error;
      }
    },
  };
}
