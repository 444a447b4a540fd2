import type { ProviderAnswer } from '../provider/answer.ts';
import type { ProviderClient } from '../provider/client.ts';
import { ProviderError } from '../provider/http.ts';
import type { AdaptiveLimit } from '../queue/adaptive-limit.ts';

/** The run is over: nothing is asked any more. No ProviderError, for nobody failed. */
export class RunEnded extends Error {}

/** The way of one turn to the provider. */
export interface TurnClient extends ProviderClient {
  /** What the provider failed with, if it did: nothing more is asked in this turn. */
  readonly fault: ProviderError | undefined;
}

/** A client at the run's pace that gives up at its first fault, and at once when the run is told to end. */
export function createTurnClient(
  client: ProviderClient,
  limit: AdaptiveLimit,
  signal: AbortSignal,
): TurnClient {
  let fault: ProviderError | undefined;
  return {
    get fault() {
      return fault;
    },
    async ask(request) {
      if (!(await limit.acquire())) throw new RunEnded();
      try {
        if (fault !== undefined) throw fault;
        const answer = await untilAborted(client.ask({ ...request, patient: true }), signal);
        if (answer.status < 400 && !answer.kept) limit.succeeded();
        return answer;
      } catch (error) {
        if (fault === undefined && error instanceof ProviderError && error.fault !== 'no-token') {
          fault = error;
          limit.failed(error.message);
        }
        throw error;
      } finally {
        limit.release();
      }
    },
  };
}

async function untilAborted(answer: Promise<ProviderAnswer>, signal: AbortSignal): Promise<ProviderAnswer> {
  const done = new AbortController();
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(new RunEnded()), { signal: done.signal });
  });
  try {
    return await Promise.race([answer, aborted]);
  } finally {
    done.abort();
  }
}
