import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely';
import type { GroupPolicy } from '../../contract/policy.ts';
import { MEMBER_LEVEL } from '../access/clearance-levels.ts';
import type { Database } from '../database/tables.ts';
import {
  conditions,
  counts,
  isEligible,
  isGroupMember,
  maySee,
  maySeeByColumns,
  moderates,
} from './eligibility.queries.ts';

/** The policy of a group for which none is stored: its owner adds members. */
export const CLOSED: GroupPolicy = {
  joining: 'closed',
  visible_to: 'everyone',
  eligible: {
    alliances: [],
    corporations: [],
    coalitions: [],
    groups_any: [],
    groups_none: [],
    min_level: MEMBER_LEVEL,
  },
  moderators: { users: [], groups: [] },
  reach: 'character',
  grace_hours: 24,
  reapply_hours: 24,
  questions: [],
  expire_days: 30,
};

/** How users join the group `g` by its policy `p`: not at all while the policy is not in force. */
const joining = sql<GroupPolicy['joining']>`case when ${counts} then p.joining else 'closed' end`;

const recordOf = (joins: RawBuilder<unknown>) => sql<GroupPolicy>`json_build_object(
  'joining', ${joins}, 'visible_to', p.visible_to,
  'eligible', json_build_object('alliances', p.alliances, 'corporations', p.corporations,
    'coalitions', p.coalitions, 'groups_any', p.groups_any, 'groups_none', p.groups_none,
    'min_level', p.min_level),
  'moderators', json_build_object(
    'users', array(select character_id::bigint from group_moderators d where d.group_id = p.group_id order by 1),
    'groups', p.moderator_groups),
  'reach', p.reach, 'grace_hours', p.grace_hours, 'reapply_hours', p.reapply_hours,
  'questions', p.questions, 'expire_days', p.expire_days)`;

/** The policy `p` as it is stored. */
const policyRecord = recordOf(sql`p.joining`);

interface Stored {
  readonly policy: GroupPolicy;
  readonly joining: GroupPolicy['joining'];
  readonly by_administrator: boolean;
  readonly in_force: boolean;
  /** Since when it asks of members what it asks. */
  readonly updated_on: Date;
}

/**
 * The policy of a group before a change as it is stored, how users join by it, and whether level 9 set it. Locks it and
 * its moderators, so that concurrent deletions of what it names, and hand-overs of moderators, either show in it or
 * wait until it is changed.
 */
export async function lockPolicy(tx: Transaction<Database>, groupId: string): Promise<Stored | undefined> {
  await tx
    .selectFrom('group_policies')
    .select('group_id')
    .where('group_id', '=', groupId)
    .forUpdate()
    .execute();
  await tx
    .selectFrom('group_moderators')
    .where('group_id', '=', groupId)
    .orderBy('character_id')
    .forKeyShare()
    .execute();
  const { rows } = await sql<Stored>`
    select ${policyRecord} as policy, ${joining} as joining, p.by_administrator, ${counts} as in_force, p.updated_on
    from group_policies p join groups g using (group_id) where p.group_id = ${groupId}`.execute(tx);
  return rows[0];
}

/** Locks users who become moderators against deletion until the transaction ends; call it before {@link lockPolicy}. */
export async function lockModerators(
  tx: Transaction<Database>,
  characterIds: readonly number[],
): Promise<void> {
  if (characterIds.length === 0) return;
  await tx
    .selectFrom('users')
    .where('character_id', '=', sql<number>`any(${[...characterIds]}::bigint[])`)
    .orderBy('character_id')
    .forKeyShare()
    .execute();
}

/**
 * The policy of a group, closed while it is not in force, and whether this user may see it; undefined when the group
 * does not exist.
 */
export async function findPolicy(
  db: Kysely<Database>,
  groupId: string,
  characterId: number,
): Promise<{ policy: GroupPolicy | null; may_see: boolean } | undefined> {
  const { rows } = await sql<{ policy: GroupPolicy | null; may_see: boolean }>`
    select case when p.group_id is not null then ${recordOf(joining)} end as policy,
      p.group_id is null or ${maySee} as may_see
    from groups g join users u on u.character_id = ${characterId}
      left join group_policies p using (group_id)
      left join corporations c on c.corporation_id = u.corporation_id
    where g.group_id = ${groupId}`.execute(db);
  return rows[0];
}

