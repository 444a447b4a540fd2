import { retryAfterOf } from './errors.ts';

/** Statuses after which a retry may succeed. */
const PASSING = [429, 502, 503, 504];
/** Base of the exponential backoff in milliseconds; the actual pause is a random part of it. */
const FIRST_PAUSE = 250;
/** Maximum pause in milliseconds; when the service asks to wait longer, the call gives up. */
const LONGEST_PAUSE = 10_000;
/** Milliseconds; a timer of 2**31 or more ends at once. */
const LONGEST_TIMER = 2_000_000_000;

export interface Attempts {
  readonly retries: number;
  readonly timeout: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Sends a request with retries until the answer is final, or no retry or time is left. */
export async function sendWithRetries(
  send: (signal: AbortSignal | undefined) => Promise<Response>,
  { retries, timeout, signal }: Attempts,
): Promise<Response> {
  const until = Date.now() + (timeout ?? LONGEST_TIMER);
  const ending = endOf(signal, timeout);
  for (let tries = 0; ; tries += 1) {
    const response = await send(ending);
    const pause = Math.max(
      Math.random() * Math.min(FIRST_PAUSE * 2 ** tries, LONGEST_PAUSE),
      (retryAfterOf(response.headers) ?? 0) * 1000,
    );
    const again = tries < retries && PASSING.includes(response.status);
    if (!again || pause > LONGEST_PAUSE || Date.now() + pause >= until) return response;
    await response.body?.cancel();
    await wait(pause, ending);
  }
}

function endOf(signal: AbortSignal | undefined, timeout: number | undefined): AbortSignal | undefined {
  if (timeout === undefined) return signal;
  const late = AbortSignal.timeout(Math.min(Math.ceil(timeout), LONGEST_TIMER));
  return signal ? AbortSignal.any([signal, late]) : late;
}

/** Ends early when the signal does: what is sent then fails with the signal's reason. */
function wait(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, signal?.aborted ? 0 : milliseconds);
    signal?.addEventListener('abort', end);
  });
}
