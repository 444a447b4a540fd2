import type { Caller } from '../access/caller.queries.ts';
import { ADMINISTRATOR_LEVEL, isAdministrator, isBuiltIn } from '../access/clearance-levels.ts';
import { findModeration } from '../policy/policy.queries.ts';
import type { Services } from '../services/services.ts';
import { forbidden, notFound } from '../shared/domain-error.ts';

/** Requires the right to decide for the group: 403 otherwise, below level 9 also when the group does not exist (D6). */
export async function requireModerator(
  { db }: Pick<Services, 'db'>,
  { owner_id, level }: Caller,
  groupId: string,
): Promise<void> {
  const moderates = await findModeration(db, groupId, owner_id);
  // A user token of the built-in user has no more than its sponsor's level (D23).
  if (isAdministrator(level)) {
    if (moderates === undefined) throw notFound('group', groupId);
    return;
  }
  if (moderates && !isBuiltIn(owner_id)) return;
  throw forbidden({ level: ADMINISTRATOR_LEVEL, has: level, to: "deciding somebody else's applications" });
}
