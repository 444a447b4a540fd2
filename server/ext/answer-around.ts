import type { ExternalForwardAnswer } from '../../contract/ext.ts';
import type { JsonBytes, JsonText } from '../database/json-text.ts';
import type { ProviderAnswer } from '../provider/answer.ts';
import { forwardedHeaders } from './forwarded-headers.ts';

/**
 * The JSON before and after the provider's own, which is passed on as it is: to parse it takes time, and costs large
 * numbers their digits.
 */
export function answerAround(
  { status, headers }: Pick<ProviderAnswer, 'status' | 'headers'>,
  id_annotations: ExternalForwardAnswer['id_annotations'],
): { readonly head: string; readonly tail: string } {
  const rest: Omit<ExternalForwardAnswer, 'data'> = {
    headers: forwardedHeaders(headers),
    id_annotations,
    status_code: status,
  };
  return { head: '{"data":', tail: `,${JSON.stringify(rest).slice(1)}` };
}

/** The whole answer, of bytes where the provider's own is large. */
export function answerWith(
  answer: ProviderAnswer,
  id_annotations: ExternalForwardAnswer['id_annotations'],
): JsonText<ExternalForwardAnswer> | JsonBytes<ExternalForwardAnswer> {
  const { body } = answer;
  const { head, tail } = answerAround(answer, id_annotations);
  if (typeof body !== 'string') return Buffer.concat([Buffer.from(head), body, Buffer.from(tail)]);
  return `${head}${body === '' ? 'null' : body}${tail}`;
}
