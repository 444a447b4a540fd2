import type { Kysely } from 'kysely';
import type { Database } from '../database/tables.ts';
import type { Clock } from '../shared/clock.ts';
import { sweep } from './budget.queries.ts';
import { beginGeneration } from './cache.queries.ts';

/** Bytes on disk that kept answers of the provider may take, for all processes together (D30). */
export const CACHE_BYTES = 512 * 1024 * 1024;
/** Share of them that a process may write between two looks at how many they are. */
const UNSEEN = 1 / 64;
/** One answer in so many is followed by a little tidying up. */
const SWEEP_EVERY = 50;
const SWEPT_AT_ONCE = 20;

/** Keeps the cache within its bounds while it is written to, so that no attack between two runs of a job fills it. */
export interface Upkeep {
  /** To be told of every answer: how many characters of it were kept. */
  after(kept: number): Promise<void>;
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
    async after(kept) {
      answered += 1;
      written += kept;
      if (written > cacheBytes * UNSEEN) {
        written = 0;
        await beginGeneration(db, cacheBytes);
      }
      if (answered % SWEEP_EVERY === 0) await sweep(db, clock.now(), SWEPT_AT_ONCE);
    },
  };
}
