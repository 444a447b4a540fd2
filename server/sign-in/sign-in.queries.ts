import { type Kysely, type RawBuilder, type Selectable, sql, type Transaction } from 'kysely';
import type { ExtScope } from '../../contract/scopes.ts';
import { isGuest } from '../access/clearance-levels.queries.ts';
import { ADMINISTRATOR_LEVEL, GUEST_LEVEL, MEMBER_LEVEL } from '../access/clearance-levels.ts';
import { type LoginVote, loginVotes, mayLogIn } from '../access/login-permission.queries.ts';
import { scopesOfCorporation } from '../access/required-scopes.queries.ts';
import { nameKey } from '../database/name-key.ts';
import type { Database } from '../database/tables.ts';
import { deleteHistories } from '../history/history.queries.ts';
import { detachCharacters } from '../person/membership.ts';
import { deleteBelowTokens } from '../user/user-tokens.queries.ts';

/** What is stored about a character before this sign-in. */
export interface KnownUser {
  readonly clearance_level: number;
  readonly corporation_id: number | null;
  readonly owner_hash: string | null;
}

export async function findKnownUser(
  db: Kysely<Database>,
  characterId: number,
): Promise<KnownUser | undefined> {
  return db
    .selectFrom('users')
    .select(['clearance_level', 'corporation_id', 'owner_hash'])
    .where('character_id', '=', characterId)
    .executeTakeFirst();
}

/** The alliance of a registered corporation. */
export async function findKnownCorporation(db: Kysely<Database>, corporationId: number) {
  return db
    .selectFrom('corporations')
    .select('alliance_id')
    .where('corporation_id', '=', corporationId)
    .executeTakeFirst();
}

/** Turns a guest back into a member, which a sign-in or the sync can store in its present corporation. */
export async function endVisit(db: Kysely<Database>, characterId: number): Promise<void> {
  await db
    .updateTable('users')
    .set({ clearance_level: MEMBER_LEVEL, corporation_id: null })
    .where('character_id', '=', characterId)
    .where('clearance_level', '<', MEMBER_LEVEL)
    .execute();
}

/** A character that signs in as a guest. */
interface Guest {
  readonly characterId: number;
  readonly characterName: string;
}

const seenAs = (characterName: string, now: Date) => ({
  character_name: characterName,
  name_key: nameKey(characterName),
  seen_on: now,
});

/**
 * The present `updated_on`, or this moment where the record changes: everybody reads it, and may not learn of sign-ins
 * by it (D94).
 */
const updatedWhere = (changes: RawBuilder<boolean>, now: Date) =>
  sql<Date>`case when ${changes} then ${now}::timestamptz else users.updated_on end`;

/** Stores that a guest was seen. */
export async function storeSeenGuest(
  db: Kysely<Database>,
  { characterId, characterName }: Guest,
  now: Date,
): Promise<void> {
  await db
    .updateTable('users')
    .set({
      ...seenAs(characterName, now),
      updated_on: updatedWhere(sql`users.character_name <> ${characterName}`, now),
    })
    .where('character_id', '=', characterId)
    .execute();
}

/** Makes somebody a guest of a corporation, whatever it was before, but for administrators (D28). */
export async function makeGuest(
  db: Kysely<Database>,
  guest: Guest & { readonly host: number },
  now: Date,
): Promise<void> {
  const row = {
    ...seenAs(guest.characterName, now),
    updated_on: now,
    clearance_level: GUEST_LEVEL,
    corporation_id: guest.host,
  };
  await db
    .insertInto('users')
    .values({
      ...row,
      character_id: guest.characterId,
      created_on: now,
      owner_hash: null,
      signed_in_on: null,
    })
    .onConflict((conflict) =>
      conflict
        .column('character_id')
        .doUpdateSet(row)
        .where('users.clearance_level', '<', ADMINISTRATOR_LEVEL),
    )
    .execute();
}

export interface Judged {
  readonly admitted: boolean;
  /** Groups and coalitions that allow or forbid the login, ordered by kind and name. */
  readonly votes: readonly LoginVote[];
  readonly level: number;
  /** Name of the corporation that hosts the guest; null for members. */
  readonly guest_of: string | null;
  readonly required: readonly ExtScope[];
}

