import { answersFor } from '../access/account.ts';
import type { Caller } from '../access/caller.queries.ts';
import { isAdministrator, READS_ALL_LEVEL, READS_OTHERS_LEVEL } from '../access/clearance-levels.ts';
import type { Reader } from './read.queries.ts';
import type { Viewer } from './show.ts';

/** Whom events are shown to: the token's owner, or its sponsor (D23), at the level that counts for the token. */
export function viewerOf(caller: Caller): Viewer {
  return {
    characterId: answersFor(caller),
    administrator: isAdministrator(caller.level),
    token: caller.uuid,
    // With a user token that was made from its permanent one, too.
    application:
      (caller.token_type === 'per' || caller.sponsor_id !== null) && caller.level >= READS_ALL_LEVEL,
  };
}

/** Level 9 sees all events; everybody else sees them according to its authority over users (D94). */
export function auditReader(caller: Caller): Reader {
  if (isAdministrator(caller.level)) return 'all';
  // A sponsor reads as itself, not as the built-in user.
  const asker = { owner_id: answersFor(caller), sponsor_id: null };
  return { ...asker, reachesOthers: caller.level >= READS_OTHERS_LEVEL };
}

/**
 * Like {@link auditReader}, except that applications of level 7 or more see all events (D92). Only webhooks have readers
 * among those below.
 */
export function feedReader(caller: Caller): Reader {
  const follows = caller.token_type === 'per' && caller.level >= READS_ALL_LEVEL;
  return follows ? 'all' : auditReader(caller);
}
