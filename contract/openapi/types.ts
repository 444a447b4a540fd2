/** The parts of OpenAPI 3.1 that the document uses. */
import type { AccessRule } from '../access.ts';

/** The JSON Schema keywords that the document uses. */
export interface JsonSchema {
  $ref?: string;
  type?: string | string[];
  description?: string;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: boolean | JsonSchema;
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  enum?: unknown[];
  default?: unknown;
  examples?: unknown[];
  format?: string;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  maxProperties?: number;
  contentMediaType?: string;
  contentSchema?: JsonSchema;
}

export interface OpenApiExample {
  summary: string;
  value: unknown;
}

export interface OpenApiResponse {
  description: string;
  headers?: Record<string, { $ref: string }>;
  content?: Record<
    string,
    { schema: JsonSchema; example?: unknown; examples?: Record<string, OpenApiExample | { $ref: string }> }
  >;
}

export interface OpenApiInfo {
  title: string;
  summary: string;
  description: string;
  contact: { name: string; url: string };
  license: { name: string; identifier: string };
  version: string;
}

interface ExternalDocs {
  description: string;
  url: string;
}

export interface Tag {
  name: string;
  description: string;
  externalDocs?: ExternalDocs;
}

export interface OpenApiHeader {
  description: string;
  schema: JsonSchema;
  example: unknown;
}

export interface OpenApiParameter {
  name: string;
  in: 'path' | 'query' | 'header';
  description: string;
  required: boolean;
  schema: JsonSchema;
  example: unknown;
}

export interface OpenApiOperation {
  tags: string[];
  operationId: string;
  summary: string;
  description: string;
  'x-access'?: AccessRule | 'public';
  security: Record<string, string[]>[];
  parameters?: OpenApiParameter[];
  requestBody?: {
    required: boolean;
    content: Record<string, { schema: JsonSchema; example: unknown }>;
  };
  responses: Record<string, OpenApiResponse | { $ref: string }>;
}

export type OpenApiPath = Partial<Record<'get' | 'put' | 'post' | 'delete', OpenApiOperation>>;

export interface OpenApiDocument {
  openapi: '3.1.0';
  info: OpenApiInfo;
  servers: { url: string; description: string }[];
  externalDocs: ExternalDocs;
  tags: readonly Tag[];
  security: Record<string, string[]>[];
  paths: Record<string, OpenApiPath>;
  /** Requests that the service sends, by name. */
  webhooks: Readonly<Record<string, OpenApiPath>>;
  components: {
    schemas: Record<string, JsonSchema>;
    responses: Record<string, OpenApiResponse>;
    examples: Record<string, OpenApiExample>;
    headers: Record<string, OpenApiHeader>;
    securitySchemes: Record<string, Record<string, string>>;
  };
}
