import { accountKey } from '../access/account.ts';
import type { Caller } from '../access/caller.queries.ts';
import { READS_ALL_LEVEL } from '../access/clearance-levels.ts';
import { DomainError } from '../shared/domain-error.ts';

/**
 * Maximum number of concurrent waiting requests: of one caller, and in this process. Callers below level 7 enter only
 * while there are fewer, so that a few of them do not keep out the applications, which have at least that level here.
 */
const MOST = { each: 64, all: 1000, belowReadingAll: 800 };

/** Counts the waiting requests and refuses those above the limits; the returned function releases the permit. */
export function createWaitingRoom(most = MOST): (caller: Caller) => () => void {
  const heldBy = new Map<string, number>();
  let taken = 0;
  return (caller) => {
    const key = accountKey(caller);
    const held = heldBy.get(key) ?? 0;
    const all = caller.level >= READS_ALL_LEVEL ? most.all : most.belowReadingAll;
    if (held >= most.each || taken >= all) {
      throw new DomainError('too_many_waiting', 'Too many requests wait for events.', { retryAfter: 1 });
    }
    heldBy.set(key, held + 1);
    taken += 1;
    return () => {
      const left = (heldBy.get(key) ?? 1) - 1;
      if (left > 0) heldBy.set(key, left);
      else heldBy.delete(key);
      taken -= 1;
    };
  };
}
