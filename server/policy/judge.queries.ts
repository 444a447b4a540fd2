import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Database } from '../database/tables.ts';
import { byUser, type Standing, type Standings, standingsAmong } from '../standing/read-standings.queries.ts';
import {
  asksSomething,
  barredByHand,
  counts,
  holdsFor,
  isEligible,
  isEligibleAtAll,
  maySee,
} from './eligibility.queries.ts';

/** A membership that ended because the member was not eligible for longer than the policy's grace. */
export interface Departure {
  readonly group_id: string;
  readonly group_name: string;
  readonly character_id: number;
  /**
   * Whether people intended the removal: what the policy asks of members was set after this one ceased to be eligible,
   * or only members of hand-made groups changed since.
   */
  readonly wanted: boolean;
}

export interface Judgement {
  /** Number of users whose memberships were judged. */
  readonly judged: number;
  readonly departures: readonly Departure[];
  /** What those were before who leave a group that says who may log in: their own login may change by it. */
  readonly standings: Standings;
}

/** A membership. */
type Member = Pick<Departure, 'group_id' | 'character_id'>;

interface Judged {
  /** Judges only this group. */
  readonly groupId?: string;
  /** Judges only users with ids from this query; for rehearsals, so nothing is locked. */
  readonly among?: RawBuilder<unknown>;
  /** Memberships that are not judged. */
  readonly except?: readonly Member[];
  /** Judges only by policies of reach `character` of these groups; null, the default, by all. */
  readonly visible?: readonly string[] | null;
  /** Treats every grace as over, to show the final effect of a policy. */
  readonly graceOver?: boolean;
}

/**
 * Locks all groups with policies. A statement that waits for a lock sees everything else as it was before: without
 * this, {@link judgeMembers} could judge by a policy that was replaced while it waited.
 */
export async function lockJudged(db: Kysely<Database>): Promise<void> {
  await sql`select from groups where group_id in (select group_id from group_policies)
    order by group_id for no key update`.execute(db);
}

/**
 * Judges all members of groups with policies in one statement (D110): stores since when a member is no longer eligible,
 * clears that when it is eligible again, and removes members whose grace is over. The owner always stays, and so do
 * members that never were eligible: somebody added them by hand.
 */
export async function judgeMembers(
  db: Kysely<Database>,
  now: Date,
  { groupId, among, except = [], visible = null, graceOver = false }: Judged = {},
): Promise<Judgement> {
  const ofGroup = groupId === undefined ? sql`true` : sql`g.group_id = ${groupId}`;
  // One of reach `person` tells whose alt it is who leaves (D100).
  const isTold =
    visible === null ? sql`true` : sql`p.reach = 'character' and p.group_id = any(${[...visible]}::text[])`;
  const ofUsers = among === undefined ? sql`true` : sql`m.character_id in (${among})`;
  // If a group gets another owner at the same time, it is judged again afterwards.
  const locked = among === undefined ? sql`order by g.group_id for no key update of g` : sql``;
  const { rows } = await sql<{ judged: number; departures: Departure[]; standings: Standing[] }>`
    with eligibility as materialized (
      select m.group_id, g.group_name, g.authorized_to_login is not null as votes, m.character_id,
        m.ineligible_since, m.was_eligible, judged.eligible, ${asksSomething} as asks,
        coalesce(m.ineligible_since, ${now}::timestamptz) + p.grace_hours * interval '1 hour' <= ${now}::timestamptz
          or ${graceOver} as over,
        coalesce(m.ineligible_since <= p.updated_on, false) or not judged.eligible and ${barredByHand} as wanted
      from group_policies p join groups g using (group_id)
        join group_members m using (group_id) join users u using (character_id)
        left join corporations c on c.corporation_id = u.corporation_id
        cross join lateral (select ${isEligible} as eligible offset 0) judged
      where ${counts} and m.character_id is distinct from g.owner_id and ${ofGroup} and ${ofUsers}
        and ${isTold}
      ${locked}
    ), judged as materialized (
      select *, eligible or not asks or not was_eligible as stays from eligibility
      where (group_id, character_id) not in (
        select group_id, character_id from jsonb_to_recordset(${JSON.stringify(except)}::jsonb)
          as kept(group_id text, character_id bigint))
    ), left_it as (
      delete from group_members m using judged j
      where m.group_id = j.group_id and m.character_id = j.character_id and not j.stays and j.over
      returning m.group_id, j.group_name, j.votes, m.character_id, j.wanted
    ), dated as (
      update groups set updated_on = ${now} where group_id in (select group_id from left_it)
    ), marked as (
      update group_members m set was_eligible = m.was_eligible or j.eligible,
        ineligible_since = case when j.stays then null else ${now}::timestamptz end
      from judged j
      where m.group_id = j.group_id and m.character_id = j.character_id and (j.eligible and not j.was_eligible
        -- A time that lies ahead was stored while the clock was wrong: the grace begins now.
        or case when j.stays then j.ineligible_since is not null
          else not j.over and coalesce(j.ineligible_since > ${now}::timestamptz, true) end)
    )
    select (select count(distinct character_id)::int from judged) as judged,
      (select coalesce(json_agg(json_build_object('group_id', group_id, 'group_name', group_name,
          'character_id', character_id, 'wanted', wanted) order by group_id, character_id), '[]')
        from left_it) as departures,
      -- A statement reads what was there before it.
      (select coalesce(json_agg(former), '[]') from (
        ${standingsAmong(sql`select character_id from left_it where votes`)}) former) as standings`.execute(
    db,
  );
  const { judged = 0, departures = [], standings = [] } = rows[0] ?? {};
  return { judged, departures, standings: byUser(standings) };
}

/** Ids of the groups whose policies a user may see; with those that it owns or is in and that have none yet. */
export async function findVisible(db: Kysely<Database>, characterId: number): Promise<readonly string[]> {
  const { rows } = await sql<{ group_id: string }>`
    select g.group_id from groups g left join group_policies p using (group_id)
    where ${holdsFor(characterId, maySee)}`.execute(db);
  return rows.map(({ group_id }) => group_id);
}

/** Stores which members of a group are eligible before its policy changes: they can cease to be eligible by that. */
export async function rememberEligible(db: Kysely<Database>, groupId: string): Promise<void> {
  await sql`
    update group_members m set was_eligible = true from (
      select m.character_id from group_members m join groups g using (group_id) join users u using (character_id)
        left join group_policies p on p.group_id = m.group_id
        left join corporations c on c.corporation_id = u.corporation_id
      where m.group_id = ${groupId} and not m.was_eligible and ${isEligibleAtAll}
    ) eligible
    where m.group_id = ${groupId} and m.character_id = eligible.character_id`.execute(db);
}
