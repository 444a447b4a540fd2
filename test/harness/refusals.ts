import { expect } from 'vitest';
import { codesWith, type ErrorCode } from '../../contract/error-codes.ts';

/** The `detail` of a 403, whatever is missing (D5). */
export const INSUFFICIENT: string = expect.stringMatching(/^Insufficient clearance level: \S.*[^.]\.$/);

/** The `detail` of a 403 for a missing level. */
export const needs = (level: number, has: number, what = 'this'): string =>
  `Insufficient clearance level: ${what} needs ${level}, and the token's owner has ${has}.`;

/** The `detail` of a 403 for missing authority. */
export const noAuthority = (mode: 'read' | 'write', over: string): string =>
  `Insufficient clearance level: no ${mode} authority over ${over}.`;

/** D73: what is wrong with the code of an error answer in JSON: it is of the list, and comes with its own status. */
export function faultInCode(status: number, body: unknown): string | undefined {
  const { code, status_code } = (body ?? {}) as { code?: unknown; status_code?: unknown };
  if (code === 'provider_refused') return status_code === undefined ? 'no status_code' : undefined;
  return codesWith(status).includes(code as ErrorCode) ? undefined : `no code of a ${status}: ${code}`;
}
