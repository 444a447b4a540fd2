import type { Run } from '../queue/run.ts';
import type { ProviderAnswer } from './answer.ts';
import type { ProviderClient, ProviderRequest } from './client.ts';
import { TRIES } from './exchange.ts';
import { ProviderError } from './http.ts';
import type { ErrorTally } from './purse.ts';

/** Errors of the provider's error limit that one run may cost, further tries included. */
const MOST_ERRORS = 20;

/** Requests at the same time. */
const AT_ONCE = 3;
/** Failures without an answer between them, after which the provider counts as out of order for the run. */
const FAILURES_IN_A_ROW = 2;
/** Share of a run's time that is kept for writing what it has learned. */
const TIME_TO_WRITE = 0.15;

/**
 * The provider as one run may ask it, a few requests at once, the first one alone. While what is left of the run's
 * errors covers the worst that its open requests may come to, others wait; then, or when the provider is out of
 * order or so slow that the run has no more time for it, they fail as `exhausted`. Throws the signal's reason once it
 * is aborted.
 */
export function createRunClient(
  client: ProviderClient,
  { signal, timeLeft }: Pick<Run, 'signal' | 'timeLeft'>,
): ProviderClient {
  const tally: ErrorTally = { errors: 0 };
  const open = new Map<Promise<unknown>, number>();
  let answered = false;
  let failedInARow = 0;

  function isTooMuch(worst: number): boolean {
    const risked = [...open.values()].reduce((sum, other) => sum + other, 0);
    return tally.errors + risked + worst > MOST_ERRORS;
  }

  async function counted(request: ProviderRequest): Promise<ProviderAnswer> {
    try {
      const answer = await client.ask({ ...request, tally });
      answered = true;
      failedInARow = 0;
      return answer;
    } catch (error) {
      // A user without a token says nothing about the provider.
      if (error instanceof ProviderError && error.fault !== 'no-token') failedInARow += 1;
      throw error;
    }
  }

  return {
    async ask(request) {
      // A refused access token is renewed, and the request made again.
      const worst = request.as === undefined ? TRIES : 2 * TRIES;
      const mustWait = () => open.size >= (answered ? AT_ONCE : 1) || isTooMuch(worst);
      while (open.size > 0 && mustWait()) await Promise.race(open.keys());
      signal.throwIfAborted();
      if (failedInARow >= FAILURES_IN_A_ROW || isTooMuch(worst)) {
        throw new ProviderError('exhausted', 'the provider has failed too often in this run');
      }
      if (timeLeft() < TIME_TO_WRITE) throw new ProviderError('exhausted', OUT_OF_TIME);
      const asked = counted(request);
      const settled: Promise<unknown> = asked.then(
        () => open.delete(settled),
        () => open.delete(settled),
      );
      open.set(settled, worst);
      return asked;
    },
  };
}

/** Why a run that asks a slow provider leaves the rest to the next one. */
export const OUT_OF_TIME = 'the provider is too slow to be asked for everything in one run';

export interface Answers<T> {
  /** By id, for as many as were answered. */
  readonly answers: ReadonlyMap<number, T>;
  /** Ids that were asked for in vain, not those that were not asked for any more. */
  readonly failed: readonly number[];
  /** Of those, the first one's. */
  readonly failure: ProviderError | undefined;
}

/** Asks a {@link createRunClient} for one record after the other; one that cannot be had costs the others nothing. */
export async function askAll<T>(ids: Iterable<number>, ask: (id: number) => Promise<T>): Promise<Answers<T>> {
  const answers = new Map<number, T>();
  const failed: number[] = [];
  let failure: ProviderError | undefined;
  let failedInARow = 0;
  const waiting = new Set(ids).values();
  const askInTurn = async () => {
    for (let next = waiting.next(); !next.done && failedInARow < FAILURES_IN_A_ROW; next = waiting.next()) {
      try {
        answers.set(next.value, await ask(next.value));
        failedInARow = 0;
      } catch (error) {
        if (!(error instanceof ProviderError)) throw error;
        failure ??= error;
        // What is used up comes back later, not for the next id.
        failedInARow += error.fault === 'exhausted' ? FAILURES_IN_A_ROW : 1;
        if (error.fault !== 'exhausted') failed.push(next.value);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, askInTurn));
  return { answers, failed, failure };
}
