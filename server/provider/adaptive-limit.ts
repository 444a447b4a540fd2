/** Limits of a run's requests to an external service. */
export interface Bounds {
  /** Maximum number of concurrent requests. */
  readonly concurrency: number;
  /** Consecutive failures after which the run stops. */
  readonly failuresInARow: number;
  /** Consecutive failures before the first success after which it stops; `failuresInARow` by default. */
  readonly failuresAtStart?: number;
  /** Errors that the run may cause at the other side; unlimited by default. */
  readonly errors?: number;
}

/** The reason to stop when the time limit is reached or the process stops. */
export const STOPPED_BY_SIGNAL = 'it was told to end';
const TOO_MANY_ERRORS = 'the provider has answered with too many errors';

/** A run also stops when more than this share of its requests, and at least this many, have failed. */
const SHARE = 0.1;
const AT_LEAST = 20;

/** A permit for one request. */
interface Slot {
  /** Releases the permit; call it once, with the number of errors that the request caused. */
  release(errors?: number): void;
}

/**
 * Adapts the concurrency of a run: one request at a time until the first success, then more and more, one again after a
 * failure, and none when the service is failing or the run has caused as many errors as it may. So an outage costs few
 * errors, whenever it begins (D63).
 */
export interface AdaptiveLimit {
  /**
   * Waits for a permit.
   *
   * @param atWorst maximum number of errors that the request may cause; it waits while open requests might use up the
   * rest
   * @returns undefined when no more requests may begin
   */
  acquire(atWorst?: number): Promise<Slot | undefined>;
  succeeded(): void;
  failed(why: string): void;
  /** Ends the run. */
  stop(why: string): void;
  /** Why no more requests may begin; undefined while they may. */
  readonly stopped: string | undefined;
  /** Number of failures. */
  readonly failures: number;
}

export function createAdaptiveLimit(bounds: Bounds, signal: AbortSignal): AdaptiveLimit {
  const { concurrency, failuresInARow, failuresAtStart = failuresInARow, errors = Infinity } = bounds;
  const waiting: { readonly atWorst: number; readonly go: (slot: Slot | undefined) => void }[] = [];
  let width = 1;
  let open = 0;
  /** Errors caused, plus the maximum that open requests may cause. */
  let risked = 0;
  let successes = 0;
  let failures = 0;
  let row = 0;
  let stopped = signal.aborted ? STOPPED_BY_SIGNAL : undefined;
  signal.addEventListener('abort', () => stop(STOPPED_BY_SIGNAL), { once: true });

  function stop(why: string): void {
    stopped ??= why;
    for (const { go } of waiting.splice(0)) go(undefined);
  }

  function admit(): void {
    for (let next = waiting[0]; next !== undefined && open < width; next = waiting[0]) {
      if (risked + next.atWorst > errors) {
        if (open === 0) stop(TOO_MANY_ERRORS);
        return;
      }
      waiting.shift();
      next.go(take(next.atWorst));
    }
  }

  function take(atWorst: number): Slot {
    open += 1;
    risked += atWorst;
    return {
      release(cost = 0) {
        open -= 1;
        risked += cost - atWorst;
        admit();
      },
    };
  }

  return {
    acquire: (atWorst = 0) =>
      new Promise((go) => {
        if (stopped !== undefined) return go(undefined);
        waiting.push({ atWorst, go });
        admit();
      }),
    succeeded() {
      successes += 1;
      row = 0;
      width = Math.min(width + 1, concurrency);
    },
    failed(why) {
      failures += 1;
      row += 1;
      width = 1;
      const many = failures >= AT_LEAST && failures > (failures + successes) * SHARE;
      if (row >= failuresInARow || (successes === 0 && row >= failuresAtStart) || many) stop(why);
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
