import type { Caller } from '../access/caller.queries.ts';
import { ADMINISTRATOR_LEVEL, isAdministrator, isBuiltIn } from '../access/levels.ts';
import { findModeration } from '../policy/policy.queries.ts';
import type { Services } from '../services/services.ts';
import { forbidden, notFound } from '../shared/errors.ts';

/** 403 for whoever does not decide for the group; below level 9 whether it exists or not (D6). */
export async function requireModerator(
  { db }: Pick<Services, 'db'>,
  { owner_id, level }: Caller,
  groupId: string,
): Promise<void> {
  const moderates = await findModeration(db, groupId, owner_id);
  // A token of the built-in user is worth its sponsor's level, and no more (D23).
  if (isAdministrator(level)) {
    if (moderates === undefined) throw notFound('group', groupId);
    return;
  }
  if (moderates && !isBuiltIn(owner_id)) return;
  throw forbidden({ level: ADMINISTRATOR_LEVEL, has: level, to: "deciding somebody else's applications" });
}
