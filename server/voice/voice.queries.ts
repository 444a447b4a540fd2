import { type Kysely, sql } from 'kysely';
import type { UserShort } from '../../contract/user.ts';
import { nameKey } from '../database/name-key.ts';
import { objectId } from '../database/object-id.ts';
import type { Database } from '../database/tables.ts';
import { recordEvents } from '../event/record.ts';
import { autogroupEvent, lockGroupNames } from '../group/autogroup.queries.ts';

/** Keeps a user from being deleted before the transaction ends; undefined where it is gone already. */
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

/** Takes the place of the user's challenge before it, if there is one (D40). */
export async function replaceChallenge(db: Kysely<Database>, challenge: Challenge): Promise<void> {
  await db
    .insertInto('voice_challenges')
    .values(challenge)
    .onConflict((conflict) => conflict.column('character_id').doUpdateSet(challenge))
    .execute();
}

/** The nickname that a user has to take; undefined without a living challenge (D40). */
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

/** Deletes the challenges that have expired: one for each user at most. */
export async function deleteExpiredChallenges(db: Kysely<Database>, now: Date): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('voice_challenges')
    .where('expires_on', '<=', now)
    .executeTakeFirst();
  return Number(numDeletedRows);
}

/** Uses a challenge up. False: it was used or replaced meanwhile. */
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

/**
 * Binds an identity to the user who proved it, and to nobody else; the user's own former identity is let go.
 * Returns whose it was before, if it was another's.
 */
export async function bindIdentity(
  db: Kysely<Database>,
  characterId: number,
  clientDatabaseId: number,
): Promise<number | undefined> {
  await releaseIdentity(db, characterId, clientDatabaseId);
  const before = await db
    .selectFrom('voice_identities')
    .select('character_id')
    .where('client_database_id', '=', clientDatabaseId)
    .forUpdate()
    .executeTakeFirst();
  const bound = { character_id: characterId, told_on: null };
  await db
    .insertInto('voice_identities')
    .values({ client_database_id: clientDatabaseId, ...bound })
    .onConflict((conflict) => conflict.column('client_database_id').doUpdateSet(bound))
    .execute();
  const former = before?.character_id ?? undefined;
  return former === characterId ? undefined : former;
}

/** What a user has proved, and was about to prove, no longer counts (D29b). */
export async function forgetVoice(db: Kysely<Database>, characterId: number): Promise<void> {
  await db.deleteFrom('voice_challenges').where('character_id', '=', characterId).execute();
  await releaseIdentity(db, characterId);
}

/** Lets go of a user's identities, but for one that is to stay. */
async function releaseIdentity(
  db: Kysely<Database>,
  characterId: number,
  except: number | null = null,
): Promise<void> {
  await db
    .updateTable('voice_identities')
    .set({ character_id: null })
    .where('character_id', '=', characterId)
    .where('client_database_id', 'is distinct from', except)
    .execute();
}

/**
 * The autogroup of everybody with a voice identity (D41), made where it is missing and renamed where its name was
 * changed in the settings. It is the one with the mark, whatever its name; a name that is taken gets a suffix.
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
      await recordEvents(db, [autogroupEvent({ ...present, name: group_name, is_new: false })], now);
    }
    return present.group_id;
  }
  const group_id = objectId(now);
  await db
    .insertInto('groups')
    .values({ group_id, ...named, is_voice: true, authorized_to_login: null, created_on: now })
    .execute();
  await recordEvents(db, [autogroupEvent({ group_id, name: group_name, is_new: true })], now);
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

/** The user enters the voice autogroup; who lost the identity to it leaves. */
export async function moveMembership(
  db: Kysely<Database>,
  groupId: string,
  change: { readonly enters: number; readonly leaves: number | undefined },
): Promise<void> {
  if (change.leaves !== undefined) {
    await db
      .deleteFrom('group_members')
      .where('group_id', '=', groupId)
      .where('character_id', '=', change.leaves)
      .execute();
  }
  await sql`insert into group_members (group_id, character_id) values (${groupId}, ${change.enters})
    on conflict do nothing`.execute(db);
}
