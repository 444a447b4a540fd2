import { randomBytes } from 'node:crypto';

/** A new object identifier: 24 hexadecimal digits, seconds first so that new ones sort last. */
export function objectId(now: Date): string {
  const seconds = Math.floor(now.getTime() / 1000) % 2 ** 32;
  return seconds.toString(16).padStart(8, '0') + randomBytes(8).toString('hex');
}
