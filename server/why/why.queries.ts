import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { ExtScope } from '../../contract/scopes.ts';
import { answersFor } from '../access/account.ts';
import { isMember } from '../access/clearance-levels.queries.ts';
import type { RankedPosition } from '../access/level-change.ts';
import { type LoginVote, loginVotes, mayLogIn, mayUseTokens } from '../access/login-permission.queries.ts';
import { idNamed } from '../access/named-user.queries.ts';
import {
  type Asker,
  callerPosition,
  type PositionRow,
  toPosition,
  userPosition,
} from '../access/position.queries.ts';
import {
  coverage,
  type Requirement,
  requirementsOfCorporation,
  scopesOfCorporation,
} from '../access/required-scopes.queries.ts';
import type { Database } from '../database/tables.ts';
import { membersOf } from '../group/group.queries.ts';
import {
  asksSomething,
  conditions,
  counts,
  holdsFor,
  isEligible,
  maySee,
  moderates,
} from '../policy/eligibility.queries.ts';
import { stateAt } from '../policy/pending.queries.ts';
import { rejectedUntil } from '../policy/policy.queries.ts';

interface LoginJudged {
  readonly admitted: boolean;
  readonly votes: readonly (LoginVote & { readonly since?: string | null })[];
}

/** For each kind of question the decision and what it is based on. */
export interface Judged {
  readonly login: LoginJudged;
  readonly level: {
    readonly corporation: boolean;
    readonly alliance: boolean;
    readonly since: string | null;
  };
  readonly tracking: {
    readonly member: boolean;
    /** Whether the user may sign in. */
    readonly login: LoginJudged;
    readonly covered: boolean | null;
    readonly requirements: readonly Requirement[];
    readonly grants: readonly { readonly valid: boolean; readonly scopes: readonly ExtScope[] }[];
  };
  /** Null when the group does not exist. */
  readonly group: {
    readonly name: string;
    readonly follows: 'corporation' | 'alliance' | 'coalition' | 'voice' | null;
    readonly member: boolean;
    readonly since: string | null;
    readonly owned: boolean;
    readonly is_owner: boolean;
    /** Whether the user's tokens may be used. */
    readonly login: LoginJudged;
    /** Null: there is none, or the asker may not see it. */
    readonly policy: PolicyJudged | null;
  } | null;
  readonly reach: null;
}

/** What the policy of a group makes of somebody (D110). */
export interface PolicyJudged {
  /** Closed where the policy does not count. */
  readonly joining: 'closed' | 'application' | 'open';
  readonly counts: boolean;
  readonly reach: 'character' | 'person';
  readonly min_level: number;
  readonly eligible: boolean;
  readonly met: Readonly<Record<keyof typeof conditions, boolean>>;
  /** Whether the user may see the policy; who may not can neither join nor apply. */
  readonly may_see: boolean;
  /** Whether an application is pending: told to the user itself and to those who decide it. */
  readonly pending: boolean;
  /** When it may apply again after a rejection; null when it may now, or is not told so. */
  readonly rejected_until: string | null;
  /** When a member who is not eligible has to leave, once that was noticed. */
  readonly leaves_on: string | null;
  /** Whether the policy puts out this member when it is not eligible: only who was eligible at some time. */
  readonly removes: boolean;
}

/** Whether the event `e` changed a field. */
const changes = (field: string) => sql`e.body::jsonb @> ${JSON.stringify({ changes: [{ field }] })}::jsonb`;

/** Most events of a subject that are examined: a busy one has hundreds of thousands. */
const EXAMINED = 1_000;

/** Id of the last event about this subject that meets the condition; null also where that is too long ago. */
const lastEvent = (subject: RawBuilder<unknown>, condition: RawBuilder<unknown>) => sql<string | null>`(
  select s.event_id
  from (select event_id from event_subjects where key = ${subject} order by event_id desc limit ${sql.lit(EXAMINED)}) s,
    lateral (select * from events e where e.event_id = s.event_id offset 0) e
  where ${condition} order by s.event_id desc limit 1)`;

