/** The contract as an OpenAPI 3.1 document. */
import { type AppRoute, type AppRouter, isAppRoute } from '@ts-rest/core';
import { z } from 'zod';
import type { AccessRule, Authority, RouteMetadata, TokenKind } from './access.ts';
import { ADMINISTRATOR_LEVEL, GUEST_LEVEL, MAX_LEVEL } from './access.ts';
import { contract, PREVIEW_TYPE, Preview } from './index.ts';
import { errorResponse, examplesFor, sharedResponses } from './openapi/errors.ts';
import { HEADERS, headers } from './openapi/headers.ts';
import { exampleOf, nameInSteps, schemaOf, schemasFor } from './openapi/schema.ts';
import { SERVICE_PATHS } from './openapi/service.ts';
import { GUIDES, INFO, page, TAGS } from './openapi/texts.ts';
import type {
  OpenApiDocument,
  OpenApiOperation,
  OpenApiParameter,
  OpenApiPath,
  OpenApiResponse,
} from './openapi/types.ts';
import { webhooks } from './openapi/webhooks.ts';
import { AfterInQuery } from './paging.ts';
import { API_VERSION } from './version.ts';

export { GUIDES } from './openapi/texts.ts';
export type * from './openapi/types.ts';

/** One operation of the contract with the names that lead to it. */
export interface Operation {
  readonly resource: string;
  readonly name: string;
  readonly route: AppRoute;
  readonly metadata: RouteMetadata & { readonly operationId: string };
}

/** Every operation of the contract, in its order. */
export function operations(): Operation[] {
  return Object.entries(contract).flatMap(([resource, routes]) =>
    Object.entries<AppRoute | AppRouter>(routes).flatMap(([name, route]) =>
      isAppRoute(route) ? [{ resource, name, route, metadata: route.metadata as Operation['metadata'] }] : [],
    ),
  );
}

/** OpenAPI forbids two path templates that differ in the parameter's name only: these are published as one. */
const MERGED_PARAMETER: Readonly<Record<string, string>> = {
  '/user/:character_name': 'character',
  '/user/:character_id': 'character',
};

const documents = new Map<string, OpenApiDocument>();

/**
 * The OpenAPI document of the service, cached by address.
 *
 * @param baseUrl address of the service for clients, without a trailing slash
 * @param version version of the API
 */
export function openApiDocument(
  baseUrl = 'http://localhost:8080',
  version: string = API_VERSION,
): OpenApiDocument {
  return toItsEnd(documentInSteps(baseUrl, version));
}

function toItsEnd<T>(steps: Generator<undefined, T>): T {
  for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value;
}

/** The same, one operation at a time: all of it takes a tenth of a second. */
export function* documentInSteps(baseUrl: string, version: string): Generator<undefined, OpenApiDocument> {
  const key = JSON.stringify([baseUrl, version]);
  const cached = documents.get(key);
  if (cached !== undefined) return cached;
  const document = yield* newDocument(baseUrl, version);
  documents.set(key, document);
  return document;
}

function* newDocument(baseUrl: string, version: string): Generator<undefined, OpenApiDocument> {
  yield* nameInSteps();
  const paths: Record<string, OpenApiPath> = {};
  for (const operation of operations()) {
    const path = publishedPath(operation.route);
    const method = operation.route.method.toLowerCase() as keyof OpenApiPath;
    paths[path] = { ...paths[path], [method]: published(operation) };
    yield;
  }
  const responses = sharedResponses();
  const sent = webhooks();
  yield;
  return {
    openapi: '3.1.0',
    info: { ...INFO, version },
    servers: [{ url: baseUrl, description: 'This instance' }],
    externalDocs: { description: 'The guides', url: GUIDES },
    tags: TAGS,
    security: [{ token: [] }],
    paths: { ...paths, ...SERVICE_PATHS },
    webhooks: sent,
    components: {
      schemas: schemasFor([paths, SERVICE_PATHS, sent, responses]),
      responses,
      examples: examplesFor([paths, SERVICE_PATHS, responses]),
      headers: HEADERS,
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: 'A token of this service: `Authorization: Bearer <JWT>`.',
        },
      },
    },
  };
}

