import type { Run } from '../queue/run.ts';
import { type Bounds, createAdaptiveLimit } from './adaptive-limit.ts';
import type { ProviderAnswer } from './answer.ts';
import type { ErrorTally } from './budget-account.ts';
import type { ProviderClient, ProviderRequest } from './client.ts';
import { TRIES } from './exchange.ts';
import { ProviderError } from './http.ts';

/** How a run of a job may ask the provider. */
export interface RunClientOptions extends Bounds {
  /** Every request is tried once, and a dead refresh token is left to the check of all of them (D63). */
  readonly patient?: boolean;
  /** Share of the run's time that is kept for writing what it has learned. */
  readonly timeToWrite?: number;
}

/** The provider as one run of a job may ask it. */
export interface RunClient extends ProviderClient {
  /** A client for one turn of the run, at the run's own pace. */
  turn(): TurnClient;
  /** Ends the run: nothing is asked any more. */
  stop(why: string): void;
  /** Why nothing is asked any more; undefined while something is. */
  readonly stopped: string | undefined;
}

/** For work that is put off as a whole: after its first failure nothing more is asked, and that counts once. */
interface TurnClient extends ProviderClient {
  /** What the provider failed with, if it did. */
  readonly fault: ProviderError | undefined;
}

/** A turn cannot go on because the run is over. No ProviderError, for nobody failed. */
export class RunEnded extends Error {}

/** Why a run that asks a slow provider leaves the rest to the next one. */
export const OUT_OF_TIME = 'the provider is too slow to be asked for everything in one run';

/**
 * The one way of a job to the game's API: a few requests at once, within what the run may cost, as long as the
 * provider is well and there is time. After that a request fails as `exhausted`, that of a turn with
 * {@link RunEnded}; once the run's signal is aborted both throw its reason at once.
 */
export function createRunClient(
  client: ProviderClient,
  { signal, timeLeft }: Pick<Run, 'signal' | 'timeLeft'>,
  options: RunClientOptions,
): RunClient {
  const { timeToWrite = 0 } = options;
  const limit = createAdaptiveLimit(options, signal);

  async function ask(request: ProviderRequest, turn?: { fault: ProviderError | undefined }) {
    const patient = options.patient || request.patient === true;
    const tally: ErrorTally = { errors: 0 };
    const slot = await limit.acquire(mostErrors(request, patient));
    try {
      signal.throwIfAborted();
      if (timeLeft() < timeToWrite) limit.stop(OUT_OF_TIME);
      if (slot === undefined || limit.stopped !== undefined) throw over(limit.stopped, turn !== undefined);
      if (turn?.fault !== undefined) throw turn.fault;
      const answer = await untilAborted(client.ask({ ...request, patient, tally }), signal);
      if (answer.status < 400 && !answer.kept) limit.succeeded();
      return answer;
    } catch (error) {
      if (slot !== undefined && isFailure(error) && turn?.fault === undefined) {
        limit.failed(error.message);
        if (turn !== undefined) turn.fault = error;
      }
      throw error;
    } finally {
      slot?.release(tally.errors);
    }
  }

  return {
    ask: (request) => ask(request),
    turn() {
      const turn: { fault: ProviderError | undefined } = { fault: undefined };
      return {
        get fault() {
          return turn.fault;
        },
        ask: (request) => ask(request, turn),
      };
    },
    stop: limit.stop,
    get stopped() {
      return limit.stopped;
    },
  };
}

function over(why = '', inTurn: boolean): Error {
  const message = `nothing more is asked in this run: ${why}`;
  return inTurn ? new RunEnded(message) : new ProviderError('exhausted', message);
}

/** Errors of the provider's error limit that a request may cost; a refused access token is renewed and tried again. */
function mostErrors({ as }: ProviderRequest, patient: boolean): number {
  return (patient ? 1 : TRIES) * (as === undefined ? 1 : 2);
}

/** A user without a token says nothing about the provider. */
function isFailure(error: unknown): error is ProviderError {
  return error instanceof ProviderError && error.fault !== 'no-token';
}

async function untilAborted(answer: Promise<ProviderAnswer>, signal: AbortSignal): Promise<ProviderAnswer> {
  const done = new AbortController();
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { signal: done.signal });
  });
  try {
    return await Promise.race([answer, aborted]);
  } finally {
    done.abort();
  }
}
