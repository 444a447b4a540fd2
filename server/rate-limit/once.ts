import type { Kysely } from 'kysely';
import type { Database } from '../database/tables.ts';
import { takeBlocks } from './windows.queries.ts';

/**
 * Counts one use of what is so rare that each use is counted in PostgreSQL, within the caller's transaction.
 *
 * @returns the seconds until another use is possible when there were `most` in this minute; otherwise undefined
 */
export async function secondsUntilUse(
  db: Kysely<Database>,
  key: string,
  most: number,
  now: Date,
): Promise<number | undefined> {
  const [block] = await takeBlocks(db, [{ key, most, wanted: 1 }], now);
  if (block === undefined || block.granted > 0) return undefined;
  return Math.max(1, Math.ceil((block.ends_on.getTime() - now.getTime()) / 1000));
}
