import { expect } from 'vitest';

/** The `detail` of a 403, whatever is missing (D5). */
export const INSUFFICIENT: string = expect.stringMatching(/^Insufficient clearance level: \S.*[^.]\.$/);

/** The `detail` of a 403 for a missing level. */
export const needs = (level: number, has: number, what = 'this'): string =>
  `Insufficient clearance level: ${what} needs ${level}, and the token's owner has ${has}.`;

/** The `detail` of a 403 for missing authority. */
export const noAuthority = (mode: 'read' | 'write', over: string): string =>
  `Insufficient clearance level: no ${mode} authority over ${over}.`;
