import { type Kysely, sql, type Transaction } from 'kysely';
import type { GroupPolicy } from '../../contract/policy.ts';
import { MEMBER_LEVEL } from '../access/clearance-levels.ts';
import type { Database } from '../database/tables.ts';
import { conditions, counts, isEligible, isGroupMember, maySee, moderates } from './eligibility.queries.ts';

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

const policyRecord = sql`json_build_object(
  'joining', p.joining, 'visible_to', p.visible_to,
  'eligible', json_build_object('alliances', p.alliances, 'corporations', p.corporations,
    'coalitions', p.coalitions, 'groups_any', p.groups_any, 'groups_none', p.groups_none,
    'min_level', p.min_level),
  'moderators', json_build_object(
    'users', array(select character_id::bigint from group_moderators d where d.group_id = p.group_id order by 1),
    'groups', p.moderator_groups),
  'reach', p.reach, 'grace_hours', p.grace_hours, 'reapply_hours', p.reapply_hours,
  'questions', p.questions, 'expire_days', p.expire_days)`;

/** The policy of a group, and whether this user may see it; undefined when the group does not exist. */
export async function findPolicy(
  db: Kysely<Database>,
  groupId: string,
  characterId: number,
): Promise<{ policy: GroupPolicy | null; may_see: boolean } | undefined> {
  const { rows } = await sql<{ policy: GroupPolicy | null; may_see: boolean }>`
    select case when p.group_id is not null then ${policyRecord} end as policy,
      p.group_id is null or ${maySee} as may_see
    from groups g join users u on u.character_id = ${characterId}
      left join group_policies p using (group_id)
      left join corporations c on c.corporation_id = u.corporation_id
    where g.group_id = ${groupId}`.execute(db);
  return rows[0];
}

/** The ids in a policy that do not exist, by kind. */
export async function findUnknown(
  db: Kysely<Database>,
  { eligible, moderators }: Pick<GroupPolicy, 'eligible' | 'moderators'>,
): Promise<{ kind: string; id: string }[]> {
  const groups = [...eligible.groups_any, ...eligible.groups_none, ...moderators.groups];
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

export async function storePolicy(
  tx: Transaction<Database>,
  groupId: string,
  { eligible, moderators, ...policy }: GroupPolicy,
  byAdministrator: boolean,
  now: Date,
): Promise<void> {
  const row = {
    ...{ ...policy, ...eligible },
    moderator_groups: moderators.groups,
    by_administrator: byAdministrator,
    updated_on: now,
  };
  await tx
    .insertInto('group_policies')
    .values({ group_id: groupId, ...row })
    .onConflict((conflict) => conflict.column('group_id').doUpdateSet(row))
    .execute();
  await sql`delete from group_moderators where group_id = ${groupId}
    and character_id <> all(${moderators.users}::bigint[])`.execute(tx);
  await sql`insert into group_moderators (group_id, character_id)
    select ${groupId}, id from unnest(${moderators.users}::bigint[]) id on conflict do nothing`.execute(tx);
}

/** A user in relation to a group: everything that decides whether it may join. */
export interface Candidate {
  readonly group_id: string;
  readonly group_name: string;
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

const candidateAt = (now: Date) => sql`
  select g.group_id, g.group_name, p.reach, p.questions, p.expire_days, p.min_level, u.clearance_level as level,
    case when ${counts} then p.joining else 'closed' end as joining,
    ${maySee} as may_see, ${moderates} as moderates, ${isGroupMember} as is_member, ${isEligible} as eligible,
    json_build_object(${met}) as met,
    (select a.application_id from applications a where a.group_id = g.group_id
      and a.character_id = u.character_id and a.state = 'pending' and a.expires_on > ${now}) as pending,
    (select max(a.decided_on) + p.reapply_hours * interval '1 hour' from applications a
      where a.group_id = g.group_id and a.character_id = u.character_id and a.state = 'rejected') as rejected_until
  from groups g join group_policies p using (group_id) join users u on true
    left join corporations c on c.corporation_id = u.corporation_id`;

/** The groups whose policy lets users join and that this user may see, in the order of D9. */
export async function findJoinable(
  db: Kysely<Database>,
  characterId: number,
  now: Date,
): Promise<Candidate[]> {
  const { rows } = await sql<Candidate>`
    ${candidateAt(now)} where u.character_id = ${characterId} and p.joining <> 'closed' and ${counts} and ${maySee}
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
    ${candidateAt(now)} where u.character_id = ${characterId} and g.group_id = ${groupId}`.execute(db);
  return rows[0];
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
