import type { AppRoute } from '@ts-rest/core';
import { z } from 'zod';
import type { RouteMetadata } from '../../../contract/access.ts';
import { limitsOf } from '../../../contract/json/limits.ts';
import { type Validator, validator } from './validator.ts';

type Part = 'pathParams' | 'headers' | 'query' | 'body';

/**
 * Replaces a route's schemas by {@link validator}s; `body` is the schema of the body that it reads. The query may hold
 * only the parameters in the contract, also where the operation has none. The sign-in callback is the exception: the
 * provider may add parameters to it.
 */
export function validated(
  route: AppRoute,
  access: RouteMetadata['access'],
  body: z.ZodTypeAny | undefined,
): AppRoute {
  const { pathParams, headers, query = z.object({}) } = route;
  const validators: Partial<Record<Part, Validator>> = {
    ...(isSchema(pathParams) && { pathParams: validator(pathParams, { noun: 'parameter' }) }),
    ...(isSchema(headers) && { headers: validator(headers, { noun: 'header' }) }),
    ...(body !== undefined && { body: validator(body, { noun: 'field' }) }),
    ...(access !== 'public' &&
      query instanceof z.ZodObject && {
        query: validator(query.strict(), { noun: 'parameter', elsewhere: elsewhereOf({ headers, body }) }),
      }),
  };
  // ts-rest uses only their `safeParse`.
  return { ...route, ...(validators as Pick<AppRoute, 'pathParams' | 'headers' | 'query'>) };
}

/** Tells where a name belongs that was sent as a query parameter but is a field of the body or a header. */
function elsewhereOf({ headers, body }: { headers: unknown; body: unknown }) {
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