/** The ids in a policy that do not exist, by kind; those that do cannot be deleted before the transaction ends. */
export async function findUnknown(
  db: Transaction<Database>,
  { eligible, moderators }: Pick<GroupPolicy, 'eligible' | 'moderators'>,
): Promise<{ kind: string; id: string }[]> {
  const groups = [...eligible.groups_any, ...eligible.groups_none, ...moderators.groups];
  await db
    .selectFrom('coalitions')
    .where('coalition_id', '=', sql<string>`any(${eligible.coalitions}::text[])`)
    .orderBy('coalition_id')
    .forKeyShare()
    .execute();
  await db
    .selectFrom('groups')
    .where('group_id', '=', sql<string>`any(${groups}::text[])`)
    .orderBy('group_id')
    .forKeyShare()
    .execute();
  const { rows } = await sql<{ kind: string; id: string }>`
    select 'alliance' as kind, id::text from unnest(${eligible.alliances}::bigint[]) id
      where not exists (select from alliances where alliance_id = id)
    union all select 'corporation', id::text from unnest(${eligible.corporations}::bigint[]) id
      where not exists (select from corporations where corporation_id = id)
    union all select 'coalition', id from unnest(${eligible.coalitions}::text[]) id
      where not exists (select from coalitions where coalition_id = id)
    union all select 'group', id from unnest(${groups}::text[]) id
      where not exists (select from groups where group_id = id)
    union all select 'user', id::text from unnest(${moderators.users}::bigint[]) id
      where not exists (select from users where character_id = id)`.execute(db);
  return rows;
}

/** @param updatedOn since when it asks of members what it asks: whoever was not eligible by then leaves by intention */
export async function storePolicy(
  tx: Transaction<Database>,
  groupId: string,
  { eligible, moderators, ...policy }: GroupPolicy,
  byAdministrator: boolean,
  updatedOn: Date,
): Promise<void> {
  const row = {
    ...policy,
    ...eligible,
    moderator_groups: moderators.groups,
    by_administrator: byAdministrator,
    updated_on: updatedOn,
  };
  await tx
    .insertInto('group_policies')
    .values({ group_id: groupId, ...row })
    .onConflict((conflict) => conflict.column('group_id').doUpdateSet(row))
    .execute();
  await tx
    .deleteFrom('group_moderators')
    .where('group_id', '=', groupId)
    .where('character_id', '<>', sql<number>`all(${moderators.users}::bigint[])`)
    .execute();
  await sql`insert into group_moderators (group_id, character_id)
    select ${groupId}, id from unnest(${moderators.users}::bigint[]) id on conflict do nothing`.execute(tx);
}

/** A policy and its group. */
export interface PolicyOf {
  readonly group_id: string;
  readonly group_name: string;
  readonly policy: GroupPolicy;
}

/** Locks the policies that name one of these coalitions or groups. */
export async function lockNaming(
  tx: Transaction<Database>,
  { coalitions, groups }: { readonly coalitions: readonly string[]; readonly groups: readonly string[] },
): Promise<PolicyOf[]> {
  const rows = await tx
    .selectFrom('group_policies')
    .select('group_id')
    .where(sql<boolean>`(coalitions && ${[...coalitions]}::text[]
      or (groups_any || groups_none || moderator_groups) && ${[...groups]}::text[])`)
    .orderBy('group_id')
    .forUpdate()
    .execute();
  if (rows.length === 0) return [];
  const found = await sql<PolicyOf>`
    select g.group_id, g.group_name, ${policyRecord} as policy from group_policies p join groups g using (group_id)
    where g.group_id = any(${rows.map(({ group_id }) => group_id)}::text[]) order by g.group_id`.execute(tx);
  return found.rows;
}

/** Stores `joining` and the coalitions and groups that the policies name, in one statement. */
export async function storeNamed(tx: Transaction<Database>, policies: readonly PolicyOf[]): Promise<void> {
  const rows = policies.map(({ group_id, policy: { joining, eligible, moderators } }) => {
    const { coalitions, groups_any, groups_none } = eligible;
    return { group_id, joining, coalitions, groups_any, groups_none, moderator_groups: moderators.groups };
  });
  await sql`
    update group_policies p set joining = n.joining, coalitions = n.coalitions, groups_any = n.groups_any,
      groups_none = n.groups_none, moderator_groups = n.moderator_groups
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as n(group_id text, joining text, coalitions text[],
      groups_any text[], groups_none text[], moderator_groups text[])
    where p.group_id = n.group_id`.execute(tx);
}

/** The time since which the character in a row of `users` has its present owner (D29b). */
export function ownedSince(user: RawBuilder<unknown>): RawBuilder<Date> {
  return sql`coalesce(${user}.proven_on, '-infinity')`;
}

/** Where somebody stands before one group: what joining it depends on. */
export interface Candidate {
  readonly group_id: string;
  readonly group_name: string;
  readonly character_name: string;
  readonly joining: GroupPolicy['joining'];
  readonly reach: GroupPolicy['reach'];
  readonly questions: readonly string[];
  readonly expire_days: number;
  readonly min_level: number;
  readonly level: number;
  readonly may_see: boolean;
  readonly moderates: boolean;
  readonly is_member: boolean;
  readonly eligible: boolean;
  /** For each condition of the policy whether it is met. */
  readonly met: Readonly<Record<keyof typeof conditions, boolean>>;
  /** Id of the pending application. */
  readonly pending: string | null;
  /** When the user may apply again after the last rejection. */
  readonly rejected_until: Date | null;
}

const met = sql.join(
  Object.entries(conditions).flatMap(([name, condition]) => [sql.lit(name), condition]),
  sql`, `,
);

