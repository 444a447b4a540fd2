/** Paths outside the contract, which need no token (docs/rules.md, "Paths"; D72). */
import { API_VERSION } from '../version.ts';
import { errorAnswer } from './errors.ts';
import { headers } from './headers.ts';
import type { JsonSchema, OpenApiParameter, OpenApiPath } from './types.ts';

interface ServiceOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly type: string;
  readonly schema: JsonSchema;
  readonly example: unknown;
  /** The reason of its 503, for the readiness check. */
  readonly unready?: string;
  /** Its path parameter, if it serves something by name that may not exist. */
  readonly named?: OpenApiParameter;
  /** Health checks are exempt from rate limits. */
  readonly limited: boolean;
}

function service(operation: ServiceOperation): OpenApiPath {
  const { operationId, summary, description, type, schema, example, unready, named, limited } = operation;
  return {
    get: {
      tags: ['service'],
      operationId,
      summary,
      description,
      security: [],
      ...(named && { parameters: [named] }),
      responses: {
        200: { description: summary, headers: headers(), content: { [type]: { schema, example } } },
        ...(type === 'text/html' && {
          304: { description: 'The page that the client has is the present one.' },
        }),
        ...(named && { 404: errorAnswer(404, ['path_unknown'], { description: 'There is no such guide.' }) }),
        ...(limited && { 429: { $ref: '#/components/responses/TooMany' } }),
        ...(unready !== undefined && {
          503: errorAnswer(503, ['database_unavailable', 'database_not_migrated'], { description: unready }),
        }),
      },
    },
  };
}

const TEXT: JsonSchema = { type: 'string' };

function object(properties: Record<string, JsonSchema>): JsonSchema {
  return { type: 'object', properties, required: Object.keys(properties) };
}

export const SERVICE_PATHS: Record<string, OpenApiPath> = {
  '/healthz': service({
    operationId: 'getHealth',
    limited: false,
    summary: 'The process is up',
    description: 'Answers as soon as the process listens. Exempt from rate limits.',
    type: 'application/json',
    schema: object({ status: { enum: ['ok'], type: 'string', description: 'Always the same.' } }),
    example: { status: 'ok' },
  }),
  '/readyz': service({
    operationId: 'getReadiness',
    limited: false,
    summary: 'Requests can be served',
    description: 'The database is reachable and migrated. Exempt from rate limits.',
    type: 'application/json',
    schema: object({ status: { enum: ['ready'], type: 'string', description: 'Always the same.' } }),
    example: { status: 'ready' },
    unready: 'The database cannot be reached or is not migrated.',
  }),
  '/version': service({
    operationId: 'getVersion',
    limited: true,
    summary: 'Which version this is',
    description:
      'Version and commit of the service, and a hash by which to see whether two instances promise the same.',
    type: 'application/json',
    schema: object({
      version: {
        type: 'string',
        description: 'Version of the service and of its API, by Semantic Versioning.',
      },
      commit: {
        type: ['string', 'null'],
        description: 'Hash of the commit that it was built from; null where that is not known.',
      },
      contract: {
        type: 'string',
        pattern: '^[0-9a-f]{64}$',
        description: 'SHA-256 of the contract: the same wherever the same is promised.',
      },
    }),
    example: {
      version: API_VERSION,
      commit: '3f786850e387550fdab836ed7e6dc881de23001b',
      contract: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    },
  }),
  '/docs': service({
    operationId: 'getDocumentation',
    limited: true,
    summary: 'This reference as a page',
    description: 'Works without access to the internet.',
    type: 'text/html',
    schema: TEXT,
    example: '<!doctype html>…',
  }),
  '/docs/guides/{guide}': service({
    operationId: 'getGuide',
    limited: true,
    summary: 'A guide as a page',
    description: 'The guides that the tags of this document name, and more.',
    type: 'text/html',
    schema: TEXT,
    example: '<!doctype html>…',
    named: {
      name: 'guide',
      in: 'path',
      description: 'Name of the guide.',
      required: true,
      schema: TEXT,
      example: 'signing-in',
    },
  }),
  '/openapi.json': service({
    operationId: 'getOpenApiJson',
    limited: true,
    summary: 'This document as JSON',
    description: 'OpenAPI 3.1.',
    type: 'application/json',
    schema: {
      ...object({ openapi: { type: 'string', description: 'Version of OpenAPI.' } }),
      additionalProperties: true,
    },
    example: { openapi: '3.1.0' },
  }),
  '/openapi.yaml': service({
    operationId: 'getOpenApiYaml',
    limited: true,
    summary: 'This document as YAML',
    description: 'OpenAPI 3.1.',
    type: 'application/yaml',
    schema: TEXT,
    example: 'openapi: 3.1.0\n',
  }),
  '/.well-known/jwks.json': service({
    operationId: 'getKeys',
    limited: true,
    summary: 'The public keys of the tokens',
    description:
      'A JSON Web Key Set. Applications may verify user tokens with it, must require their own `azp`, and ask `GET /token` before anything privileged.',
    type: 'application/json',
    schema: object({
      keys: {
        type: 'array',
        description: 'JSON Web Keys (RFC 7517).',
        items: { type: 'object', additionalProperties: true },
      },
    }),
    example: { keys: [{ kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA', use: 'sig', kid: '…', x: '…' }] },
  }),
};
