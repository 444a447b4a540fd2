import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Database } from '../database/tables.ts';
import { asksSomething, counts, isEligible, isEligibleAtAll } from './eligibility.queries.ts';

/** A membership that ended because its grace was over. */
export interface Departure {
  readonly group_id: string;
  readonly group_name: string;
  readonly character_id: number;
  /** Whether the policy was set since it ceased to be eligible: somebody wanted that, and could see it before. */
  readonly wanted: boolean;
}

export interface Judgement {
  /** Members who were looked at. */
  readonly judged: number;
  readonly departures: readonly Departure[];
}

/** A membership. */
export type Member = Pick<Departure, 'group_id' | 'character_id'>;

interface Judged {
  /** Only this group. */
  readonly groupId?: string;
  /** Only the users whose ids this selects; in a rehearsal, whose snapshot needs no locks. */
  readonly among?: RawBuilder<unknown>;
  /** But not these. */
  readonly except?: readonly Member[];
  /** As if every grace were over: what would come of it in the end. */
  readonly graceOver?: boolean;
}

/**
 * Judges all members of groups with policies anew, in one statement however many they are: who ceased to be eligible is
 * marked, who is eligible again is unmarked, and whose grace is over leaves. The owner stays in any case, and so does
 * who never was eligible: somebody added such a member by hand, knowing that (D110).
 */
export async function judgeMembers(
  db: Kysely<Database>,
  now: Date,
  { groupId, among, except = [], graceOver = false }: Judged = {},
): Promise<Judgement> {
  const ofGroup = groupId === undefined ? sql`true` : sql`g.group_id = ${groupId}`;
  const ofUsers = among === undefined ? sql`true` : sql`m.character_id in (${among})`;
  // A group that gets another owner at this moment is judged again afterwards.
  const locked = among === undefined ? sql`order by g.group_id for no key update of g` : sql``;
  const { rows } = await sql<{ judged: number; departures: Departure[] }>`
    with eligibility as materialized (
      select m.group_id, g.group_name, m.character_id, m.ineligible_since, m.was_eligible, ${isEligible} as eligible,
        ${asksSomething} as asks,
        coalesce(m.ineligible_since, ${now}::timestamptz) + p.grace_hours * interval '1 hour' <= ${now}::timestamptz
          or ${graceOver} as over,
        coalesce(m.ineligible_since <= p.updated_on, false) as wanted
      from group_policies p join groups g using (group_id)
        join group_members m using (group_id) join users u using (character_id)
        left join corporations c on c.corporation_id = u.corporation_id
      where ${counts} and m.character_id is distinct from g.owner_id and ${ofGroup} and ${ofUsers}
      ${locked}
    ), judged as materialized (
      select *, eligible or not asks or not was_eligible as stays from eligibility
      where (group_id, character_id) not in (
        select group_id, character_id from jsonb_to_recordset(${JSON.stringify(except)}::jsonb)
          as kept(group_id text, character_id bigint))
    ), left_it as (
      delete from group_members m using judged j
      where m.group_id = j.group_id and m.character_id = j.character_id and not j.stays and j.over
      returning m.group_id, j.group_name, m.character_id, j.wanted
    ), dated as (
      update groups set updated_on = ${now} where group_id in (select group_id from left_it)
    ), marked as (
      update group_members m set was_eligible = m.was_eligible or j.eligible,
        ineligible_since = case when j.stays then null else ${now}::timestamptz end
      from judged j
      where m.group_id = j.group_id and m.character_id = j.character_id and (j.eligible and not j.was_eligible
        or j.stays = (j.ineligible_since is not null) and (j.stays or not j.over))
    )
    select (select count(*)::int from judged) as judged,
      (select coalesce(json_agg(left_it order by group_id, character_id), '[]') from left_it) as departures`.execute(
    db,
  );
  return { judged: rows[0]?.judged ?? 0, departures: rows[0]?.departures ?? [] };
}

/**
 * Remembers which members of a group are eligible now, before its policy changes: by the next one those may cease to be
 * it.
 */
export async function rememberEligible(db: Kysely<Database>, groupId: string): Promise<void> {
  await sql`
    update group_members m set was_eligible = true from (
      select m.character_id from group_members m join users u using (character_id)
        left join group_policies p on p.group_id = m.group_id
        left join corporations c on c.corporation_id = u.corporation_id
      where m.group_id = ${groupId} and not m.was_eligible and ${isEligibleAtAll}
    ) eligible
    where m.group_id = ${groupId} and m.character_id = eligible.character_id`.execute(db);
}

/** Groups with policies that say who may log in: who leaves one may gain or lose that. */
export async function findSpeakingGroups(db: Kysely<Database>): Promise<string[]> {
  const rows = await db
    .selectFrom('group_policies')
    .innerJoin('groups', 'groups.group_id', 'group_policies.group_id')
    .select('groups.group_id')
    .where('groups.authorized_to_login', 'is not', null)
    .execute();
  return rows.map(({ group_id }) => group_id);
}
