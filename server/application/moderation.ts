import type { Caller } from '../access/caller.queries.ts';
import { ADMINISTRATOR_LEVEL, isAdministrator, isBuiltIn } from '../access/clearance-levels.ts';
import { findModeration } from '../policy/policy.queries.ts';
import type { Services } from '../services/services.ts';
import { forbidden, notFound } from '../shared/domain-error.ts';

/** Whether the caller can decide at all: a user token of the built-in user has only its sponsor's level (D23). */
export function mayDecide({ owner_id, level }: Pick<Caller, 'owner_id' | 'level'>): boolean {
  return isAdministrator(level) || !isBuiltIn(owner_id);
}

/** Requires the right to decide for the group: 403 otherwise, below level 9 also when the group does not exist (D6). */
export async function requireModerator(
  { db }: Pick<Services, 'db'>,
  caller: Caller,
  groupId: string,
): Promise<void> {
  const { owner_id, level } = caller;
  const moderates = await findModeration(db, groupId, owner_id);
  if (isAdministrator(level)) {
    if (moderates === undefined) throw notFound('group', groupId);
    return;
  }
  if (moderates && mayDecide(caller)) return;
  throw forbidden({ level: ADMINISTRATOR_LEVEL, has: level, to: "deciding somebody else's applications" });
}
