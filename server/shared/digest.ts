import { createHash } from 'node:crypto';

/** The hash that is stored in place of a long random secret: enough to recognise the secret, but not to recover it. */
export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
