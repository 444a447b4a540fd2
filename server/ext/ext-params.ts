import type { ExternalForwardRequest } from '../../contract/ext.ts';
import type { ProviderOperation } from '../provider/operations.ts';
import { DomainError, type InvalidField } from '../shared/errors.ts';

/** Where the fields of a forwarded request came from. */
export type FieldsFrom = 'body' | 'query';

/** Unknown parameters that a refusal names. */
const MOST_NAMED = 20;

/**
 * The query for the provider: lists joined by commas, as it takes them; null is as good as absent. A parameter that
 * the provider's document does not declare for the path is refused with the names of the declared ones (D30).
 */
export function toQuery(
  params: ExternalForwardRequest['params'],
  { query }: Pick<ProviderOperation, 'query'>,
  from: FieldsFrom,
): Record<string, string> {
  const given = Object.entries(params).filter(([, value]) => value !== null);
  const unknown = given.filter(([name]) => !query.includes(name)).slice(0, MOST_NAMED);
  if (unknown.length > 0) {
    const msg = `Not a parameter of this path, which takes ${query.length === 0 ? 'none' : query.join(', ')}`;
    const issue = ([name]: readonly [string, unknown]): InvalidField => ({
      loc: [from, 'params', name],
      msg,
      type: 'unrecognized_keys',
    });
    throw new DomainError('invalid_request', unknown.map(issue));
  }
  return Object.fromEntries(given.map(([name, value]) => [name, String(value)]));
}
