import type { Caller } from '../access/caller.queries.ts';
import { isBuiltIn } from '../access/clearance-levels.ts';
import { DomainError } from '../shared/domain-error.ts';

/** Maximum number of concurrent waiting requests: of one caller, and in this process. */
const MOST = { each: 64, all: 1000 };

/** Counts the waiting requests and refuses those above the limits; the returned function releases the permit. */
export function createWaitingRoom(most = MOST): (caller: Caller) => () => void {
  const heldBy = new Map<string, number>();
  let taken = 0;
  return (caller) => {
    const key = keyOf(caller);
    const held = heldBy.get(key) ?? 0;
    if (held >= most.each || taken >= most.all) {
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

/** All tokens of a character count as one caller; tokens of the built-in user count for each application. */
function keyOf({ owner_id, sponsor_id, app_token }: Caller): string {
  const id = sponsor_id ?? owner_id;
  return isBuiltIn(id) ? app_token : String(id);
}
