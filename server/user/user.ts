import type { Kysely } from 'kysely';
import { type User, type UserShort, userRoutes } from '../../contract/user.ts';
import { maySetLevel } from '../access/level-change.ts';
import type { Database } from '../database/tables.ts';
import { inTransaction } from '../database/transaction.ts';
import { lockOwnedGroups } from '../group/group.queries.ts';
import type { Parts } from '../parts.ts';
import { forbidden, notFound, revoked } from '../problem.ts';
import { findStandings } from '../registry/standing.queries.ts';
import { revokeGrants } from '../sign-in/grant.ts';
import { type Caller, findCaller } from '../token/token.queries.ts';
import {
  deleteUsers,
  findUser,
  findUserByName,
  listUsers,
  lockUsers,
  setLevel,
  type UserRow,
} from './user.queries.ts';

export function toUser(row: UserRow): User {
  return { ...row, created_on: row.created_on.toISOString(), updated_on: row.updated_on.toISOString() };
}

export async function allUsers({ db }: Pick<Parts, 'db'>): Promise<UserShort[]> {
  return listUsers(db);
}

export async function getUser({ db }: Pick<Parts, 'db'>, name: string): Promise<User> {
  const row = await findUserByName(db, name);
  if (row === undefined) throw notFound('user', name);
  return toUser(row);
}

/** Sets a user's level within the limits of D16; without a level nothing changes. */
export async function updateUser(
  { db, clock }: Pick<Parts, 'db' | 'clock'>,
  caller: Caller,
  characterId: number,
  level: number | undefined,
): Promise<User> {
  return inTransaction(db, async (tx) => {
    // Both rows: the caller must not be demoted while it raises somebody.
    await lockUsers(tx, [caller.owner_id, characterId]);
    const standing = await findStandings(tx, caller.owner_id, 'user', characterId);
    if (standing.caller === undefined) throw revoked();
    if (standing.target === undefined) throw notFound('user', characterId);
    const worth = { ...standing.caller, level: await presentLevel(tx, caller) };
    if (characterId === 0) throw forbidden();
    if (level !== undefined) {
      if (!maySetLevel(worth, standing.target, level)) throw forbidden();
      if (level !== standing.target.level) await setLevel(tx, characterId, level, clock.now());
    }
    const row = await findUser(tx, characterId);
    if (row === undefined) throw notFound('user', characterId);
    return toUser(row);
  });
}

/** Deletes a user with everything that hangs on it (D19b); needs at least the user's own level (D15). */
export async function removeUser(
  { db, queue }: Pick<Parts, 'db' | 'queue'>,
  caller: Caller,
  characterId: number,
): Promise<void> {
  await inTransaction(db, async (tx) => {
    await lockOwnedGroups(tx, characterId);
    const users = await lockUsers(tx, [caller.owner_id, characterId]);
    const target = users.find((user) => user.character_id === characterId);
    if (target === undefined) throw notFound('user', characterId);
    if (characterId === 0) throw forbidden();
    const level = await presentLevel(tx, caller);
    if (level < userRoutes.delete.metadata.access.level || level < target.clearance_level) throw forbidden();
    await revokeGrants(tx, queue, [characterId]);
    await deleteUsers(tx, [characterId]);
  });
}

/**
 * What the calling token can do once its owner's row is locked: since it was let in, the owner, or the sponsor
 * behind the built-in user (D23), may have been demoted.
 */
async function presentLevel(db: Kysely<Database>, { uuid }: Caller): Promise<number> {
  const caller = await findCaller(db, uuid);
  if (caller === undefined) throw revoked();
  return caller.level;
}
