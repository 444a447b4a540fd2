import { type Kysely, sql, type Updateable } from 'kysely';
import type { Group } from '../../contract/group.ts';
import type { GroupShort } from '../../contract/group-short.ts';
import type { UserShort } from '../../contract/user.ts';
import { isMember } from '../access/clearance-levels.queries.ts';
import type { JsonText } from '../database/json-text.ts';
import type { Database, GroupTable } from '../database/tables.ts';
import { isEligibleAtAll } from '../policy/eligibility.queries.ts';
import { inPieces } from '../shared/in-pieces.ts';
import type { ListDifference } from '../shared/list-change.ts';

/** The row of a Group record. */
export type GroupRow = Omit<Group, 'created_on' | 'updated_on' | 'members'> & {
  created_on: Date;
  updated_on: Date;
  members: JsonText<UserShort[]>;
};

/** All groups, autogroups included, in the order of D9. */
export async function listGroups(db: Kysely<Database>): Promise<GroupShort[]> {
  return db
    .selectFrom('groups')
    .select(['group_id', 'group_name'])
    .orderBy('name_key')
    .orderBy('group_id')
    .execute();
}

/** The owner of the group `g`: for an autogroup the CEO, if it is a member itself (D18b). */
export const ownerOf = sql`
  select u.character_id, u.character_name from users u where u.character_id = g.owner_id
  union all
  select u.character_id, u.character_name
  from corporations c
    join users u on u.character_id = c.ceo_id and u.corporation_id = c.corporation_id
  where c.corporation_id = g.corporation_id and ${isMember}
  union all
  select u.character_id, u.character_name
  from alliances a
    join corporations c on c.corporation_id = a.executor_corporation_id and c.alliance_id = a.alliance_id
    join users u on u.character_id = c.ceo_id and u.corporation_id = c.corporation_id
  where a.alliance_id = g.alliance_id and ${isMember}`;

/**
 * The members of the group `g`: the stored ones or, for an autogroup, the members of its organization without guests.
 */
export const membersOf = sql`
  select u.* from group_members m join users u using (character_id)
  where m.group_id = g.group_id and (${isMember} or not g.is_voice)
  union all
  select u.* from users u where u.corporation_id = g.corporation_id and ${isMember}
  union all
  select u.* from corporations c join users u using (corporation_id)
  where c.alliance_id = g.alliance_id and ${isMember}
  union all
  select u.* from coalition_reach r join users u using (corporation_id)
  where r.coalition_id = g.coalition_id and ${isMember}`;

/** A group with its members in one statement, so that a reader never sees half of an update. */
export async function findGroup(db: Kysely<Database>, groupId: string): Promise<GroupRow | undefined> {
  const { rows } = await sql<GroupRow>`
    select g.group_id, g.group_name, g.description, g.authorized_to_login, g.is_autogroup, g.created_on, g.updated_on,
      (select json_build_object('character_id', o.character_id, 'character_name', o.character_name)
        from (${ownerOf}) o) as owner,
      (select coalesce(json_agg(short), '[]')::text from (
        select m.character_id, m.character_name from (${membersOf}) m order by m.name_key, m.character_id
      ) short) as members
    from groups g where g.group_id = ${groupId}`.execute(db);
  return rows[0];
}

/** The owner of a group; null when it has none or does not exist. */
export async function findOwner(db: Kysely<Database>, groupId: string): Promise<number | null> {
  const { rows } = await sql<{ character_id: number }>`
    select o.character_id from groups g cross join lateral (${ownerOf}) o
    where g.group_id = ${groupId}`.execute(db);
  return rows[0]?.character_id ?? null;
}

export interface NewGroup {
  readonly group_id: string;
  readonly group_name: string;
  readonly name_key: string;
  readonly description: string;
  readonly owner_id: number;
}

/** Stores a group with its owner as its only member. */
export async function insertGroup(db: Kysely<Database>, group: NewGroup, now: Date): Promise<void> {
  await db
    .insertInto('groups')
    .values({ ...group, created_on: now, updated_on: now })
    .execute();
  await changeMembers(db, group.group_id, { added: [group.owner_id], removed: [] });
}

function valuesOf(db: Kysely<Database>, groupId: string) {
  return db
    .selectFrom('groups')
    .select(['group_name', 'description', 'authorized_to_login', 'is_autogroup', 'owner_id'])
    .where('group_id', '=', groupId);
}

/** A group's own values; undefined when it does not exist. */
export async function readGroup(db: Kysely<Database>, groupId: string) {
  return valuesOf(db, groupId).executeTakeFirst();
}

/** Like {@link readGroup}, and locks it until the transaction ends, so that its updates run one after another. */
export async function lockGroup(db: Kysely<Database>, groupId: string) {
  return valuesOf(db, groupId).forNoKeyUpdate().executeTakeFirst();
}

/** Locks the hand-made groups of characters that will leave all of them: groups are locked before users. */
export async function lockGroupsOf(db: Kysely<Database>, characterIds: readonly number[]): Promise<void> {
  const theirs = db
    .selectFrom('group_members')
    .select('group_id')
    .where('character_id', '=', sql<number>`any(${[...characterIds]}::bigint[])`);
  await db
    .selectFrom('groups')
    .select('group_id')
    .where('group_id', 'in', theirs)
    .where('is_voice', '=', false)
    .orderBy('group_id')
    .forNoKeyUpdate()
    .execute();
}

/**
 * Locks stored memberships, so that nobody else ends one of them, and tells that, before the transaction ends: users who
 * are deleted or handed over can leave groups that they joined too late for {@link lockGroupsOf}.
 *
 * @param among only the memberships of these characters
 * @returns the members that are left
 */
