import type { Kysely } from 'kysely';
import type { UserShort } from '../../contract/user.ts';
import { nameKey } from '../database/name-key.ts';
import { objectId } from '../database/object-id.ts';
import type { Database } from '../database/tables.ts';
import { recordEvents } from '../event/record.ts';
import { autogroupEvent, lockGroupNames } from '../group/autogroup.queries.ts';

/** Locks a user against deletion until the transaction ends; undefined when it does not exist. */
export async function lockUser(db: Kysely<Database>, characterId: number): Promise<UserShort | undefined> {
  return db
    .selectFrom('users')
    .select(['character_id', 'character_name'])
    .where('character_id', '=', characterId)
    .forKeyShare()
    .executeTakeFirst();
}

export interface Challenge {
  readonly character_id: number;
  readonly nickname: string;
  readonly expires_on: Date;
}

/** Stores a challenge in place of the user's former one (D40). */
export async function replaceChallenge(db: Kysely<Database>, challenge: Challenge): Promise<void> {
  await db
    .insertInto('voice_challenges')
    .values(challenge)
    .onConflict((conflict) => conflict.column('character_id').doUpdateSet(challenge))
    .execute();
}

/** The nickname of a user's challenge; undefined without a valid challenge (D40). */
export async function findChallenge(
  db: Kysely<Database>,
  characterId: number,
  now: Date,
): Promise<string | undefined> {
  const challenge = await db
    .selectFrom('voice_challenges')
    .select('nickname')
    .where('character_id', '=', characterId)
    .where('expires_on', '>', now)
    .executeTakeFirst();
  return challenge?.nickname;
}

/** Deletes expired challenges; there is at most one per user. */
export async function deleteExpiredChallenges(db: Kysely<Database>, now: Date): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('voice_challenges')
    .where('expires_on', '<=', now)
    .executeTakeFirst();
  return Number(numDeletedRows);
}

/** Deletes a challenge; false when it was used or replaced meanwhile. */
export async function consumeChallenge(
  db: Kysely<Database>,
  characterId: number,
  nickname: string,
): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('voice_challenges')
    .where('character_id', '=', characterId)
    .where('nickname', '=', nickname)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** An identity that was a user's. */
export interface Released {
  readonly client_database_id: number;
  readonly character_id: number;
}

/** Whose an identity is; undefined when it is nobody's. */
export async function findHolder(
  db: Kysely<Database>,
  clientDatabaseId: number,
): Promise<number | undefined> {
  const identity = await db
    .selectFrom('voice_identities')
    .select('character_id')
    .where('client_database_id', '=', clientDatabaseId)
    .executeTakeFirst();
  return identity?.character_id ?? undefined;
}

/**
 * Binds an identity to the user who proved it and to nobody else, and releases the user's former identity. Returns what
 * was released: that one, and the bound identity if it was another user's.
 */
export async function bindIdentity(
  db: Kysely<Database>,
  characterId: number,
  clientDatabaseId: number,
): Promise<readonly Released[]> {
  const released = await releaseIdentity(db, characterId, clientDatabaseId);
  const bound = { character_id: characterId, told_on: null };
  // There has to be a row to lock: of two users who prove a new identity at once, the second takes it from the first.
  await db
    .insertInto('voice_identities')
    .values({ client_database_id: clientDatabaseId, character_id: null, told_on: null })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const before = await db
    .selectFrom('voice_identities')
    .select('character_id')
    .where('client_database_id', '=', clientDatabaseId)
    .forUpdate()
    .executeTakeFirst();
  await db
    .updateTable('voice_identities')
    .set(bound)
    .where('client_database_id', '=', clientDatabaseId)
    .execute();
  const former = before?.character_id ?? characterId;
  if (former === characterId) return released;
  return [...released, { client_database_id: clientDatabaseId, character_id: former }];
}

/** Deletes a user's voice identity, which it returns, and challenge (D29b). */
export async function forgetVoice(db: Kysely<Database>, characterId: number): Promise<readonly Released[]> {
  await db.deleteFrom('voice_challenges').where('character_id', '=', characterId).execute();
  return releaseIdentity(db, characterId);
}

/** Releases a user's identities except for one. */
async function releaseIdentity(
  db: Kysely<Database>,
  characterId: number,
  except: number | null = null,
): Promise<readonly Released[]> {
  const released = await db
    .updateTable('voice_identities')
    .set({ character_id: null })
    .where('character_id', '=', characterId)
    .where('client_database_id', 'is distinct from', except)
    .returning('client_database_id')
    .execute();
  return released.map(({ client_database_id }) => ({ client_database_id, character_id: characterId }));
}

/**
 * The autogroup of everybody with a voice identity (D41): created when missing, renamed when the setting changed. It is
 * found by its flag, not by name; if the name is taken, a suffix is added.
 */
export async function ensureVoiceGroup(db: Kysely<Database>, name: string, now: Date): Promise<string> {
  const existing = await findVoiceGroup(db);
  if (existing !== undefined && isNamed(existing.group_name, name)) return existing.group_id;
  await lockGroupNames(db);
  const present = await findVoiceGroup(db);
  const group_name = await freeName(db, name, present?.group_id);
  const named = { group_name, name_key: nameKey(group_name), updated_on: now };
  if (present !== undefined) {
    if (!isNamed(present.group_name, name)) {
      await db.updateTable('groups').set(named).where('group_id', '=', present.group_id).execute();
      await recordEvents(
        db,
        [autogroupEvent({ ...present, name: group_name, former: present.group_name })],
        now,
      );
    }
    return present.group_id;
  }
  const group_id = objectId(now);
  await db
    .insertInto('groups')
    .values({ group_id, ...named, is_voice: true, authorized_to_login: null, created_on: now })
    .execute();
  await recordEvents(db, [autogroupEvent({ group_id, name: group_name, former: null })], now);
  return group_id;
}

function findVoiceGroup(db: Kysely<Database>) {
  return db
    .selectFrom('groups')
    .select(['group_id', 'group_name'])
    .where('is_voice', '=', true)
    .executeTakeFirst();
}

const SUFFIX = ' (voice)';

function isNamed(groupName: string, name: string): boolean {
  return groupName.startsWith(name) && groupName.slice(name.length).replaceAll(SUFFIX, '') === '';
}

async function freeName(db: Kysely<Database>, name: string, own = ''): Promise<string> {
  for (let candidate = name; ; candidate += SUFFIX) {
    const taken = await db
      .selectFrom('groups')
      .select('group_id')
      .where('name_key', '=', nameKey(candidate))
      .where('group_id', '!=', own)
      .executeTakeFirst();
    if (taken === undefined) return candidate;
  }
}

/** Adds a user to the voice autogroup. */
export async function enterGroup(db: Kysely<Database>, groupId: string, characterId: number): Promise<void> {
  await db
    .insertInto('group_members')
    .values({ group_id: groupId, character_id: characterId })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Removes a user from the voice autogroup. */
export async function leaveGroup(db: Kysely<Database>, groupId: string, characterId: number): Promise<void> {
  await db
    .deleteFrom('group_members')
    .where('group_id', '=', groupId)
    .where('character_id', '=', characterId)
    .execute();
}
