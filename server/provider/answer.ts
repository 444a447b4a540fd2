import type { z } from 'zod';
import { textOf } from '../shared/json-body.ts';
import { ProviderError, type RawAnswer } from './http.ts';

/** An answer of the provider with a status below 500. Shared by identical requests, so it must not be modified. */
export interface ProviderAnswer extends RawAnswer {
  /** The parsed body, parsed on first access; null for an empty body. */
  readonly data: unknown;
  /** True when it comes from the cache, so that it says nothing about the provider's present state. */
  readonly kept?: true;
}

/** Makes an answer whose body is JSON or empty; `parsed` if it was parsed already. */
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
      read ??= { data: body === '' ? null : (JSON.parse(textOf(body)) as unknown) };
      return read.data;
    },
    ...(kept && { kept }),
  };
}

export type Schema<T> = z.ZodType<T, z.ZodTypeDef, unknown>;

/**
 * What the answer to a path says.
 *
 * @throws ProviderError (`unusable`) for another status than 200, and for what the schema does not describe
 */
export function dataIn<T>({ status, data }: ProviderAnswer, path: string, schema: Schema<T>): T {
  if (status !== 200) throw new ProviderError('unusable', `the game's API answered ${status} to ${path}`);
  const parsed = schema.safeParse(data);
  if (!parsed.success)
    throw new ProviderError('unusable', `the game's API gave an unusable answer to ${path}`);
  return parsed.data;
}
