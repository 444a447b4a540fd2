import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { PreviewChange } from '../../contract/preview.ts';
import { isMember } from '../access/clearance-levels.queries.ts';
import { groupsOf } from '../access/groups-of.queries.ts';
import { mayUseTokens } from '../access/login-permission.queries.ts';
import { coverage, scopesOfCorporation } from '../access/required-scopes.queries.ts';
import type { Database } from '../database/tables.ts';

/** The users whose standing a set of changes may touch. */
export interface Touched {
  readonly users?: readonly number[];
  /** All their members and guests. */
  readonly corporations?: readonly number[];
  /** Members and guests of all their corporations. */
  readonly alliances?: readonly number[];
  readonly coalitions?: readonly string[];
  /** Their members; of an autogroup those of its organization. */
  readonly groups?: readonly string[];
  /** Corporations whose CEOs are touched, and the leaders of their alliances. */
  readonly led?: readonly number[];
  /** Alliances whose leaders are touched: the CEOs of their executors. */
  readonly ledAlliances?: readonly number[];
}

/** Ids of the users whose standing may be touched. */
export function touchedUsers(touched: Touched): RawBuilder<unknown> {
  const { users, led, ledAlliances, groups } = touched;
  const found = unionOf(
    ofGiven(users, (ids) => sql`select unnest(${ids}::bigint[]) as character_id`),
    ofGiven(led, leadersOf),
    ofGiven(ledAlliances, (ids) => leadersOfAlliances(sql`select unnest(${ids}::bigint[])`)),
    ofGiven(
      groups,
      (ids) => sql`select character_id from group_members where group_id = any(${ids}::text[])`,
    ),
    membersOfOrganizations(touched),
  );
  return found ?? sql`select null::bigint as character_id where false`;
}

const leadersOf = (corporationIds: unknown) => sql`
  select ceo_id as character_id from corporations where corporation_id = any(${corporationIds}::bigint[])
  union ${leadersOfAlliances(sql`
    select alliance_id from corporations where corporation_id = any(${corporationIds}::bigint[])`)}`;

const leadersOfAlliances = (allianceIds: RawBuilder<unknown>) => sql`
  select e.ceo_id as character_id
  from alliances a join corporations e on e.corporation_id = a.executor_corporation_id
  where a.alliance_id in (${allianceIds})`;

/** Members and guests of organizations, also of those whose autogroup is touched. */
function membersOfOrganizations({ corporations, alliances, coalitions, groups }: Touched) {
  const ofGroups = (column: string) =>
    ofGiven(groups, (ids) => sql`select ${sql.ref(column)} from groups where group_id = any(${ids}::text[])`);
  const inAlliances = unionOf(
    ofGiven(alliances, (ids) => sql`select unnest(${ids}::bigint[])`),
    ofGroups('alliance_id'),
  );
  const inCoalitions = unionOf(
    ofGiven(coalitions, (ids) => sql`select unnest(${ids}::text[])`),
    ofGroups('coalition_id'),
  );
  const corporationIds = unionOf(
    ofGiven(corporations, (ids) => sql`select unnest(${ids}::bigint[])`),
    ofGroups('corporation_id'),
    inAlliances && sql`select corporation_id from corporations where alliance_id in (${inAlliances})`,
    inCoalitions && sql`select corporation_id from coalition_reach where coalition_id in (${inCoalitions})`,
  );
  return (
    corporationIds && sql`select u.character_id from users u where u.corporation_id in (${corporationIds})`
  );
}

/** The part of a statement that looks up ids; none without ids, because PostgreSQL would plan and run it all the same. */
function ofGiven(
  ids: readonly unknown[] | undefined,
  part: (ids: unknown) => RawBuilder<unknown>,
): RawBuilder<unknown> | undefined {
  return ids === undefined || ids.length === 0 ? undefined : part([...ids]);
}

/** The union of those parts that there are. */
function unionOf(...parts: readonly (RawBuilder<unknown> | undefined)[]): RawBuilder<unknown> | undefined {
  const given = parts.filter((part) => part !== undefined);
  return given.length === 0 ? undefined : sql.join(given, sql` union `);
}

/**
 * The standing of the users whose ids `people` selects. What depends on the corporation alone is computed once per
 * corporation, not per user.
 */
