import type { ErrorCode } from '../../contract/error-codes.ts';
import { DomainError } from './domain-error.ts';

export interface FairSemaphoreLimits {
  /** Maximum number of holders. */
  readonly most: number;
  /** Maximum number of holders that belong to one caller. */
  readonly each: number;
  /** Maximum time in the queue, in milliseconds. */
  readonly waitFor: number;
  /** What is answered when that takes longer. */
  readonly crowded?: { readonly code: ErrorCode; readonly detail: string };
}

/** A semaphore with a limit for each caller: first in, first out, but callers at their own limit are skipped. */
export interface FairSemaphore {
  /**
   * Waits for a permit; the returned function releases it.
   *
   * @param gone creates the caller's abort signal; called only when it has to wait
   * @throws DomainError when that takes too long; the signal's reason when it is aborted
   */
  enter(caller: string, gone: () => AbortSignal): Promise<() => void>;
}

interface Waiting {
  readonly caller: string;
  readonly go: () => void;
}

/** `Retry-After` in seconds when the wait has timed out. */
const AGAIN_AFTER = 5;

const CROWDED = {
  code: 'forwarding_busy',
  detail: 'Too many requests are being forwarded at the moment.',
} as const;

export function createFairSemaphore({
  most,
  each,
  waitFor,
  crowded = CROWDED,
}: FairSemaphoreLimits): FairSemaphore {
  const inside = new Map<string, number>();
  const line: Waiting[] = [];
  let count = 0;

  const isIn = (caller: string) => inside.get(caller) ?? 0;

  function admit(): void {
    for (let at = 0; at < line.length && count < most; ) {
      const { caller, go } = line[at] as Waiting;
      if (isIn(caller) >= each) at += 1;
      else {
        line.splice(at, 1);
        take(caller);
        go();
      }
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
    admit();
  }

  function wait(caller: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    return new Promise((resolve, reject) => {
      const waiting: Waiting = { caller, go: () => end(resolve) };
      const end = (how: () => void) => {
        clearTimeout(tooLong);
        signal.removeEventListener('abort', giveUp);
        how();
      };
      const refuse = (reason: unknown) => {
        line.splice(line.indexOf(waiting), 1);
        end(() => reject(reason as Error));
      };
      const giveUp = () => refuse(signal.reason);
      const tooLong = setTimeout(
        () => refuse(new DomainError(crowded.code, crowded.detail, { retryAfter: AGAIN_AFTER })),
        waitFor,
      );
      signal.addEventListener('abort', giveUp);
      line.push(waiting);
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
