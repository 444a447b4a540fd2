import { createHash } from 'node:crypto';

/** What is stored of a long random text that proves something: by it the text is known again, and not known. */
export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
