import pMap from 'p-map';
import type { ProviderClient } from '../provider/client.ts';
import { ProviderError } from '../provider/http.ts';
import { createRunClient, type RunClient } from '../provider/run-client.ts';
import type { Run } from '../queue/run.ts';

/** Requests at the same time. */
const AT_ONCE = 3;
/** Failures in a row after which the provider counts as out of order for the run. */
const FAILURES_IN_A_ROW = 2;
/** Errors of the provider's error limit that one run may cost, further tries included (D63). */
const MOST_ERRORS = 20;
/** Share of a run's time that is kept for writing what it has learned. */
const TIME_TO_WRITE = 0.15;

/** The provider as a run that keeps the registry true may ask it. */
export function createRegistryClient(client: ProviderClient, run: Run): RunClient {
  return createRunClient(client, run, {
    concurrency: AT_ONCE,
    failuresInARow: FAILURES_IN_A_ROW,
    errors: MOST_ERRORS,
    timeToWrite: TIME_TO_WRITE,
  });
}

export interface Answers<T> {
  /** By id, for as many as were answered. */
  readonly answers: ReadonlyMap<number, T>;
  /** Ids that were asked for in vain, not those that were not asked for any more. */
  readonly failed: readonly number[];
  /** Of those, the first one's. */
  readonly failure: ProviderError | undefined;
}

/**
 * Asks a {@link createRegistryClient} for one record after the other; one that cannot be had costs the others
 * nothing, several in a row end it.
 */
export async function askAll<T>(ids: Iterable<number>, ask: (id: number) => Promise<T>): Promise<Answers<T>> {
  const answers = new Map<number, T>();
  const failed: number[] = [];
  let failure: ProviderError | undefined;
  let failedInARow = 0;
  const askFor = async (id: number) => {
    if (failedInARow >= FAILURES_IN_A_ROW) return;
    try {
      answers.set(id, await ask(id));
      failedInARow = 0;
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      failure ??= error;
      // What is used up comes back later, not for the next id.
      failedInARow += error.fault === 'exhausted' ? FAILURES_IN_A_ROW : 1;
      if (error.fault !== 'exhausted') failed.push(id);
    }
  };
  await pMap(new Set(ids), askFor, { concurrency: AT_ONCE });
  return { answers, failed, failure };
}
