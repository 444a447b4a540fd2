/** What a run allows itself at a service of others. */
interface Bounds {
  /** Requests at the same time. */
  readonly most: number;
  /** Failures before the first success after which it stops. */
  readonly atStart: number;
  /** Failures in a row after which it stops. */
  readonly inARow: number;
}

/** Why a run ends that has no more time, or whose process stops. */
export const STOPPED_BY_SIGNAL = 'it was told to end';

/** Failures of which more than this share of all, but so many at least, stop a run, too. */
const SHARE = 0.1;
const AT_LEAST = 20;

/**
 * How fast a run may go on: one by one until something has succeeded, then wider and wider; one by one again after
 * a failure; not at all when the service is sick. So an outage costs few errors whenever it begins (D63).
 */
export interface AdaptiveLimit {
  /** Waits until one more may begin, to be ended by {@link AdaptiveLimit.release}; false: nothing more may. */
  acquire(): Promise<boolean>;
  release(): void;
  succeeded(): void;
  failed(why: string): void;
  /** Ends the run. */
  stop(why: string): void;
  /** Why nothing more may begin; undefined while it may. */
  readonly stopped: string | undefined;
  /** Failures so far. */
  readonly failures: number;
}

export function createAdaptiveLimit({ most, atStart, inARow }: Bounds, signal: AbortSignal): AdaptiveLimit {
  const waiting: ((go: boolean) => void)[] = [];
  let width = 1;
  let open = 0;
  let successes = 0;
  let failures = 0;
  let row = 0;
  let stopped = signal.aborted ? STOPPED_BY_SIGNAL : undefined;
  signal.addEventListener('abort', () => stop(STOPPED_BY_SIGNAL), { once: true });

  function stop(why: string): void {
    stopped ??= why;
    for (const go of waiting.splice(0)) go(false);
  }

  function admit(): void {
    while (open < width && waiting.length > 0) {
      open += 1;
      waiting.shift()?.(true);
    }
  }

  return {
    acquire: () =>
      new Promise((go) => {
        if (stopped !== undefined) return go(false);
        waiting.push(go);
        admit();
      }),
    release() {
      open -= 1;
      admit();
    },
    succeeded() {
      successes += 1;
      row = 0;
      width = Math.min(width + 1, most);
    },
    failed(why) {
      failures += 1;
      row += 1;
      width = 1;
      const many = failures >= AT_LEAST && failures > (failures + successes) * SHARE;
      if (row >= inARow || (successes === 0 && row >= atStart) || many) stop(why);
    },
    stop,
    get stopped() {
      return stopped;
    },
    get failures() {
      return failures;
    },
  };
}
