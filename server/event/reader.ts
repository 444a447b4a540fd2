import type { Caller } from '../access/caller.queries.ts';
import { isAdministrator, READS_ALL_LEVEL, READS_OTHERS_LEVEL } from '../access/clearance-levels.ts';
import type { Reader } from './read.queries.ts';
import type { Beholder } from './show.ts';

/** Who reads events with a token: whoever stands behind it (D23), at the level that counts for it. */
export function beholderOf({ owner_id, sponsor_id, level }: Caller): Beholder {
  return { characterId: sponsor_id ?? owner_id, administrator: isAdministrator(level) };
}

/** Level 9 sees all; everybody else by whom he reaches (D94). */
export function auditReader({ owner_id, sponsor_id, level }: Caller): Reader {
  if (isAdministrator(level)) return 'all';
  // As that one itself, not as the built-in user, whose events are nobody else's.
  const asker = { owner_id: sponsor_id ?? owner_id, sponsor_id: null };
  return { ...asker, reachesOthers: level >= READS_OTHERS_LEVEL };
}

/** The same, but for applications that may read everybody: they follow all events (D92). */
export function feedReader(caller: Caller): Reader {
  const follows = caller.token_type === 'per' && caller.level >= READS_ALL_LEVEL;
  return follows ? 'all' : auditReader(caller);
}
