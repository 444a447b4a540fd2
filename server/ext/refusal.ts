import type { ProviderAnswer } from '../provider/answer.ts';
import { ProviderRefusal } from '../provider/refusal.ts';
import { harmless } from './harmless.ts';

/** Of the provider's words, as many as make a sentence. */
const MOST_WORDS = 500;

/** A 4xx of the provider for our caller: its words, and all that it said (D30). */
export function refusal({ status, headers, data }: ProviderAnswer): ProviderRefusal {
  const answer = { data, headers: harmless(headers), status_code: status };
  return new ProviderRefusal(wordsOf(data) ?? `The game answered ${status}.`, answer);
}

function wordsOf(data: unknown): string | undefined {
  const words = typeof data === 'object' && data !== null && 'error' in data ? (data.error as unknown) : data;
  return typeof words === 'string' && words !== '' ? words.slice(0, MOST_WORDS) : undefined;
}
