import type { Run } from '../queue/run.ts';
import { untilAborted } from '../shared/until-aborted.ts';
import { type Bounds, createAdaptiveLimit } from './adaptive-limit.ts';
import { chargedToJobs, type ProviderClient, type ProviderRequest } from './client.ts';
import type { ErrorTally } from './error-budget.ts';
import { ProviderError } from './http.ts';
import { TRIES } from './send-within-limits.ts';

/** Options of a run's provider client. */
export interface RunClientOptions extends Bounds {
  /** No retries, and an invalid refresh token is left to the job `check-grants` (D63). */
  readonly patient?: boolean;
  /** Share of the run's time limit that is reserved for writing the results. */
  readonly timeToWrite?: number;
}

/** The provider client of one run of a job. */
export interface RunClient extends ProviderClient {
  /** A client for one unit of work of the run, within the limits of the run. */
  unit(): UnitClient;
  /** Stops the run: no further requests are sent. */
  stop(why: string): void;
  /** Why no further requests are sent; undefined while they are. */
  readonly stopped: string | undefined;
}

/**
 * A client for work that is postponed as a whole: after its first failure it sends no further requests, and counts as
 * one failure. Only optional requests may fail before that, each as a failure of the run. A used-up rate limit of its
 * character ends it, too, and is no failure of the run.
 */
interface UnitClient extends ProviderClient {
  /** The provider's failure, if there was one. */
  readonly fault: ProviderError | undefined;
  /** Whether any of its requests, optional ones included, was a failure of the run. */
  readonly failed: boolean;
}

type UnitState = { -readonly [Field in Exclude<keyof UnitClient, 'ask'>]: UnitClient[Field] };

/** A unit of work cannot continue because the run has ended. Not a ProviderError, as nothing failed. */
export class RunEnded extends Error {}

/** Why a run leaves the rest to the next one when the provider is slow. */
export const OUT_OF_TIME = 'the provider is too slow to be asked for everything in one run';

/**
 * Creates the provider client of a run of a job: few concurrent requests, a limit of errors, and only while the
 * provider is healthy and time is left. After that a request throws ProviderError `exhausted`, one of a unit of work
 * {@link RunEnded}. When the run's signal is aborted, both throw its reason at once.
 */
export function createRunClient(
  client: ProviderClient,
  { signal, timeLeft }: Pick<Run, 'signal' | 'timeLeft'>,
  options: RunClientOptions,
): RunClient {
  const { timeToWrite = 0 } = options;
  const charged = chargedToJobs(client);
  const limit = createAdaptiveLimit(options, signal);

  async function ask(request: ProviderRequest, unit?: UnitState) {
    const patient = options.patient || request.patient === true;
    const tally: ErrorTally = { errors: 0 };
    const slot = await limit.acquire(mostErrors(request, patient));
    try {
      signal.throwIfAborted();
      if (timeLeft() < timeToWrite) limit.stop(OUT_OF_TIME);
      if (slot === undefined || limit.stopped !== undefined) throw over(limit.stopped, unit !== undefined);
      if (unit?.fault !== undefined) throw unit.fault;
      const answer = await untilAborted(charged.ask({ ...request, patient, tally }), signal);
      if (answer.status < 400 && !answer.kept) limit.succeeded();
      return answer;
    } catch (error) {
      if (slot !== undefined && isFailure(error) && unit?.fault === undefined) {
        if (!error.ofCharacter) limit.failed(error.message);
        if (unit !== undefined && !error.ofCharacter) unit.failed = true;
        if (unit !== undefined && (!request.optional || error.fault === 'exhausted')) unit.fault = error;
      }
      throw error;
    } finally {
      slot?.release(tally.errors);
    }
  }

  return {
    ask: (request) => ask(request),
    unit() {
      const unit: UnitState = { fault: undefined, failed: false };
      return {
        get fault() {
          return unit.fault;
        },
        get failed() {
          return unit.failed;
        },
        ask: (request) => ask(request, unit),
      };
    },
    stop: limit.stop,
    get stopped() {
      return limit.stopped;
    },
  };
}

function over(why = '', inUnit: boolean): Error {
  const message = `nothing more is asked in this run: ${why}`;
  return inUnit ? new RunEnded(message) : new ProviderError('exhausted', message);
}

/**
 * Maximum number of errors that a request may cause: with an access token twice as many, as a refused token is renewed
 * and tried again.
 */
function mostErrors({ as }: ProviderRequest, patient: boolean): number {
  return (patient ? 1 : TRIES) * (as === undefined ? 1 : 2);
}

/** Whether an error means a failing provider; a user without a token does not. */
function isFailure(error: unknown): error is ProviderError {
  return error instanceof ProviderError && error.fault !== 'no-token';
}
