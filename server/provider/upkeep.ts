import type { Kysely } from 'kysely';
import { sharedTime } from '../database/clock.queries.ts';
import type { Database } from '../database/tables.ts';
import type { Clock } from '../shared/clock.ts';
import { sweep } from './budget.queries.ts';
import { beginGeneration, type CachedAnswer } from './cache.queries.ts';

/** Maximum size of the cache on disk in bytes, over all processes (D30). */
export const CACHE_BYTES = 512 * 1024 * 1024;
/** Share of the maximum that a process may write between two checks of the size. */
const UNSEEN = 1 / 64;
/**
 * Bytes on disk of an answer besides its body: headers, keys, entries of indexes. Without them a million empty lists
 * would count as nothing.
 */
const ROW_BYTES = 1024;
/** After every so many answers a few expired rows are deleted. */
const SWEEP_EVERY = 50;
const SWEPT_AT_ONCE = 20;

/**
 * Keeps the cache below its maximum size while it is written to, so that an attacker cannot fill the disk between two
 * runs of a job.
 */
export interface Upkeep {
  /** Call it after every answer, with what of it was cached. */
  after(cached: CachedAnswer | undefined): Promise<void>;
}

export function createUpkeep({
  db,
  clock,
  cacheBytes = CACHE_BYTES,
}: {
  readonly db: Kysely<Database>;
  readonly clock: Clock;
  readonly cacheBytes: number | undefined;
}): Upkeep {
  let answered = 0;
  let written = 0;
  return {
    async after(cached) {
      answered += 1;
      if (cached !== undefined) written += ROW_BYTES + cached.body.length;
      if (written > cacheBytes * UNSEEN) {
        written = 0;
        await beginGeneration(db, cacheBytes);
      }
      if (answered % SWEEP_EVERY === 0) await sweep(db, await sharedTime(db, clock), SWEPT_AT_ONCE);
    },
  };
}