function publishedPath(route: AppRoute): string {
  return route.path.replace(/:(\w+)/g, (_, name: string) => `{${MERGED_PARAMETER[route.path] ?? name}}`);
}

function published({ resource, route, metadata }: Operation): OpenApiOperation {
  const parameters = parametersOf(route);
  const body = bodyOf(route);
  return {
    tags: [resource],
    operationId: metadata.operationId,
    summary: route.summary ?? '',
    description: `${route.description}\n\n**Access:** ${accessSentence(metadata.access)}`,
    'x-access': metadata.access,
    security: metadata.access === 'public' ? [] : [{ token: [] }],
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && { requestBody: body }),
    responses: responsesOf(route, metadata),
  };
}

// Requests -------------------------------------------------------------------------------------------------

function parametersOf(route: AppRoute): OpenApiParameter[] {
  const merged = MERGED_PARAMETER[route.path];
  return [
    ...parametersIn('path', route.pathParams).map((parameter) =>
      merged === undefined
        ? parameter
        : {
            ...parameter,
            name: merged,
            description: `${parameter.description} (\`${parameter.name}\` in the SDK: OpenAPI allows one name for each path.)`,
          },
    ),
    ...parametersIn('query', route.query),
    // Capitalised, which HTTP ignores: as `page`, generators would confuse it with the query parameter for paging.
    ...parametersIn('header', route.headers).map((parameter) => ({
      ...parameter,
      name: capital(parameter.name),
    })),
  ];
}

