import type { ExternalForwardRequest } from '../../contract/ext.ts';
import type { ProviderOperation } from '../provider/operations.ts';
import { pairsOf, type Query } from '../provider/query.ts';
import { DomainError, type InvalidField, invalid } from '../shared/domain-error.ts';

/** Which part of the forwarded request the parameters came from. */
export type FieldsFrom = 'body' | 'query';

/** Maximum number of unknown parameters listed in an error. */
const MOST_NAMED = 20;

/**
 * Builds the query for the provider: null means absent, and a list is written as the provider's document declares for the
 * parameter, by commas where that declares none. A parameter that the document does not declare for the path is refused
 * with the names of the declared ones (D30).
 */
export function toQuery(
  params: ExternalForwardRequest['params'],
  { query, lists }: Pick<ProviderOperation, 'query' | 'lists'>,
  from: FieldsFrom,
): Query {
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
  // Reading the JSON has rounded it already.
  const inexact = given.find(([, value]) => [value].flat().some(isInexact));
  if (inexact !== undefined) {
    throw invalid([from, 'params', inexact[0]], 'Numbers beyond 2^53 - 1 must be sent as text');
  }
  const separatorOf = (name: string) => lists.find((list) => list.name === name)?.separator ?? ',';
  return given.flatMap(([name, value]) => pairsOf(name, value, separatorOf(name)));
}

function isInexact(value: unknown): boolean {
  return typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER;
}
