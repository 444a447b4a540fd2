import type { RawAnswer } from './http.ts';

/** What the provider answered below 500. Shared with identical requests: not to be changed. */
export interface ProviderAnswer extends RawAnswer {
  /** What the body holds, parsed when it is asked for; null for an empty body. */
  readonly data: unknown;
  /** Out of the cache: it says nothing about how the provider is at this moment. */
  readonly kept?: true;
}

/** An answer whose body is JSON or empty; `parsed` where it was read already. */
export function answerOf(
  { status, headers, body }: RawAnswer,
  { parsed, kept }: { readonly parsed?: { readonly data: unknown }; readonly kept?: true } = {},
): ProviderAnswer {
  let read = parsed;
  return {
    status,
    headers,
    body,
    get data() {
      read ??= { data: body === '' ? null : (JSON.parse(body) as unknown) };
      return read.data;
    },
    ...(kept && { kept }),
  };
}
