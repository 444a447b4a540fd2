import { randomBytes } from 'node:crypto';

/** Creates an object id: 24 hexadecimal digits that begin with the time in seconds, so that ids sort by creation. */
export function objectId(now: Date): string {
  const seconds = Math.floor(now.getTime() / 1000) % 2 ** 32;
  return seconds.toString(16).padStart(8, '0') + randomBytes(8).toString('hex');
}
