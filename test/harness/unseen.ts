import type { Excuse } from './seen.ts';

/** Answers of the OpenAPI document that no test has to see, each with its reason. */
export const EXCUSED: readonly Excuse[] = [
  {
    answers: /^logout 403$/,
    reason: 'Everybody may log out; it stands there as with every operation that takes a token.',
  },
];
