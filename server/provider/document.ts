import { z } from 'zod';
import { ProviderError } from './http.ts';
import { type ProviderOperation, type RateGroup, RESERVED } from './operations.ts';
import { separatorOf } from './query.ts';
import { fromProviderScopes } from './scopes.ts';

const METHODS = ['get', 'post', 'put', 'delete', 'patch'] as const;

const Reference = z.object({ $ref: z.string() });
const Parameter = z.object({
  name: z.string(),
  in: z.string(),
  /** Swagger 2.0 has the type here, OpenAPI in the schema. */
  type: z.string().optional(),
  schema: z.unknown().optional(),
  // In a form that is unknown here, the default counts.
  style: z.string().optional().catch(undefined),
  explode: z.boolean().optional().catch(undefined),
  collectionFormat: z.string().optional().catch(undefined),
});
type Parameter = z.infer<typeof Parameter>;
const Schema = z.object({ type: z.union([z.string(), z.array(z.string())]).optional() });
const RateLimit = z.object({
  group: z.string().min(1).max(100),
  'max-tokens': z.number().int().positive(),
  'window-size': z.string().regex(/^\d+[smhd]$/),
});
const Response = z.object({ headers: z.record(z.unknown()).optional() });
const Security = z.array(z.record(z.array(z.string())));
const Operation = z.object({
  parameters: z.array(z.unknown()).optional(),
  responses: z.record(z.unknown()).optional(),
  security: Security.optional(),
  // Described in another way these limit nothing here; what the answers say counts all the same.
  'x-rate-limit': RateLimit.optional().catch(undefined),
  'x-cache-age': z.number().nonnegative().optional().catch(undefined),
  'x-cached-seconds': z.number().nonnegative().optional().catch(undefined),
});
const PathItem = z.record(z.unknown());
/** `security` is that of operations without their own; in an unknown form it concerns only those. */
const common = { paths: z.record(PathItem), security: z.unknown() };
const Document = z.union([
  z.object({ openapi: z.string().regex(/^3\./), ...common }).passthrough(),
  z.object({ swagger: z.literal('2.0'), ...common }).passthrough(),
]);
type Document = z.infer<typeof Document>;

const SECONDS = { s: 1, m: 60, h: 3600, d: 86_400 } as const;

/**
 * Parses the operations of the provider's document, OpenAPI 3 or Swagger 2.0 (provider.md §2). `skipped` are operations
 * that are described in an unknown form or need a scope that this service does not know, so that nobody could have
 * granted it.
 *
 * @throws ProviderError (`unusable`) when it is not such a document
 */
export function parseDocument(
  json: unknown,
  scopePrefix: string,
): { readonly operations: ProviderOperation[]; readonly skipped: string[] } {
  const parsed = Document.safeParse(json);
  if (!parsed.success) {
    throw new ProviderError('unusable', "the provider's document is neither OpenAPI 3 nor Swagger 2.0");
  }
  const operations: ProviderOperation[] = [];
  const skipped: string[] = [];
  for (const [path, described] of Object.entries(parsed.data.paths)) {
    const item = PathItem.safeParse(resolve(parsed.data, described)).data;
    if (item === undefined) {
      skipped.push(path);
      continue;
    }
    for (const method of METHODS.filter((name) => item[name] !== undefined)) {
      const operation = parseOperation(parsed.data, path, item, method, scopePrefix);
      if (operation === undefined) skipped.push(`${method.toUpperCase()} ${path}`);
      else operations.push(operation);
    }
  }
  if (operations.length === 0) throw new ProviderError('unusable', "the provider's document is empty");
  return { operations, skipped };
}

function parseOperation(
  document: Document,
  path: string,
  item: Readonly<Record<string, unknown>>,
  method: string,
  scopePrefix: string,
): ProviderOperation | undefined {
  const operation = Operation.safeParse(item[method]);
  const security = Security.optional().safeParse(operation.data?.security ?? document.security);
  const scope = security.success ? scopeOf(security.data, scopePrefix) : undefined;
  if (!operation.success || !path.startsWith('/') || scope === undefined) return undefined;
  const shared = Array.isArray(item['parameters']) ? item['parameters'] : [];
  const parameters = z
    .array(Parameter)
    .safeParse([...shared, ...(operation.data.parameters ?? [])].map((one) => resolve(document, one)));
  if (!parameters.success) return undefined;
  const query = queryOf(parameters.data);
  return {
    method: method.toUpperCase(),
    template: path.replace(/(.)\/+$/, '$1'),
    integers: parameters.data
      .filter((p) => p.in === 'path' && isOf('integer', document, p))
      .map((p) => p.name),
    query: query.map(({ name }) => name),
    lists: query
      .filter((parameter) => isOf('array', document, parameter))
      .map((parameter) => ({ name: parameter.name, separator: separatorOf(parameter) })),
    scope,
    rateGroup: rateGroupOf(operation.data['x-rate-limit']),
    paged: isPaged(document, operation.data, parameters.data),
    cacheSeconds: operation.data['x-cache-age'] ?? operation.data['x-cached-seconds'] ?? null,
  };
}

/**
 * The scope of a secured operation, which has exactly one, whatever the scheme is called; undefined when we do not know
 * it.
 */
function scopeOf(security: z.infer<typeof Security> | undefined, prefix: string) {
  const named = Object.values(security?.[0] ?? {}).flat();
  if (named.length === 0) return null;
  const { scopes, unknown } = fromProviderScopes(named, prefix);
  return unknown.length === 0 && scopes.length === 1 ? scopes[0] : undefined;
}

function rateGroupOf(limit: z.infer<typeof RateLimit> | undefined): RateGroup | null {
  if (limit === undefined) return null;
  const unit = limit['window-size'].slice(-1) as keyof typeof SECONDS;
  return {
    name: limit.group,
    maxTokens: limit['max-tokens'],
    windowSeconds: Number.parseInt(limit['window-size'], 10) * SECONDS[unit],
  };
}

/** Query parameters; where path and operation declare the same one, that of the operation, which comes later, counts. */
function queryOf(parameters: readonly Parameter[]): Parameter[] {
  const declared = parameters.filter(
    (parameter) => parameter.in === 'query' && !RESERVED.has(parameter.name),
  );
  return [...new Map(declared.map((parameter) => [parameter.name, parameter])).values()];
}

function isPaged(
  document: Document,
  { responses }: z.infer<typeof Operation>,
  parameters: readonly Parameter[],
): boolean {
  const response = Response.safeParse(resolve(document, responses?.['200']));
  const headers = Object.keys(response.data?.headers ?? {});
  return (
    headers.some((name) => name.toLowerCase() === 'x-pages') ||
    parameters.some((parameter) => parameter.in === 'query' && parameter.name === 'page')
  );
}

function isOf(type: string, document: unknown, parameter: Parameter): boolean {
  const schema = Schema.safeParse(resolve(document, parameter.schema));
  return [parameter.type ?? schema.data?.type].flat().includes(type);
}

/** Maximum number of steps when following a reference; a circular one resolves to nothing. */
const MOST_STEPS = 8;

function resolve(document: unknown, value: unknown): unknown {
  let found = value;
  for (let step = 0; step < MOST_STEPS; step += 1) {
    const reference = Reference.safeParse(found);
    if (!reference.success) return found;
    found = reference.data.$ref
      .replace(/^#\//, '')
      .split('/')
      .reduce<unknown>(
        (inside, key) =>
          (inside as Record<string, unknown> | undefined)?.[key.replaceAll('~1', '/').replaceAll('~0', '~')],
        document,
      );
  }
  return undefined;
}
