import { expect } from 'vitest';
import { codesWith, type ErrorCode } from '../../contract/error-codes.ts';

/** Matches the `detail` of any 403 (D5). */
export const INSUFFICIENT: string = expect.stringMatching(/^Insufficient clearance level: \S.*[^.]\.$/);

/** The `detail` of a 403 for a missing level. */
export const needs = (level: number, has: number, what = 'this'): string =>
  `Insufficient clearance level: ${what} needs ${level}, and the token's owner has ${has}.`;

/** The `detail` of a 403 for missing authority. */
export const noAuthority = (mode: 'read' | 'write', over: string): string =>
  `Insufficient clearance level: no ${mode} authority over ${over}.`;

/** D73: checks that the code of a JSON error is in the list and belongs to its status. */
export function faultInCode(status: number, body: unknown): string | undefined {
  const { code, status_code } = (body ?? {}) as { code?: unknown; status_code?: unknown };
  if (code === 'provider_refused') return status_code === undefined ? 'no status_code' : undefined;
  return codesWith(status).includes(code as ErrorCode) ? undefined : `no code of a ${status}: ${code}`;
}
