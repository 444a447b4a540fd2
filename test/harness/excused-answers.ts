import type { Excuse } from './seen-answers.ts';

/** Answers of the OpenAPI document that tests need not produce, each with its reason. */
export const EXCUSED: readonly Excuse[] = [
  {
    answers: /^logout 403$/,
    reason: 'Everybody may log out; it stands there as with every operation that takes a token.',
  },
];
