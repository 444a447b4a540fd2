import type { Kysely } from 'kysely';
import type { Database } from '../database/tables.ts';
import {
  createFairSemaphore,
  type FairSemaphore,
  type FairSemaphoreLimits,
  within,
} from '../shared/fair-semaphore.ts';
import { answersFor } from './account.ts';
import { type Admission, goneOf, rejudge } from './admission.ts';
import type { Caller } from './caller.queries.ts';
import { isAdministrator } from './clearance-levels.ts';

/**
 * Runs `work` when its turn among the requests of this process has come. Whoever had to wait is judged anew then: the
 * token may have been deleted meanwhile, or its owner demoted (D14, D20, D27b). So `work` goes by the admission that it
 * is given.
 *
 * @param key who takes turns: for most lines the caller
 * @param isStale whether the request has waited for something else since it was judged
 */
export type Line = <T>(
  key: string,
  admission: Admission,
  work: (admission: Admission) => Promise<T>,
  isStale?: boolean,
) => Promise<T>;

/** Lines in which requests wait for others of this process before they take a connection (D3c). */
export interface Lines {
  /** By group: its row is locked by one at a time anyway, so the others need no connection to wait for it. */
  readonly groups: Line;
  /** By the caller below level 9, for the same reason: each of its writes locks its own row. */
  readonly callers: Line;
  /** Dry runs and writes with many ids of callers below level 9, which hold a connection for seconds. */
  readonly slowWrites: Line;
  /** By the caller: pages of events, of which thousands are judged for each caller who does not see all (D94). */
  readonly events: Line;
  /** By the caller: the compliance of thousands of members takes seconds of the database and of the event loop. */
  readonly compliance: Line;
  /** By the caller: reads of the feed by requests that wait for events, as many of a caller as may wait (D92). */
  readonly looks: Line;
}

/** Milliseconds that a request waits, as long as PostgreSQL would let it wait for a lock. */
const WAIT_FOR = 30_000;

/**
 * Slow writes and reads that run at a time, of all lines together. With those of requests that wait for events they are
 * fewer than the pool has connections, so that everybody else gets one.
 */
const MOST_SLOW = 6;

/** Sign-ins that are stored at a time, each within some tens of milliseconds, and those of one corporation. */
const MOST_SIGN_INS = { all: 3, ofCorporation: 2 };

/** Maximum number of requests of one caller that wait: as many writes as a user has in half a minute (D60), fewer reads. */
const MOST_WAITING = { writes: 300, reads: 64 };

/** A sign-in's character, and the corporation that it is to be stored in. */
interface SigningIn {
  readonly character: number;
  readonly corporation: number | null;
}

/** Waits for a permit to store a sign-in; the returned function releases it. */
export type SignInLimit = (who: SigningIn) => Promise<() => void>;

/**
 * Limits the transactions of sign-ins: where an alliance of thousands joins a coalition they wait for that, and would
 * take all connections meanwhile (D3c). Those of one character wait for the same row, and those of a corporation for a
 * change of it, so neither takes all permits.
 */
export function createSignInLimit(): SignInLimit {
  const ofCharacters = semaphoreOf('sign-ins', { most: Number.POSITIVE_INFINITY, each: 1 });
  const all = semaphoreOf('sign-ins', { most: MOST_SIGN_INS.all, each: MOST_SIGN_INS.ofCorporation });
  const stays = () => new AbortController().signal;
  return ({ character, corporation }) =>
    within(all, String(corporation), ofCharacters).enter(String(character), stays);
}

export function createLines(db: Kysely<Database>): Lines {
  const unlimited = Number.POSITIVE_INFINITY;
  const lineOf = (...line: Parameters<typeof semaphoreOf>) => createLine(db, semaphoreOf(...line));
  const allSlow = semaphoreOf('slow requests', { most: MOST_SLOW, each: MOST_SLOW });
  const slowLineOf = (...line: Parameters<typeof semaphoreOf>) =>
    createLine(db, within(allSlow, line[0], semaphoreOf(...line)));
  return {
    groups: lineOf('changes', { most: unlimited, each: 1 }),
    callers: lineOf('changes', { most: unlimited, each: 1, queued: MOST_WAITING.writes }),
    slowWrites: slowLineOf('changes', { most: MOST_SLOW, each: 1 }),
    events: slowLineOf('readers of events', { most: 3, each: 2, queued: MOST_WAITING.reads }),
    compliance: slowLineOf('readers of compliance', { most: 2, each: 1, queued: MOST_WAITING.reads }),
    looks: lineOf('readers of events', { most: 3, each: 3 }),
  };
}

function semaphoreOf(
  what: string,
  limits: Pick<FairSemaphoreLimits, 'most' | 'each' | 'queued'>,
): FairSemaphore {
  const detail = `Too many ${what} are waiting at the moment.`;
  return createFairSemaphore({
    ...limits,
    waitFor: WAIT_FOR,
    crowded: { code: 'database_unavailable', detail },
  });
}

function createLine(db: Kysely<Database>, semaphore: FairSemaphore): Line {
  return async (key, admission, work, isStale = false) => {
    let isOutdated = isStale;
    const leave = await semaphore.enter(key, () => {
      isOutdated = true;
      return goneOf(admission);
    });
    try {
      return await work(isOutdated ? { ...admission, caller: await rejudge(db, admission) } : admission);
    } finally {
      leave();
    }
  };
}

/**
 * Runs a write in its caller's line: the transaction locks the caller's row (`readmit`), so that a second one would
 * only occupy a connection while it waits for the first (D3c). Levels 9 and 10 do not wait here.
 */
export async function inLineOfCaller<T>(
  lines: Pick<Lines, 'callers'>,
  admission: Admission,
  work: (admission: Admission) => Promise<T>,
): Promise<T> {
  const { caller } = admission;
  return isAdministrator(caller.level) ? work(admission) : lines.callers(lineKeyOf(caller), admission, work);
}

/**
 * The key of a caller in a line: all tokens that one user is responsible for share it, but for dynamic ones, as the
 * sign-ins that an application starts do not wait for what its owner does.
 */
export function lineKeyOf(caller: Caller): string {
  return caller.token_type === 'dyn' ? caller.uuid : String(answersFor(caller));
}
