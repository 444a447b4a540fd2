import type { AppRoute } from '@ts-rest/core';
import { z } from 'zod';
import type { RouteMetadata } from '../../../contract/access.ts';
import { limitsOf } from '../../../contract/json/limits.ts';
import { type Validator, validator } from './validator.ts';

type Part = 'pathParams' | 'headers' | 'query' | 'body';

/**
 * A route whose every part is checked by a {@link validator}; `body` is the schema of what it reads. A query may hold
 * what the contract names and nothing else, on an operation without parameters, too. The operation without a token is
 * where the provider sends browsers to: it may add to that query what it likes.
 */
export function validated(
  route: AppRoute,
  access: RouteMetadata['access'],
  body: z.ZodTypeAny | undefined,
): AppRoute {
  const { pathParams, headers, query = z.object({}) } = route;
  const services: Partial<Record<Part, Validator>> = {
    ...(isSchema(pathParams) && { pathParams: validator(pathParams, { noun: 'parameter' }) }),
    ...(isSchema(headers) && { headers: validator(headers, { noun: 'header' }) }),
    ...(body !== undefined && { body: validator(body, { noun: 'field' }) }),
    ...(access !== 'public' &&
      query instanceof z.ZodObject && {
        query: validator(query.strict(), { noun: 'parameter', elsewhere: placeOf({ headers, body }) }),
      }),
  };
  // ts-rest calls `safeParse` on them, and nothing else.
  return { ...route, ...(services as Pick<AppRoute, 'pathParams' | 'headers' | 'query'>) };
}

/** Where a parameter belongs that an operation does not take in its query. */
function placeOf({ headers, body }: { headers: unknown; body: unknown }) {
  const inHeaders = fieldsOf(headers);
  const inBody = fieldsOf(body);
  return (name: string): string | undefined => {
    if (inHeaders.has(name)) return `: this operation takes "${name}" in the header of that name`;
    if (inBody.has(name)) return `: this operation takes "${name}" in its body`;
    return undefined;
  };
}

function fieldsOf(schema: unknown): ReadonlySet<string> {
  return new Set(isSchema(schema) ? limitsOf(schema).object?.fields.keys() : []);
}

function isSchema(part: unknown): part is z.ZodTypeAny {
  return part instanceof z.ZodType;
}