/** Id of the last event that added the user `u` to a group, or removed it. */
const lastMove = (group: RawBuilder<unknown>) =>
  lastEvent(
    sql`'user:' || u.character_id`,
    sql`e.type = 'group.members_changed' and e.targets @> array[${group}]`,
  );

const subjectOfVote = sql`(vote->>'kind') || ':' || (vote->>'id')`;

/** The event since which a vote applies to the user `u`: when it was set, or when the user was added to the group. */
const sinceVote = sql`greatest(
  ${lastEvent(
    subjectOfVote,
    sql`e.type in ('coalition.created', 'coalition.updated', 'group.updated')
      and ${changes('authorized_to_login')}`,
  )},
  case when vote->>'via' is null then ${lastMove(subjectOfVote)} end)`;

/** Expressions for each kind of question, for the user `u` in the corporation `c` of the alliance `a`. */
const judged: {
  readonly [About in keyof Judged]: (id: string, asker: number, now: Date) => RawBuilder<Judged[About]>;
} = {
  login: () => sql`(
    select json_build_object('admitted', ${mayLogIn}, 'votes', (
      select coalesce(json_agg(vote::jsonb || jsonb_build_object('since', ${sinceVote}) order by ordinal), '[]')
      from json_array_elements(${loginVotes}) with ordinality as votes(vote, ordinal))))`,
  level: () => sql`json_build_object(
    'corporation', c.ceo_id is not distinct from u.character_id and ${isMember},
    'alliance', c.ceo_id is not distinct from u.character_id and ${isMember}
      and a.executor_corporation_id is not distinct from u.corporation_id,
    'since', ${lastEvent(
      sql`'user:' || u.character_id`,
      sql`e.type in ('user.registered', 'user.handed_over')
        or e.type = 'user.standing_changed' and ${changes('clearance_level')}`,
    )})`,
  tracking: () => sql`json_build_object(
    'member', ${isMember} and u.corporation_id is not null,
    'login', json_build_object('admitted', ${mayLogIn}, 'votes', ${loginVotes}),
    'covered', (select ${coverage(scopesOfCorporation)} from standing_grants g
      where g.character_id = u.character_id),
    'requirements', ${requirementsOfCorporation},
    'grants', (select coalesce(json_agg(json_build_object('valid', g.valid, 'scopes', g.scopes) order by g.grant_id), '[]')
      from standing_grants g where g.character_id = u.character_id))`,
  group: (id, asker, now) => sql`(
    select json_build_object('name', g.group_name,
      'follows', case when g.corporation_id is not null then 'corporation'
        when g.alliance_id is not null then 'alliance'
        when g.coalition_id is not null then 'coalition' when g.is_voice then 'voice' end,
      'member', exists (select from (${membersOf}) m where m.character_id = u.character_id),
      'since', ${lastMove(sql`'group:' || g.group_id`)},
      'owned', g.owner_id is not null, 'is_owner', g.owner_id is not distinct from u.character_id,
      'login', json_build_object('admitted', ${mayUseTokens}, 'votes', ${loginVotes}),
      'policy', ${policyFor(asker, now)})
    from groups g where g.group_id = ${id})`,
  reach: () => sql`null::json`,
};

const met = sql.join(
  Object.entries(conditions).flatMap(([name, condition]) => [sql.lit(name), condition]),
  sql`, `,
);

/**
 * What the policy of the group `g` makes of the user `u`, if the asker may see it. What counts by the person is told to
 * nobody else: it would tell whose alt it is (D100).
 */
