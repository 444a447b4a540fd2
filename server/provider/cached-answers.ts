import { setImmediate } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import type { ExtScope } from '../../contract/scopes.ts';
import type { Database } from '../database/tables.ts';
import { createSemaphore } from '../shared/semaphore.ts';
import { LARGE } from './answer.ts';
import {
  type Bodies,
  type FoundAnswer,
  findGrantWithAnswer,
  findPublicAnswer,
  type StoredAnswer,
  type UsableGrant,
} from './cache.queries.ts';

/** Large cached answers that a process reads concurrently. */
const LARGE_AT_ONCE = 1;

interface GrantWithAnswer {
  readonly grant: UsableGrant;
  readonly kept: StoredAnswer | undefined;
}

export interface CachedAnswers {
  /** The answer cached under a key for everybody. */
  findPublic(key: string): Promise<StoredAnswer | undefined>;
  /** The best grant for the scope with the answer cached for it; undefined without a grant. */
  findWithGrant(characterId: number, scope: ExtScope, key: string): Promise<GrantWithAnswer | undefined>;
}

/**
 * Reads cached answers. A large one takes a database connection and the event loop for milliseconds, so large ones are
 * read one at a time, with the event loop free in between: many of them delay nobody else.
 */
export function createCachedAnswers(db: Kysely<Database>): CachedAnswers {
  const inTurn = createSemaphore(LARGE_AT_ONCE);

  /** Looks without large bodies first, as it cannot be known before which answer is large. */
  async function find<Found>(
    look: (bodies: Bodies) => Promise<Found>,
    answerIn: (found: Found) => FoundAnswer | undefined,
  ): Promise<Found> {
    const found = await look({ below: LARGE });
    if (answerIn(found)?.body !== null) return found;
    return inTurn(async () => {
      const whole = await look('all');
      await setImmediate();
      return whole;
    });
  }

  return {
    async findPublic(key) {
      const found = await find(
        (bodies) => findPublicAnswer(db, key, bodies),
        (answer) => answer,
      );
      return found as StoredAnswer | undefined;
    },
    async findWithGrant(characterId, scope, key) {
      const found = await find(
        (bodies) => findGrantWithAnswer(db, characterId, scope, key, bodies),
        (both) => both?.kept,
      );
      return found as GrantWithAnswer | undefined;
    },
  };
}