function capital(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

function parametersIn(where: OpenApiParameter['in'], group: unknown): OpenApiParameter[] {
  if (!(group instanceof z.ZodObject)) return [];
  return Object.entries(group.shape as z.ZodRawShape).map(([name, of]) => {
    // Without the members of a union: clients of many generators write its name into a query, but any value as it is.
    const { description = '', examples, anyOf: _, ...schema } = schemaOf(of, 'meant');
    const base = { name, in: where, description, required: where === 'path' || !of.isOptional() };
    const example = examples?.[0];
    if (schema.type !== 'object') return { ...base, schema, example };
    // Described as a string that contains JSON, not by `content`: some generators do not support parameters with a
    // media type.
    const text = { type: 'string', contentMediaType: 'application/json', contentSchema: schema };
    return { ...base, schema: text, example: JSON.stringify(example ?? schema.default) };
  });
}

function bodyOf(route: AppRoute): OpenApiOperation['requestBody'] {
  const body = 'body' in route ? route.body : undefined;
  if (!(body instanceof z.ZodType)) return undefined;
  const schema = schemaOf(body);
  return {
    required: !body.isOptional(),
    content: { 'application/json': { schema, example: exampleOf(schema) } },
  };
}

// Answers --------------------------------------------------------------------------------------------------

function responsesOf(route: AppRoute, metadata: RouteMetadata): OpenApiOperation['responses'] {
  const { access, mirrors, previews, codes = [] } = metadata;
  const answer = (status: number, response: unknown) => {
    if (status >= 400 && access !== 'public') {
      const waiting = waitsInLine(route, metadata) ? (['too_many_waiting'] as const) : [];
      const own = { ...metadata, access, codes: [...codes, ...waiting] };
      return errorResponse(status, schemaOf(response as z.ZodTypeAny), own);
    }
    const own = ownResponse(status, response, route);
    return previews ? withPreview(own) : own;
  };
  const listed = Object.fromEntries(
    Object.entries(route.responses).map(([status, response]) => [status, answer(Number(status), response)]),
  );
  return { ...listed, ...(mirrors && listed['400'] && { default: listed['400'] }) };
}

/** Whether its callers below level 9 wait for their other writes, of which a number may wait (D3c). */
function waitsInLine({ method }: AppRoute, { access, mirrors }: RouteMetadata): boolean {
  return method !== 'GET' && !mirrors && access !== 'public' && access.level < ADMINISTRATOR_LEVEL;
}

/**
 * Adds the answer of a dry run to an operation's success, under its own media type. The usual answer of a deletion has
 * no body (D1), and clients of most generators fail on that where any content is published: theirs is told in words.
 */
function withPreview({ description, content, ...response }: OpenApiResponse): OpenApiResponse {
  const schema = schemaOf(Preview);
  const told = `${description} With \`dry_run=true\`: who would gain or lose what, as \`${PREVIEW_TYPE}\``;
  if (content === undefined) return { description: `${told} with the schema \`Preview\`.`, ...response };
  return {
    description: `${told}.`,
    ...response,
    content: { ...content, [PREVIEW_TYPE]: { schema, example: exampleOf(schema) } },
  };
}

/** An answer of one operation: its success, or a page of the sign-in callback. */
function ownResponse(status: number, response: unknown, route: AppRoute): OpenApiResponse {
  const own = headers();
  if (status === 302) {
    own.Location = { $ref: '#/components/headers/Location' };
    return { description: "To the application's callback, signed in.", headers: own };
  }
  if (status >= 400) return page(status);
  if (parametersIn('header', route.headers).some(({ name }) => name === 'page')) {
    own['X-Pages'] = { $ref: '#/components/headers/X-Pages' };
  }
  if (hasPages(route)) {
    own['X-Next'] = { $ref: '#/components/headers/X-Next' };
  }
  const { positioned, also = {} } = route.metadata as RouteMetadata;
  if (positioned) own['Castellan-Position'] = { $ref: '#/components/headers/Castellan-Position' };
  if (!(response instanceof z.ZodType)) return { description: 'Done; the answer has no body.', headers: own };
  const { description = '', ...schema } = schemaOf(response);
  return {
    description,
    headers: own,
    content: {
      'application/json': { schema, example: exampleOf(schema) },
      ...Object.fromEntries(
        Object.entries(also).map(([type, example]) => [type, { schema: { type: 'string' }, example }]),
      ),
    },
  };
}

/** Whether its pages are linked by the header `X-Next`; a cursor in the body needs no header. */
function hasPages({ query }: AppRoute): boolean {
  const after = query instanceof z.ZodObject ? (query.shape as z.ZodRawShape).after : undefined;
  return after instanceof z.ZodOptional && after.unwrap() === AfterInQuery;
}

// Access ---------------------------------------------------------------------------------------------------

const TOKEN_NAMES: Readonly<Record<TokenKind, string>> = {
  dyn: 'a dynamic app token',
  per: 'a permanent app token',
  use: 'a user token',
};

/** The access rule of an operation in words (D18). */
export function accessSentence(access: AccessRule | 'public'): string {
  if (access === 'public') return 'no token; the state code is the proof.';
  const tokens = access.tokens.map((kind) => TOKEN_NAMES[kind]).join(' or ');
  const owner =
    access.level === GUEST_LEVEL
      ? 'whose owner may have any clearance level, guests included'
      : `whose owner has clearance level ${access.level}${access.level < MAX_LEVEL ? ' or more' : ''}`;
  return [
    `${tokens} ${owner}${access.authority === undefined ? '' : authorityWords(access.authority)}.`,
    ...(Object.entries(access.levelOf ?? {}) as [TokenKind, number][]).map(
      ([kind, least]) => `By ${TOKEN_NAMES[kind]} it needs level ${least}.`,
    ),
    ...Object.entries(access.fields ?? {}).map(([field, least]) => `Setting ${field} needs level ${least}.`),
    ...(access.levelFirst ? ['The level is judged before the type of the token.'] : []),
    ...(access.besides === undefined ? [] : [access.besides]),
  ].join(' ');
}

function authorityWords({ over, mode, param }: Authority): string {
  return `, and ${mode} authority over the ${over} that \`${param}\` names`;
}
