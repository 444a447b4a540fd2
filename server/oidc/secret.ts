import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** A new client secret: 256 random bits, so that a plain hash of it tells nothing (D81). */
export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** Whether a secret is the one behind a hash, in the same time whatever it is. */
export function isSecretOf(secret: string, hash: string): boolean {
  return timingSafeEqual(Buffer.from(hashSecret(secret)), Buffer.from(hash));
}
