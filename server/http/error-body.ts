import type { HttpError } from './http-error.ts';

/**
 * The body of every error answer: `detail` for people, `code` for programs (D73), and what the error adds. Its schemas
 * are in `contract/error-body.ts`.
 */
export function errorBody({ detail, code, more }: HttpError): Readonly<Record<string, unknown>> {
  return { detail, code, ...more };
}
