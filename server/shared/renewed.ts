import { singleFlight } from './single-flight.ts';

/** Milliseconds between two attempts to renew an old value. */
const ASK_AGAIN = 60_000;

export interface Renewed<T> {
  /** The value, which is asked for when there is none, or when it is too old. */
  get(): Promise<T>;
  /** The value, which is asked for at once. */
  renew(): Promise<T>;
}

/**
 * Remembers a value that others tell, for some milliseconds; the former one is used while it cannot be had anew. After
 * an attempt that failed nobody waits for the next one, as an answer may be kept back until the time limit.
 */
export function createRenewed<T>(ask: () => Promise<T>, lasts: number): Renewed<T> {
  let known: { readonly value: T; readonly until: number; readonly outdated: boolean } | undefined;

  function store(value: T): T {
    known = { value, until: performance.now() + lasts, outdated: false };
    return value;
  }

  function useFormer(error: unknown): T {
    if (known === undefined) throw error;
    known = { value: known.value, until: performance.now() + ASK_AGAIN, outdated: true };
    return known.value;
  }

  const renew = singleFlight(() => ask().then(store, useFormer));

  return {
    renew,
    async get() {
      if (known !== undefined && performance.now() < known.until) return known.value;
      const renewed = renew();
      return known?.outdated ? known.value : renewed;
    },
  };
}
