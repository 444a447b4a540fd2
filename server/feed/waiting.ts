import type { Caller } from '../access/caller.queries.ts';
import { isBuiltIn } from '../access/clearance-levels.ts';
import { DomainError } from '../shared/errors.ts';

/** Requests that wait for events at the same time: of one caller, and in one process. */
const MOST = { each: 8, all: 1000 };

/** Holds a place for each request that waits; whoever has too many is refused one. */
export function createWaitingRoom(most = MOST): (caller: Caller) => () => void {
  const places = new Map<string, number>();
  let taken = 0;
  return (caller) => {
    const key = keyOf(caller);
    const held = places.get(key) ?? 0;
    if (held >= most.each || taken >= most.all) {
      throw new DomainError('too_many_waiting', 'Too many requests wait for events.', { retryAfter: 1 });
    }
    places.set(key, held + 1);
    taken += 1;
    return () => {
      const left = (places.get(key) ?? 1) - 1;
      if (left > 0) places.set(key, left);
      else places.delete(key);
      taken -= 1;
    };
  };
}

/** All tokens of a character count as one caller; those of the built-in user by their applications. */
function keyOf({ owner_id, sponsor_id, app_token }: Caller): string {
  const id = sponsor_id ?? owner_id;
  return isBuiltIn(id) ? app_token : String(id);
}
