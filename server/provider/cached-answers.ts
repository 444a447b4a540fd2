import { setImmediate } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import type { ExtScope } from '../../contract/scopes.ts';
import type { Database } from '../database/tables.ts';
import { LARGE } from '../shared/json-body.ts';
import { createSemaphore } from '../shared/semaphore.ts';
import {
  type Bodies,
  type FoundAnswer,
  findGrantWithAnswer,
  findPublicAnswer,
  type StoredAnswer,
  type StoredBody,
  type UsableGrant,
} from './cache.queries.ts';
import { fromStored } from './stored-body.ts';

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
 * Reads cached answers. A large one takes a thread and the event loop for milliseconds, a very large one a database
 * connection as well, so these are read one at a time, with the event loop free in between: many of them delay nobody
 * else.
 */
export function createCachedAnswers(db: Kysely<Database>): CachedAnswers {
  const oneAtATime = createSemaphore(LARGE_AT_ONCE);

  /** Looks without very large bodies first, as it cannot be known before which answer has one. */
  async function find<Found>(
    look: (bodies: Bodies) => Promise<Found>,
    answerIn: (found: Found) => FoundAnswer | undefined,
  ): Promise<{ readonly found: Found; readonly kept: StoredAnswer | undefined }> {
    const found = await look({ below: LARGE });
    const answer = answerIn(found);
    if (answer === undefined || answer.body !== null)
      return { found, kept: answer && (await unpacked(answer)) };
    return oneAtATime(async () => {
      const whole = answer.packed === null ? await look('all') : found;
      const late = answerIn(whole);
      const kept = late && (await unpacked(late));
      await setImmediate();
      return { found: whole, kept };
    });
  }

  return {
    async findPublic(key) {
      const { kept } = await find(
        (bodies) => findPublicAnswer(db, key, bodies),
        (answer) => answer,
      );
      return kept;
    },
    async findWithGrant(characterId, scope, key) {
      const { found, kept } = await find(
        (bodies) => findGrantWithAnswer(db, characterId, scope, key, bodies),
        (both) => both?.kept,
      );
      return found && { grant: found.grant, kept };
    },
  };
}

async function unpacked({ body, packed, ...answer }: FoundAnswer): Promise<StoredAnswer> {
  return { ...answer, body: await fromStored({ body, packed } as StoredBody) };
}
