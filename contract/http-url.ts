import { z } from 'zod';
import { field } from './common.ts';

/** Maximum length of a URL that the service calls, in characters. */
const MAX_URL = 2000;

/** Why a URL cannot be called; undefined when it can. */
function faultIn(value: string): string | undefined {
  if (value.length > MAX_URL) return `Must have at most ${MAX_URL} characters`;
  if (!/^https?:\/\/[^\s\p{Cc}\p{Surrogate}]+$/iu.test(value) || !URL.canParse(value)) {
    return 'Must be an http or https URL';
  }
  const url = new URL(value);
  if (url.username !== '' || url.password !== '') return 'Must not hold a user name or password';
  if (value.includes('#')) return 'Must not have a fragment';
  return undefined;
}

/** A URL that the service calls or redirects browsers to (D29). */
export function httpUrl(description: string) {
  return field(
    z.string().superRefine((value, ctx) => {
      const fault = faultIn(value);
      if (fault !== undefined) ctx.addIssue({ code: 'custom', message: fault });
    }),
    `http or https URL of at most ${MAX_URL} characters, without user, password or fragment. ${description}`,
  );
}
