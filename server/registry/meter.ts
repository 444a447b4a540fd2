import type { ErrorTally, ProviderClient } from '../provider/client.ts';
import { TRIES } from '../provider/exchange.ts';
import { ProviderError } from '../provider/http.ts';

/** Errors of the provider's error limit that one run may cost, further tries included. */
const MOST_ERRORS = 20;

/**
 * The provider as one run may ask it: while what is left of the run's errors covers the worst that its open
 * requests may come to, others wait; then they fail as `exhausted`. Throws the signal's reason once it is aborted.
 */
export function meter(client: ProviderClient, signal: AbortSignal): ProviderClient {
  const tally: ErrorTally = { errors: 0 };
  const open = new Map<Promise<unknown>, number>();

  function isTooMuch(worst: number): boolean {
    const risked = [...open.values()].reduce((sum, other) => sum + other, 0);
    return tally.errors + risked + worst > MOST_ERRORS;
  }

  return {
    async ask(request) {
      // A refused access token is renewed, and the request made again.
      const worst = request.as === undefined ? TRIES : 2 * TRIES;
      while (isTooMuch(worst) && open.size > 0) await Promise.race(open.keys());
      signal.throwIfAborted();
      if (isTooMuch(worst)) {
        throw new ProviderError('exhausted', 'the run has had its share of the provider’s errors');
      }
      const asked = client.ask({ ...request, tally });
      const settled: Promise<unknown> = asked.then(
        () => open.delete(settled),
        () => open.delete(settled),
      );
      open.set(settled, worst);
      return asked;
    },
  };
}

/** Requests at the same time. */
const AT_ONCE = 4;
/** Failures without an answer between them, after which the provider counts as out of order. */
const FAILURES_IN_A_ROW = 3;

export interface Answers<T> {
  /** By id, for as many as were answered. */
  readonly answers: ReadonlyMap<number, T>;
  /** Ids that were asked for in vain, not those that were not asked for any more. */
  readonly failed: readonly number[];
  /** Of those, the first one's. */
  readonly failure: ProviderError | undefined;
}

/** Asks for one record after the other, a few at once; a record that cannot be had costs the others nothing. */
export async function askAll<T>(ids: Iterable<number>, ask: (id: number) => Promise<T>): Promise<Answers<T>> {
  const answers = new Map<number, T>();
  const failed: number[] = [];
  let failure: ProviderError | undefined;
  let inARow = 0;
  const waiting = new Set(ids).values();
  const askInTurn = async () => {
    for (let next = waiting.next(); !next.done; next = waiting.next()) {
      if (inARow >= FAILURES_IN_A_ROW) return;
      try {
        answers.set(next.value, await ask(next.value));
        inARow = 0;
      } catch (error) {
        if (!(error instanceof ProviderError)) throw error;
        failure ??= error;
        failed.push(next.value);
        // What is used up comes back later, not for the next id.
        inARow += error.fault === 'exhausted' ? FAILURES_IN_A_ROW : 1;
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, askInTurn));
  return { answers, failed, failure };
}