function policyFor(asker: number, now: Date) {
  const isTold = sql`(u.character_id = ${asker} or ${holdsFor(asker, moderates)})`;
  return sql`(
    select json_build_object('joining', case when ${counts} then p.joining else 'closed' end, 'counts', ${counts},
      'reach', p.reach, 'min_level', p.min_level, 'eligible', ${isEligible}, 'met', json_build_object(${met}),
      'may_see', ${maySee},
      'pending', ${isTold} and exists (select from applications a where a.group_id = g.group_id
        and a.character_id = u.character_id and ${stateAt(now)} = 'pending'),
      'rejected_until', case when ${isTold} and ${rejectedUntil} > ${now} then to_json(${rejectedUntil}) end,
      'removes', ${asksSomething} and exists (select from group_members m where m.group_id = g.group_id
        and m.character_id = u.character_id and m.was_eligible),
      'leaves_on', (select to_json(m.ineligible_since + p.grace_hours * interval '1 hour') from group_members m
        where m.group_id = g.group_id and m.character_id = u.character_id))
    from group_policies p
    where p.group_id = g.group_id and (p.reach = 'character' or u.character_id = ${asker}) and ${holdsFor(asker, maySee)})`;
}

/** A user that a question is about, with the names of its organizations. */
export interface Subject {
  readonly name: string;
  readonly position: RankedPosition;
  readonly corporation_name: string | null;
  readonly alliance_name: string | null;
  readonly coalitions: readonly { readonly id: string; readonly name: string }[];
}

interface Row extends PositionRow {
  readonly character_name: string;
  readonly corporation_name: string | null;
  readonly alliance_name: string | null;
  readonly names: Subject['coalitions'];
  readonly judged: unknown;
  readonly ordinal: number;
  readonly sealed: number | null;
}

export interface Found<About extends keyof Judged> {
  readonly caller: RankedPosition | undefined;
  readonly subject: Subject | undefined;
  readonly object: Subject | undefined;
  readonly judged: Judged[About];
  /** Position of the last event that the answer includes. */
  readonly position: number | null;
}

/** The positions of the asker and the subject alone, to refuse before anything is looked into. */
export async function findReach(
  db: Kysely<Database>,
  asker: Asker,
  nameOrId: string,
): Promise<{ readonly caller: RankedPosition | undefined; readonly subject: RankedPosition | undefined }> {
  const { rows } = await sql<PositionRow>`
    ${callerPosition(asker)} union all ${userPosition(idNamed(nameOrId))}`.execute(db);
  const [caller, subject] = ['caller', 'target'].map((role) => rows.find((row) => row.role === role));
  return { caller: caller && toPosition(caller), subject: subject && toPosition(subject) };
}

/**
 * Reads everything that an answer needs in one statement, so that it is consistent: the positions of the asker, the
 * subject and, for questions about reach, the object, and the decision with what it is based on.
 *
 * @param id the group, or for questions about reach the character id of the object
 */
export async function findWhy<About extends keyof Judged>(
  db: Kysely<Database>,
  asker: Asker,
  nameOrId: string,
  about: About,
  id: string,
  now: Date,
): Promise<Found<About>> {
  const { rows } = await sql<Row>`
    with asked as (
      select 1 as ordinal, caller.* from (${callerPosition(asker)}) caller
      union all
      select 2, subject.* from (${userPosition(idNamed(nameOrId))}) subject
      union all
      select 3, object.* from (${userPosition(about === 'reach' ? Number(id) : -1)}) object
    )
    select asked.*, u.character_name, c.corporation_name, a.alliance_name,
      (select coalesce(json_agg(json_build_object('id', co.coalition_id, 'name', co.coalition_name)), '[]')
        from coalitions co where co.coalition_id = any(asked.coalitions)) as names,
      case when ordinal = 2 then ${judged[about](id, answersFor(asker), now)} end as judged,
      (select position from event_seals order by position desc limit 1) as sealed
    from asked join users u using (character_id)
      left join corporations c on c.corporation_id = u.corporation_id
      left join alliances a on a.alliance_id = c.alliance_id
    order by ordinal`.execute(db);
  const [caller, subject, object] = [1, 2, 3].map((ordinal) => rows.find((row) => row.ordinal === ordinal));
  return {
    caller: caller && toPosition(caller),
    subject: subject && toSubject(subject),
    object: object && toSubject(object),
    judged: (subject?.judged ?? null) as Judged[About],
    position: caller?.sealed ?? null,
  };
}

function toSubject(row: Row): Subject {
  const { character_name: name, corporation_name, alliance_name, names } = row;
  return { name, position: toPosition(row), corporation_name, alliance_name, coalitions: names };
}
