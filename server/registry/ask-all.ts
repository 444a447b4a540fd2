import pMap from 'p-map';
import type { ProviderClient } from '../provider/client.ts';
import { ProviderError } from '../provider/http.ts';
import { createRunClient, type RunClient } from '../provider/run-client.ts';
import type { Run } from '../queue/run.ts';

/** Concurrent requests. */
const AT_ONCE = 3;
/** Consecutive failures after which the provider counts as unavailable for the rest of the run. */
const FAILURES_IN_A_ROW = 2;
/** The same where each failure is followed by a check: those that may be open at once, and the check. */
export const FAILURES_WITH_CHECK = AT_ONCE + 1;
/** Errors counted against the provider's error limit that one run may cause, retries included (D63). */
const MOST_ERRORS = 20;
/** Share of a run's time limit that is reserved for writing the results. */
const TIME_TO_WRITE = 0.15;

/** A provider client for runs that update the registry, with these limits. */
export function createRegistryClient(
  client: ProviderClient,
  run: Run,
  failuresInARow = FAILURES_IN_A_ROW,
): RunClient {
  return createRunClient(client, run, {
    concurrency: AT_ONCE,
    failuresInARow,
    failuresAtStart: FAILURES_IN_A_ROW,
    errors: MOST_ERRORS,
    timeToWrite: TIME_TO_WRITE,
  });
}

export interface Answers<T> {
  /** Answers by id. */
  readonly answers: ReadonlyMap<number, T>;
  /** Ids whose request failed; without those that were not requested any more. */
  readonly failed: readonly number[];
  /** The first failure. */
  readonly failure: ProviderError | undefined;
  /** The first failure that is not one record's alone. */
  readonly outage: ProviderError | undefined;
}

/**
 * Requests one record for each id. A failed request does not affect the others, but several consecutive failures end
 * the loop.
 *
 * @param check whether the provider still answers something else; then a failure is that record's alone
 */
export async function askAll<T>(
  ids: Iterable<number>,
  ask: (id: number) => Promise<T>,
  check: () => Promise<boolean> = async () => false,
): Promise<Answers<T>> {
  const answers = new Map<number, T>();
  const failed: number[] = [];
  let failure: ProviderError | undefined;
  let outage: ProviderError | undefined;
  let failedInARow = 0;
  const askFor = async (id: number) => {
    if (failedInARow >= FAILURES_IN_A_ROW) return;
    try {
      answers.set(id, await ask(id));
      failedInARow = 0;
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      failure ??= error;
      if (error.fault === 'exhausted' && !error.ofCharacter) {
        // It fails the following ids, too, so it ends the loop at once.
        outage ??= error;
        failedInARow += FAILURES_IN_A_ROW;
        return;
      }
      failed.push(id);
      if (await check()) return;
      outage ??= error;
      failedInARow += 1;
    }
  };
  await pMap(new Set(ids), askFor, { concurrency: AT_ONCE });
  return { answers, failed, failure, outage };
}