/** Whether a user, as stored in this transaction, may log in, and the scopes that it must grant (D26b, D27). */
export async function judgeUser(db: Kysely<Database>, characterId: number): Promise<Judged | undefined> {
  const { rows } = await sql<Judged>`
    select ${mayLogIn} as admitted, ${loginVotes} as votes, u.clearance_level as level, ${scopesOfCorporation} as required,
      case when ${isGuest} then c.corporation_name end as guest_of
    from users u
      left join corporations c on c.corporation_id = u.corporation_id
      left join alliances a on a.alliance_id = c.alliance_id
    where u.character_id = ${characterId}`.execute(db);
  return rows[0];
}

/**
 * Stores the character's owner and the time of the sign-in; false when another owner has signed in since the hand-over
 * was looked for.
 */
export async function recordSignIn(
  db: Kysely<Database>,
  characterId: number,
  ownerHash: string,
  now: Date,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('users')
    .set((eb) => ({
      owner_hash: ownerHash,
      signed_in_on: now,
      proven_on: eb.fn.coalesce('proven_on', eb.val(now)),
    }))
    .where('character_id', '=', characterId)
    .where((eb) => eb.or([eb('owner_hash', 'is', null), eb('owner_hash', '=', ownerHash)]))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** What everybody reads of a user and a hand-over may change, as it was before. */
type FormerRecord = Pick<Selectable<Database['users']>, 'character_id' | 'clearance_level' | 'updated_on'>;

/**
 * The record of a character that has a new owner (D29b); undefined when it has none. Locks its row, so that of
 * concurrent sign-ins exactly one sees the change, and nobody gives the character a membership or an office while it
 * loses all of them.
 */
export async function lockHandedOver(
  db: Kysely<Database>,
  characterId: number,
  ownerHash: string,
): Promise<FormerRecord | undefined> {
  return handedOver(db, characterId, ownerHash).forUpdate().executeTakeFirst();
}

/** Like {@link lockHandedOver}, without a lock: most sign-ins are by the owner who is known. */
export async function isHandedOver(
  db: Kysely<Database>,
  characterId: number,
  ownerHash: string,
): Promise<boolean> {
  return (await handedOver(db, characterId, ownerHash).executeTakeFirst()) !== undefined;
}

function handedOver(db: Kysely<Database>, characterId: number, ownerHash: string) {
  return db
    .selectFrom('users')
    .select(['character_id', 'clearance_level', 'updated_on'])
    .where('character_id', '=', characterId)
    .where('owner_hash', 'is not', null)
    .where('owner_hash', '!=', ownerHash);
}

/**
 * Resets a character that has a new owner: deletes its tokens, memberships of hand-made groups, histories, level and
 * guesthood, removes it from its person, and begins its compliance anew (D29b, D101, D102).
 */
export async function handOver(
  db: Transaction<Database>,
  characterId: number,
  ownerHash: string,
  now: Date,
): Promise<void> {
  await db
    .updateTable('users')
    .set((eb) => ({
      owner_hash: ownerHash,
      proven_on: null,
      updated_on: now,
      clearance_level: eb.fn<number>('least', ['clearance_level', eb.lit(MEMBER_LEVEL)]),
    }))
    .where('character_id', '=', characterId)
    .execute();
  await endVisit(db, characterId);
  await deleteBelowTokens(db, { ownerIds: [characterId] });
  await db.deleteFrom('tokens').where('owner_id', '=', characterId).execute();
  await db.deleteFrom('group_members').where('character_id', '=', characterId).execute();
  await deleteHistories(db, [characterId]);
  // It lacks its scopes from now on: how long the former owner did, or was known, does not count any more (D102).
  await db
    .insertInto('compliance_failures')
    .values({ character_id: characterId, since: now })
    .onConflict((conflict) => conflict.column('character_id').doUpdateSet({ since: now }))
    .execute();
  await detachCharacters(db, [characterId], { happened: 'owner_changed', by: null, now });
}

/**
 * Restores `updated_on` where the level is what it was, as with a CEO whose office gives it back: else it would tell
 * everybody of the hand-over (D94).
 */
export async function restoreUpdatedOn(db: Kysely<Database>, former: FormerRecord): Promise<void> {
  await db
    .updateTable('users')
    .set({ updated_on: former.updated_on })
    .where('character_id', '=', former.character_id)
    .where('clearance_level', '=', former.clearance_level)
    .execute();
}
