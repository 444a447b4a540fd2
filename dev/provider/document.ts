import type { Operation } from './operation.ts';
import { OPERATIONS } from './operations.ts';

/** Compatibility date of the description, and the newest that the operations know. */
const NEWEST_COMPATIBILITY_DATE = '2026-08-04';

type Paths = Record<string, Record<string, unknown>>;

/** The API's description in its present form: OpenAPI 3.1. */
export function openApiDocument(apiUrl: string, ssoUrl: string, scopePrefix: string): unknown {
  const describe = (operation: Operation) => ({
    operationId: operation.id,
    summary: operation.summary,
    parameters: parameters(operation).map(({ type, items, ...parameter }) => ({
      ...parameter,
      schema: { type, ...(items !== undefined && { items, minItems: 1 }) },
    })),
    ...(operation.method === 'POST'
      ? {
          requestBody: {
            required: true,
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Ids' } } },
          },
        }
      : {}),
    responses: {
      200: {
        description: 'OK',
        headers: operation.paged ? { 'X-Pages': { schema: { type: 'integer' } } } : {},
        content: { 'application/json': { schema: {} } },
      },
      default: {
        description: 'Error',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    },
    ...(operation.scope === undefined ? {} : { security: [{ OAuth2: [scopePrefix + operation.scope] }] }),
    ...(typeof operation.cached === 'number' ? { 'x-cache-age': operation.cached } : {}),
    ...(operation.rateGroup === undefined ? {} : { 'x-rate-limit': rateLimit(operation) }),
    'x-compatibility-date': '2020-01-01',
  });
  return {
    openapi: '3.1.0',
    info: { title: 'Simulated game API', version: NEWEST_COMPATIBILITY_DATE },
    servers: [{ url: apiUrl }],
    paths: paths((path) => path, describe),
    components: {
      schemas: {
        Ids: { type: 'array', items: { type: 'integer' }, minItems: 1, maxItems: 1000, uniqueItems: true },
        Error: { type: 'object', properties: { error: { type: 'string' } }, required: ['error'] },
      },
      securitySchemes: {
        OAuth2: {
          type: 'oauth2',
          flows: {
            authorizationCode: {
              authorizationUrl: `${ssoUrl}/v2/oauth/authorize`,
              tokenUrl: `${ssoUrl}/v2/oauth/token`,
              scopes: scopes(scopePrefix),
            },
          },
        },
      },
    },
  };
}

/** The API's description in its former form: Swagger 2.0. */
export function swaggerDocument(apiUrl: string, ssoUrl: string, scopePrefix: string): unknown {
  const { host, pathname, protocol } = new URL(apiUrl);
  const describe = (operation: Operation) => ({
    operationId: operation.id,
    summary: operation.summary,
    parameters: [
      ...parameters(operation),
      ...(operation.method === 'POST'
        ? [{ name: 'ids', in: 'body', required: true, schema: { type: 'array', items: { type: 'integer' } } }]
        : []),
    ],
    responses: { 200: { description: 'OK' } },
    ...(operation.scope === undefined ? {} : { security: [{ evesso: [scopePrefix + operation.scope] }] }),
    ...(typeof operation.cached === 'number' ? { 'x-cached-seconds': operation.cached } : {}),
  });
  return {
    swagger: '2.0',
    info: { title: 'Simulated game API', version: '1.0' },
    host,
    basePath: `${pathname.replace(/\/$/, '')}/latest`,
    schemes: [protocol.slice(0, -1)],
    paths: paths((path) => `${path}/`, describe),
    securityDefinitions: {
      evesso: {
        type: 'oauth2',
        flow: 'implicit',
        authorizationUrl: `${ssoUrl}/v2/oauth/authorize`,
        scopes: scopes(scopePrefix),
      },
    },
  };
}

function paths(name: (path: string) => string, describe: (operation: Operation) => unknown): Paths {
  const found: Paths = {};
  for (const operation of OPERATIONS) {
    const path = name(operation.path);
    found[path] = { ...found[path], [operation.method.toLowerCase()]: describe(operation) };
  }
  return found;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly type: string;
  readonly items?: unknown;
}

/** Of lists no form is described, so that the default counts: of the present document another one than of the former. */
function parameters({ path, paged, query = {} }: Operation): Parameter[] {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    type: 'integer',
  }));
  const inQuery = Object.entries({ ...(paged && { page: 'integer' }), ...query })
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, type]) => ({
      name,
      in: 'query',
      required: false,
      type,
      ...(type === 'array' && { items: { type: 'integer' } }),
    }));
  return [...inPath, ...inQuery];
}

function scopes(prefix: string): Record<string, string> {
  const names = OPERATIONS.flatMap(({ scope }) => (scope === undefined ? [] : [prefix + scope]));
  return Object.fromEntries([...new Set(names)].sort().map((name) => [name, name]));
}

function rateLimit({ rateGroup }: Operation): unknown {
  if (rateGroup === undefined) return undefined;
  return {
    group: rateGroup.group,
    'max-tokens': rateGroup.maxTokens,
    'window-size': `${rateGroup.windowSeconds / 60}m`,
  };
}