const standingsOf = (people: RawBuilder<unknown>, more: RawBuilder<unknown>) => sql`
  with people as materialized (
    select u.* from users u where u.character_id in (${people})
  ), organizations as materialized (
    select c.corporation_id, c.alliance_id, ${scopesOfCorporation} as required,
      array(select r.coalition_id::text from coalition_reach r
        where r.corporation_id = c.corporation_id order by 1) as coalitions
    from corporations c left join alliances a using (alliance_id)
    where c.corporation_id in (select corporation_id from people)
  )
  select u.character_id, u.character_name, u.name_key, u.corporation_id, u.clearance_level, o.alliance_id,
    coalesce(o.coalitions, '{}') as coalitions ${more}
  from people u left join organizations o using (corporation_id)`;

/** Additional columns for {@link compareEffects}. */
const groupsAndValidity = sql`,
    ${mayUseTokens} as gets_in,
    array(select g.group_id::text from (${groupsOf}) g) as groups,
    ${isMember} and o.corporation_id is not null and coalesce((select ${coverage(sql`o.required`)}
      from standing_grants g where g.character_id = u.character_id), false) as valid`;

/** Ids of the users that {@link storeWholeStandings} stored. */
export const storedUsers = sql`select character_id from former_standings`;

/** The users whose standing may be touched, and the other characters of their persons: policies may reach persons. */
const touchedPersons = (touched: Touched) => sql`
  with touched as materialized (${touchedUsers(touched)})
  select character_id from touched
  union select alt.character_id from person_characters alt
    where alt.person_id in (select person_id from person_characters join touched using (character_id))`;

/** The present standing of the same users; no rows for deleted users. */
const present = (more: RawBuilder<unknown>) => standingsOf(storedUsers, more);

/**
 * Stores the full standing of users, and the names of their groups, in a temporary table for {@link compareEffects}.
 *
 * @param alts whether to store that of their other characters, too
 */
export async function storeWholeStandings(
  db: Kysely<Database>,
  touched: Touched,
  { alts }: { readonly alts: boolean },
): Promise<void> {
  const people = alts ? touchedPersons(touched) : touchedUsers(touched);
  await sql`create temporary table former_standings on commit drop as ${standingsOf(people, groupsAndValidity)}`.execute(
    db,
  );
  await sql`
    create temporary table former_groups on commit drop as
    select group_id, group_name, name_key from groups
    where group_id in (select unnest(groups) from former_standings)`.execute(db);
}

/**
 * What the users stored by {@link storeWholeStandings} have gained and lost since: of each the first `most` by name.
 */
export async function compareEffects(db: Kysely<Database>, most: number): Promise<PreviewChange[]> {
  const { rows } = await sql<PreviewChange>`
    with now as materialized (${present(groupsAndValidity)}), compared as (
      select f.character_id, f.character_name, f.name_key,
        f.gets_in as could, coalesce(n.gets_in, false) as can,
        f.valid as was_valid, coalesce(n.valid, false) as is_valid,
        f.clearance_level as from_level, n.clearance_level as to_level,
        f.groups as former, coalesce(n.groups, '{}') as present
      from former_standings f left join now n using (character_id)
    ), effects as (
      select 'login' as about, could as lost, null as group_id, null::int as from_level, null::int as to_level,
        character_id, character_name, name_key
      from compared where could <> can
      union all
      select 'validity', was_valid, null, null, null, character_id, character_name, name_key
      from compared where was_valid <> is_valid
      union all
      select 'level', coalesce(to_level < from_level, true), null, from_level, to_level, character_id, character_name, name_key
      from compared where to_level is distinct from from_level
      union all
      select 'group', true, group_id, null, null, character_id, character_name, name_key
      from compared, unnest(former) group_id where group_id <> all(present)
      union all
      select 'group', false, group_id, null, null, character_id, character_name, name_key
      from compared, unnest(present) group_id where group_id <> all(former)
    ), numbered as (
      select *, row_number() over (partition by about, lost, group_id, from_level, to_level
        order by name_key, character_id) as rank
      from effects
    ), summed as (
      select about, lost, group_id, from_level, to_level, count(*)::int as count,
        json_agg(json_build_object('character_id', character_id, 'character_name', character_name)
          order by rank) filter (where rank <= ${most}) as users
      from numbered group by about, lost, group_id, from_level, to_level
    )
    select about, case when lost then 'lost' else 'gained' end as effect, from_level, to_level, count, users,
      case when group_id is not null then json_build_object('group_id', group_id,
        'group_name', coalesce(g.group_name, f.group_name)) end as "group"
    from summed left join groups g using (group_id) left join former_groups f using (group_id)
    order by array_position(array['login', 'level', 'group', 'validity'], about), lost desc, from_level, to_level,
      coalesce(g.name_key, f.name_key), group_id`.execute(db);
  return rows;
}
