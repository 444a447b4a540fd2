import type { ProviderAnswer } from '../provider/answer.ts';
import { ProviderRefusal } from '../provider/refusal.ts';
import { forwardedHeaders } from './forwarded-headers.ts';

/** Characters of the provider's message that are repeated. */
const MOST_WORDS = 500;

/** Converts a 4xx of the provider into an error with its message, headers and body (D30). */
export function refusal({ status, headers, data }: ProviderAnswer): ProviderRefusal {
  const answer = { data, headers: forwardedHeaders(headers), status_code: status };
  return new ProviderRefusal(wordsOf(data) ?? `The game answered ${status}.`, answer);
}

function wordsOf(data: unknown): string | undefined {
  const words = typeof data === 'object' && data !== null && 'error' in data ? (data.error as unknown) : data;
  return typeof words === 'string' && words !== '' ? words.slice(0, MOST_WORDS) : undefined;
}
