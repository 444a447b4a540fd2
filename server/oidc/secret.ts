import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** Creates a client secret of 256 random bits, enough for a plain hash to be safe (D81). */
export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** Compares a secret with a stored hash in constant time. */
export function isSecretOf(secret: string, hash: string): boolean {
  return timingSafeEqual(Buffer.from(hashSecret(secret)), Buffer.from(hash));
}
