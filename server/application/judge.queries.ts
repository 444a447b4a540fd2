import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Database } from '../database/tables.ts';
import { counts, isEligible } from './eligibility.queries.ts';

/** A membership that ended because the member was not eligible for longer than the policy's grace. */
export interface Departure {
  readonly group_id: string;
  readonly group_name: string;
  readonly character_id: number;
  /** Whether the policy was set after the member ceased to be eligible, so that whoever set it intended the removal. */
  readonly wanted: boolean;
}

export interface Judgement {
  /** Number of members judged. */
  readonly judged: number;
  readonly departures: readonly Departure[];
}

/**
 * Judges all members of groups with policies in one statement (D110): stores since when a member is not eligible,
 * clears that when it is eligible again, and removes members whose grace is over. The owner always stays.
 *
 * @param groupId judges only this group
 * @param graceOver treats every grace as over, to show the final effect of a policy
 */
export async function judgeMembers(
  db: Kysely<Database>,
  now: Date,
  { groupId, graceOver = false }: { readonly groupId?: string; readonly graceOver?: boolean } = {},
): Promise<Judgement> {
  const which: RawBuilder<unknown> = groupId === undefined ? sql`true` : sql`g.group_id = ${groupId}`;
  const { rows } = await sql<{ judged: number; departures: Departure[] }>`
    with judged as materialized (
      select m.group_id, g.group_name, m.character_id, m.ineligible_since, ${isEligible} as eligible,
        coalesce(m.ineligible_since, ${now}::timestamptz) + p.grace_hours * interval '1 hour' <= ${now}::timestamptz
          or ${graceOver} as over,
        coalesce(m.ineligible_since <= p.updated_on, false) as wanted
      from group_policies p join groups g using (group_id)
        join group_members m using (group_id) join users u using (character_id)
        left join corporations c on c.corporation_id = u.corporation_id
      where ${counts} and m.character_id is distinct from g.owner_id and ${which}
      -- A group that gets another owner at this moment is judged again afterwards.
      order by g.group_id for share of g
    ), left_it as (
      delete from group_members m using judged j
      where m.group_id = j.group_id and m.character_id = j.character_id and not j.eligible and j.over
      returning m.group_id, j.group_name, m.character_id, j.wanted
    ), marked as (
      update group_members m set ineligible_since = case when j.eligible then null else ${now}::timestamptz end
      from judged j
      where m.group_id = j.group_id and m.character_id = j.character_id
        and j.eligible = (j.ineligible_since is not null) and (j.eligible or not j.over)
    )
    select (select count(*)::int from judged) as judged,
      (select coalesce(json_agg(left_it order by group_id, character_id), '[]') from left_it) as departures`.execute(
    db,
  );
  return { judged: rows[0]?.judged ?? 0, departures: rows[0]?.departures ?? [] };
}

/** Groups with a policy that set `authorized_to_login`: leaving one may change a user's login permission. */
export async function findSpeakingGroups(db: Kysely<Database>): Promise<string[]> {
  const rows = await db
    .selectFrom('group_policies')
    .innerJoin('groups', 'groups.group_id', 'group_policies.group_id')
    .select('groups.group_id')
    .where('groups.authorized_to_login', 'is not', null)
    .execute();
  return rows.map(({ group_id }) => group_id);
}

/** A pending application that ended without a decision. */
export interface Ended {
  readonly application_id: string;
  readonly group_id: string;
  readonly group_name: string;
  readonly character_id: number;
  readonly state: 'expired' | 'void';
}

/** Ends pending applications that have expired, and those whose applicant may no longer join or is a member (D111). */
export async function endApplications(
  db: Kysely<Database>,
  now: Date,
  { groupId, applicantId }: { readonly groupId?: string; readonly applicantId?: number } = {},
): Promise<Ended[]> {
  const ofGroup: RawBuilder<unknown> = groupId === undefined ? sql`true` : sql`g.group_id = ${groupId}`;
  const which: RawBuilder<unknown> =
    applicantId === undefined ? ofGroup : sql`${ofGroup} and a.character_id = ${applicantId}`;
  const { rows } = await sql<Ended>`
    with judged as (
      select a.application_id, g.group_name,
        case when a.expires_on <= ${now} then 'expired' else 'void' end as next
      from applications a join groups g using (group_id) join users u using (character_id)
        left join group_policies p using (group_id)
        left join corporations c on c.corporation_id = u.corporation_id
      where a.state = 'pending' and ${which} and (a.expires_on <= ${now}
        or p.group_id is null or not ${counts} or p.joining <> 'application' or not ${isEligible}
        or exists (select from group_members m where m.group_id = g.group_id and m.character_id = u.character_id))
      order by a.application_id for update of a
    )
    update applications a set state = j.next, decided_on = ${now} from judged j
    where a.application_id = j.application_id and a.state = 'pending'
    returning a.application_id, a.group_id, j.group_name, a.character_id, a.state`.execute(db);
  return rows;
}