export async function lockMembers(
  db: Kysely<Database>,
  groupId: string,
  among?: readonly number[],
): Promise<number[]> {
  if (among?.length === 0) return [];
  const members = db.selectFrom('group_members').select('character_id').where('group_id', '=', groupId);
  const those =
    among === undefined
      ? members
      : members.where('character_id', '=', sql<number>`any(${[...among]}::bigint[])`);
  const rows = await those.orderBy('character_id').forUpdate().execute();
  return rows.map((row) => row.character_id);
}

/** Whether the user is a stored member. */
export async function hasMember(
  db: Kysely<Database>,
  groupId: string,
  characterId: number,
): Promise<boolean> {
  const member = db.selectFrom('group_members').select('character_id').where('group_id', '=', groupId);
  return (await member.where('character_id', '=', characterId).executeTakeFirst()) !== undefined;
}

/** Ids of the stored members. */
export async function findMemberIds(db: Kysely<Database>, groupId: string): Promise<Set<number>> {
  const rows = await db
    .selectFrom('group_members')
    .select('character_id')
    .where('group_id', '=', groupId)
    .execute();
  return new Set(rows.map((row) => row.character_id));
}

export interface UsersNamed {
  /** By name; when two share it, the one last seen (D38). */
  readonly users: ReadonlyMap<string, number>;
  /** The same of the group's members alone. */
  readonly members: ReadonlyMap<string, number>;
}

/** The users with exactly these names, locked against deletion until the transaction ends. */
export async function findUsersNamed(
  db: Kysely<Database>,
  groupId: string,
  names: ReadonlySet<string>,
): Promise<UsersNamed> {
  if (names.size === 0) return { users: new Map(), members: new Map() };
  const { rows } = await sql<{ id: number; name: string; is_member: boolean }>`
    with found as materialized (
      select u.character_id as id, u.character_name as name, u.seen_on, m.character_id is not null as is_member
      from users u left join group_members m on m.group_id = ${groupId} and m.character_id = u.character_id
      where u.character_name = any(${[...names]}::text[])
      order by u.character_id for key share of u
    )
    select id, name, is_member from found order by seen_on, id`.execute(db);
  const [users, members] = [new Map<string, number>(), new Map<string, number>()];
  // Of two entries with the same key a map keeps the later one.
  await inPieces(rows, (some) => {
    for (const { id, name, is_member } of some) {
      users.set(name, id);
      if (is_member) members.set(name, id);
    }
  });
  return { users, members };
}

/**
 * Adds and removes stored members by set operations. Stores for new members whether the group's policy lets them be
 * members: those that it does not were added by hand, and it does not remove them (D110).
 *
 * @param wereJudged whether the new members were found eligible before, in this transaction: they may have ceased to be
 *   since, and then leave as everybody does
 */
export async function changeMembers(
  db: Kysely<Database>,
  groupId: string,
  { added, removed }: ListDifference<number>,
  { wereJudged = false }: { readonly wereJudged?: boolean } = {},
): Promise<void> {
  if (added.length > 0) {
    await sql`insert into group_members (group_id, character_id, was_eligible)
      select ${groupId}, u.character_id, ${wereJudged ? sql`true` : isEligibleAtAll}
      from users u join groups g on g.group_id = ${groupId} left join group_policies p using (group_id)
        left join corporations c on c.corporation_id = u.corporation_id
      where u.character_id = any(${[...added]}::bigint[])`.execute(db);
  }
  if (removed.length > 0) {
    await db
      .deleteFrom('group_members')
      .where('group_id', '=', groupId)
      .where('character_id', '=', sql<number>`any(${[...removed]}::bigint[])`)
      .execute();
  }
}

export async function setGroup(
  db: Kysely<Database>,
  groupId: string,
  values: Updateable<GroupTable>,
): Promise<void> {
  await db.updateTable('groups').set(values).where('group_id', '=', groupId).execute();
}

/** Stores that the groups of these memberships changed, as these end. */
export async function setUpdated(
  db: Kysely<Database>,
  memberships: readonly Pick<Membership, 'group_id'>[],
  now: Date,
): Promise<void> {
  const ids = memberships.map(({ group_id }) => group_id);
  await db
    .updateTable('groups')
    .set({ updated_on: now })
    .where('group_id', '=', sql<string>`any(${ids}::text[])`)
    .execute();
}

/** Deletes a group with its memberships. */
export async function deleteGroup(db: Kysely<Database>, groupId: string): Promise<void> {
  await db.deleteFrom('groups').where('group_id', '=', groupId).execute();
}

/** A membership of a hand-made group. */
export interface Membership {
  readonly group_id: string;
  readonly group_name: string;
  readonly character_id: number;
  readonly is_owner: boolean;
}

/**
 * All stored memberships of these characters, except of the voice autogroup, which is part of their standing. Locks them
 * first, so that nobody else ends and tells one of them meanwhile.
 */
export async function findMemberships(
  db: Kysely<Database>,
  characterIds: readonly number[],
): Promise<Membership[]> {
  await db
    .selectFrom('group_members')
    .where('character_id', '=', sql<number>`any(${[...characterIds]}::bigint[])`)
    .orderBy('group_id')
    .orderBy('character_id')
    .forUpdate()
    .execute();
  const { rows } = await sql<Membership>`
    select m.group_id, g.group_name, m.character_id, g.owner_id is not distinct from m.character_id as is_owner
    from group_members m join groups g using (group_id)
    where m.character_id = any(${[...characterIds]}::bigint[]) and not g.is_voice order by 1, 3`.execute(db);
  return rows;
}
