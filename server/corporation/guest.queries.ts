import type { Kysely } from 'kysely';
import type { UserShort } from '../../contract/user.ts';
import { MEMBER_LEVEL } from '../access/clearance-levels.ts';
import type { Database } from '../database/tables.ts';

/** Guests of a corporation, in the order of D9. */
export async function listGuests(db: Kysely<Database>, corporationId: number): Promise<UserShort[]> {
  return db
    .selectFrom('users')
    .select(['character_id', 'character_name'])
    .where('corporation_id', '=', corporationId)
    .where('clearance_level', '<', MEMBER_LEVEL)
    .orderBy('name_key')
    .orderBy('character_id')
    .execute();
}

/** Locks a guest until the transaction ends; false when the user is not a guest of this corporation. */
export async function lockGuest(
  db: Kysely<Database>,
  corporationId: number,
  characterId: number,
): Promise<boolean> {
  const row = await db
    .selectFrom('users')
    .select('character_id')
    .where('character_id', '=', characterId)
    .where('corporation_id', '=', corporationId)
    .where('clearance_level', '<', MEMBER_LEVEL)
    .forUpdate()
    .executeTakeFirst();
  return row !== undefined;
}

/** Whether a hand-made group forbids the guest to log in. Guests are no members of the voice autogroup (D18b). */
export async function isShutOut(db: Kysely<Database>, characterId: number): Promise<boolean> {
  const row = await db
    .selectFrom('group_members')
    .innerJoin('groups', 'groups.group_id', 'group_members.group_id')
    .select('groups.group_id')
    .where('group_members.character_id', '=', characterId)
    .where('groups.authorized_to_login', '=', false)
    .where('groups.is_voice', '=', false)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
