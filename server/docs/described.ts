import type { OpenApiDocument, OpenApiOperation } from '../../contract/openapi.ts';

export interface Described {
  /** Upper case. */
  readonly method: string;
  /** With `{parameters}`; for a webhook its name. */
  readonly path: string;
  readonly operation: OpenApiOperation;
}

export function describedIn(paths: OpenApiDocument['webhooks']): Described[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
}
