/** What a run allows itself at a service of others. */
export interface Bounds {
  /** Requests at the same time. */
  readonly concurrency: number;
  /** Failures in a row after which it stops. */
  readonly failuresInARow: number;
  /** Failures before the first success after which it stops; as many as in a row where nothing is said. */
  readonly failuresAtStart?: number;
  /** Errors that it may cost the other side; any number where nothing is said. */
  readonly errors?: number;
}

/** Why a run ends that has no more time, or whose process stops. */
export const STOPPED_BY_SIGNAL = 'it was told to end';
const TOO_MANY_ERRORS = 'the provider has answered with too many errors';

/** Failures of which more than this share of all, but so many at least, stop a run, too. */
const SHARE = 0.1;
const AT_LEAST = 20;

/** One request's place among those that may be open. */
interface Slot {
  /** To be called once, with the errors that it turned out to cost. */
  release(errors?: number): void;
}

/**
 * How fast a run may go on: one by one until something has succeeded, then wider and wider; one by one again after
 * a failure; not at all when the service is sick, or has answered with as many errors as the run may cost. So an
 * outage costs few errors whenever it begins (D63).
 */
export interface AdaptiveLimit {
  /**
   * Waits until one more may begin.
   *
   * @param atWorst errors that it may cost; while open ones may use up what is left, it waits for them
   * @returns undefined: nothing more may begin
   */
  acquire(atWorst?: number): Promise<Slot | undefined>;
  succeeded(): void;
  failed(why: string): void;
  /** Ends the run. */
  stop(why: string): void;
  /** Why nothing more may begin; undefined while it may. */
  readonly stopped: string | undefined;
  /** Failures so far. */
  readonly failures: number;
}

export function createAdaptiveLimit(bounds: Bounds, signal: AbortSignal): AdaptiveLimit {
  const { concurrency, failuresInARow, failuresAtStart = failuresInARow, errors = Infinity } = bounds;
  const waiting: { readonly atWorst: number; readonly go: (slot: Slot | undefined) => void }[] = [];
  let width = 1;
  let open = 0;
  /** Errors so far, with the worst that open requests may come to. */
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
