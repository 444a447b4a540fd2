import { DomainError } from '../shared/errors.ts';

export interface FairSemaphoreLimits {
  /** Inside at the same time. */
  readonly most: number;
  /** Of one caller among them. */
  readonly each: number;
  /** Milliseconds that somebody waits in line at the most. */
  readonly waitFor: number;
}

/** Lets in so many at a time, first come, first served; who has its share inside is stepped over. */
export interface FairSemaphore {
  /**
   * Waits until the caller may enter. To leave, call what comes back.
   *
   * @param gone asked for when there is waiting to be done
   * @throws DomainError when that takes too long; the signal's reason once it is aborted
   */
  enter(caller: string, gone: () => AbortSignal): Promise<() => void>;
}

interface Waiting {
  readonly caller: string;
  readonly go: () => void;
}

/** Seconds after which somebody who waited in vain may try again. */
const AGAIN_AFTER = 5;

export function createFairSemaphore({ most, each, waitFor }: FairSemaphoreLimits): FairSemaphore {
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
      const tooLong = setTimeout(() => refuse(crowded()), waitFor);
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

function crowded(): DomainError {
  const detail = 'Too many requests are being forwarded at the moment.';
  return new DomainError('forwarding_busy', detail, { retryAfter: AGAIN_AFTER });
}