/** Applications of the present owner of the user `u` that were rejected. */
const rejected = sql`applications a where a.character_id = u.character_id and a.state = 'rejected'
    and a.created_on >= ${ownedSince(sql`u`)}`;

/** When a user may apply to a group with the policy `p` again after this rejection, the last one. */
const after = (rejection: RawBuilder<unknown>) =>
  sql<Date | null>`(${rejection} + p.reapply_hours * interval '1 hour')`;

/** When the user `u` may apply to the group `g` with the policy `p` again after the last rejection; null if none. */
export const rejectedUntil: RawBuilder<Date | null> = after(sql`(
  select max(a.decided_on) from ${rejected} and a.group_id = g.group_id)`);

/**
 * Users before groups. `offset 0` keeps the relations of a user to a group from being put into {@link maySeeByColumns}
 * once more: to plan that would take longer than to answer.
 */
const candidatesAt = (now: Date, until = rejectedUntil) => sql`
  select g.group_id, g.group_name, u.character_name, p.reach, p.questions, p.expire_days, p.min_level,
    u.clearance_level as level,
    ${joining} as joining,
    ${maySeeByColumns} as may_see, r.moderates, r.is_member, r.eligible,
    json_build_object(${met}) as met,
    (select a.application_id from applications a where a.group_id = g.group_id
      and a.character_id = u.character_id and a.state = 'pending' and a.expires_on > ${now}) as pending,
    ${until} as rejected_until
  from groups g join group_policies p using (group_id) join users u on true
    left join corporations c on c.corporation_id = u.corporation_id
    cross join lateral (
      select ${isGroupMember} as is_member, ${moderates} as moderates, ${isEligible} as eligible offset 0) r`;

/**
 * The groups whose policy lets users join and that this user may see, in the order of D9. The user's applications, of
 * which there may be very many, are read once for all groups.
 */
export async function findJoinable(
  db: Kysely<Database>,
  characterId: number,
  now: Date,
): Promise<Candidate[]> {
  const until = after(sql`(select last.decided_on from rejections last where last.group_id = g.group_id)`);
  const { rows } = await sql<Candidate>`
    with rejections as materialized (
      select own.group_id, max(own.decided_on) as decided_on from users u, lateral (select a.* from ${rejected}) own
      where u.character_id = ${characterId} group by own.group_id
    )
    ${candidatesAt(now, until)}
    where u.character_id = ${characterId} and p.joining <> 'closed' and ${counts} and ${maySeeByColumns}
    order by g.name_key, g.group_id`.execute(db);
  return rows;
}

/** A user in relation to one group; undefined when the group has no policy. */
export async function findCandidate(
  db: Kysely<Database>,
  groupId: string,
  characterId: number,
  now: Date,
): Promise<Candidate | undefined> {
  const { rows } = await sql<Candidate>`
    ${candidatesAt(now)} where u.character_id = ${characterId} and g.group_id = ${groupId}`.execute(db);
  return rows[0];
}

/** Keeps the policy of a group as it is until the end of the transaction. */
export async function holdPolicy(tx: Transaction<Database>, groupId: string): Promise<void> {
  await tx.selectFrom('group_policies').where('group_id', '=', groupId).forShare().execute();
}

/** Whether a user decides applications to a group; undefined when the group does not exist. */
export async function findModeration(
  db: Kysely<Database>,
  groupId: string,
  characterId: number,
): Promise<boolean | undefined> {
  const { rows } = await sql<{ moderates: boolean }>`
    select ${moderates} as moderates from groups g join users u on u.character_id = ${characterId}
      left join group_policies p using (group_id)
      left join corporations c on c.corporation_id = u.corporation_id
    where g.group_id = ${groupId}`.execute(db);
  return rows[0]?.moderates;
}

/**
 * Whether the members of a group are barred from another one by people who may keep them: level 9, or the owner of
 * both. Any owner may name any group, and must not hold its members by that.
 */
export async function barsElsewhere(db: Kysely<Database>, groupId: string): Promise<boolean> {
  const { rows } = await sql<{ bars: boolean }>`
    select exists (
      select from group_policies p join groups g using (group_id) join groups b on b.group_id = ${groupId}
      where ${groupId} = any(p.groups_none) and ${counts} and (p.by_administrator or g.owner_id = b.owner_id)
    ) as bars`.execute(db);
  return rows[0]?.bars ?? false;
}

/** Whether a policy that level 9 set bars the members of a hand-made group that the user is in. */
export async function isBarredByAdministrator(db: Kysely<Database>, characterId: number): Promise<boolean> {
  const { rows } = await sql<{ barred: boolean }>`
    select exists (
      select from group_members m join groups b on b.group_id = m.group_id
        cross join group_policies p join groups g on g.group_id = p.group_id
      where m.character_id = ${characterId} and not b.is_autogroup
        and m.group_id = any(p.groups_none) and ${counts} and p.by_administrator
    ) as barred`.execute(db);
  return rows[0]?.barred ?? false;
}
