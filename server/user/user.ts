import type { User, UserGroup } from '../../contract/user.ts';
import { answersFor } from '../access/account.ts';
import { type Admission, readmit, readmitOver } from '../access/admission.ts';
import { isAdministrator, isBuiltIn } from '../access/clearance-levels.ts';
import { lackToSetLevel } from '../access/level-change.ts';
import { findPositions } from '../access/position.queries.ts';
import { inTransaction } from '../database/transaction.ts';
import { lockGrouping } from '../group/autogroup.queries.ts';
import { lockGroupsOf } from '../group/group.queries.ts';
import type { Services } from '../services/services.ts';
import { endUnwelcome } from '../session/end-sessions.ts';
import { forbidden, notFound, revoked } from '../shared/domain-error.ts';
import { followStandings, LEVEL, LOGIN_AND_LEVEL } from '../standing/standing-events.ts';
import { removeUsers } from './remove-users.ts';
import { lockForDeletion, setLevel } from './user.queries.ts';
import { findGroupsOf } from './user-groups.queries.ts';
import { findUser, findUserNamed, type UserRow } from './user-record.queries.ts';

export function toUser(row: UserRow): User {
  return { ...row, created_on: row.created_on.toISOString(), updated_on: row.updated_on.toISOString() };
}

export async function getUser({ db }: Pick<Services, 'db'>, nameOrId: string): Promise<User> {
  const row = await findUserNamed(db, nameOrId);
  if (row === undefined) throw notFound('user', nameOrId);
  return toUser(row);
}

/** The groups that a user is a member of, including autogroups (D70). */
export async function getGroupsOf({ db }: Pick<Services, 'db'>, nameOrId: string): Promise<UserGroup[]> {
  const groups = await findGroupsOf(db, nameOrId);
  if (groups === undefined) throw notFound('user', nameOrId);
  return groups;
}

/** Sets a user's level as D16 allows; without a level in the body nothing changes. */
export async function updateUser(
  services: Pick<Services, 'db' | 'clock' | 'queue' | 'touches'>,
  admission: Admission,
  characterId: number,
  level: number | undefined,
): Promise<User> {
  return inTransaction(services.db, async (tx) => {
    const { caller: asker, locked } = await readmitOver(tx, admission, [characterId]);
    const { caller, target } = await findPositions(tx, asker, 'user', characterId);
    if (caller === undefined) throw revoked();
    if (isBuiltIn(characterId)) throw forbidden({ never: 'nobody changes the built-in user' });
    // Whoever was registered since the lock was not there when this began.
    if (target === undefined || !locked.has(characterId)) {
      // Nobody gives more than the own level, whoever is meant (D6, D16).
      if (level !== undefined && caller.level < level) {
        throw forbidden({ level, has: caller.level, to: `setting level ${level}` });
      }
      throw notFound('user', characterId);
    }
    if (level !== undefined) {
      // By a user token, too, whose owner is another: its sponsor answers for it (D23).
      if (answersFor(asker) === characterId) throw forbidden({ never: 'nobody sets their own level' });
      const lack = lackToSetLevel(caller, target, level);
      if (lack !== undefined) throw forbidden(lack);
      await services.touches(tx, { users: [characterId] });
      const now = services.clock.now();
      const set = () => setLevel(tx, characterId, level, now);
      if (level !== target.level) {
        // A level gives or takes a login only where it makes or unmakes an administrator (D27b).
        const crosses = isAdministrator(level) !== isAdministrator(target.level);
        const own = crosses ? LOGIN_AND_LEVEL : LEVEL;
        await followStandings(tx, { users: [characterId] }, now, set, { own });
      }
      await endUnwelcome(services, tx, { users: [characterId] });
    }
    const row = await findUser(tx, characterId);
    if (row === undefined) throw notFound('user', characterId);
    return toUser(row);
  });
}

/** Deletes a user with all its data (D19b); needs at least the user's own level (D15). */
export async function removeUser(
  services: Pick<Services, 'db' | 'queue' | 'clock' | 'touches'>,
  admission: Admission,
  characterId: number,
): Promise<void> {
  await inTransaction(services.db, async (tx) => {
    await lockGroupsOf(tx, [characterId]);
    const caller = await readmit(tx, admission, [characterId]);
    const level = await lockForDeletion(tx, characterId);
    if (level === undefined) throw notFound('user', characterId);
    if (isBuiltIn(characterId)) throw forbidden({ never: 'nobody deletes the built-in user' });
    if (caller.level < level) {
      throw forbidden({ level, has: caller.level, to: `deleting a user of level ${level}` });
    }
    const rehearsed = await services.touches(tx, { users: [characterId] });
    if (!rehearsed) await lockGrouping(tx, false);
    await removeUsers(services, tx, [characterId], { by: answersFor(caller), now: services.clock.now() });
  });
}
