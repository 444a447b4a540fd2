import type { ProviderAnswer } from '../provider/answer.ts';
import { HttpError } from '../shared/errors.ts';
import { harmless } from './harmless.ts';

/** Of the provider's words, as many as make a sentence. */
const MOST_WORDS = 500;

/**
 * A 4xx of the provider as our own answer: with its status, its words, and all that it said (D30). Its 401 becomes a
 * 502: our caller's token is good, it is ours that was refused.
 */
export function refusal({ status, headers, data }: ProviderAnswer): HttpError {
  const more = { data, headers: harmless(headers), status_code: status };
  return new HttpError(
    status === 401 ? 502 : status,
    wordsOf(data) ?? `The game answered ${status}.`,
    {},
    more,
  );
}

function wordsOf(data: unknown): string | undefined {
  const words = typeof data === 'object' && data !== null && 'error' in data ? (data.error as unknown) : data;
  return typeof words === 'string' && words !== '' ? words.slice(0, MOST_WORDS) : undefined;
}
