import type { Kysely } from 'kysely';
import type { Database } from '../database/tables.ts';
import { takeBlocks } from './windows.queries.ts';

interface Limit {
  readonly most: number;
  readonly uses: number;
  /** A minute where absent. */
  readonly windowMillis?: number;
}

/**
 * Counts uses of what is so rare that each use is counted in PostgreSQL, within the caller's transaction.
 *
 * @returns the seconds until so many uses are possible when fewer of the `most` of this window are left; otherwise
 * undefined. The caller's transaction then has to be rolled back, as what was left is counted.
 */
export async function secondsUntilUse(
  db: Kysely<Database>,
  key: string,
  { most, uses, windowMillis }: Limit,
  now: Date,
): Promise<number | undefined> {
  const [block] = await takeBlocks(db, [{ key, most, wanted: uses }], now, windowMillis);
  if (block === undefined || block.granted === uses) return undefined;
  return Math.max(1, Math.ceil((block.ends_on.getTime() - now.getTime()) / 1000));
}
