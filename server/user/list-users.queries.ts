import { type Kysely, type RawBuilder, sql } from 'kysely';
import { MAX_LEVEL } from '../../contract/access.ts';
import type { UserShort } from '../../contract/user.ts';
import { MEMBER_LEVEL } from '../access/clearance-levels.ts';
import type { JsonText } from '../database/json-text.ts';
import { keysOfPart } from '../database/name-key.ts';
import type { Database } from '../database/tables.ts';

/** Conditions for users, combined by AND (D71). */
export interface UserFilter {
  readonly search?: string | undefined;
  readonly corporation_id?: number | undefined;
  readonly alliance_id?: number | undefined;
  readonly coalition_id?: string | undefined;
  readonly group_id?: string | undefined;
  readonly min_level?: number | undefined;
}

/** A user's position in the order of D9 (keyset cursor). */
export interface Place {
  readonly name_key: string;
  readonly character_id: number;
}

export interface UsersFound {
  readonly users: JsonText<UserShort[]>;
  /** The place of the last one; undefined when no more users follow. */
  readonly last: Place | undefined;
}

/**
 * The first `limit` users behind a cursor, in the order of D9. One statement that finds their ids by index-only scans,
 * reads the rows of this page alone, and makes their JSON.
 */
export async function findUsers(
  db: Kysely<Database>,
  filter: UserFilter,
  after: Place | undefined,
  limit: number,
): Promise<UsersFound> {
  const { rows } = await sql<{ users: string; more: boolean } & Place>`
    with page as materialized (
      select character_id, name_key, row_number() over (order by name_key, character_id) as place
      from (${placesOf(filter, after, limit + 1)}) found order by place limit ${limit + 1}
    ), listed as (
      select character_id,
        (select u.character_name from users u where u.character_id = page.character_id) as character_name
      from page where place <= ${limit} order by place
    )
    select coalesce((select json_agg(u) from listed u), '[]')::text as users,
      exists (select from page where place > ${limit}) as more, last.name_key, last.character_id
    from (select) one left join page last on last.place = ${limit}`.execute(db);
  const { users, more, name_key, character_id } = rows[0] as (typeof rows)[number];
  return { users, last: more ? { name_key, character_id } : undefined };
}

/** Selects the access path that reads the fewest rows for the given filter. */
function placesOf(filter: UserFilter, after: Place | undefined, most: number): RawBuilder<Place> {
  const { min_level: level = MEMBER_LEVEL, search, group_id: group } = filter;
  const keys = search === undefined ? undefined : keysOfPart(search);
  const organizations = organizationsOf(filter);
  const inAnyGroup = all(
    beyond(after),
    atLeast(level),
    holding(keys),
    organizations && belonging(organizations),
  );
  const wanted = group === undefined ? inAnyGroup : all(inAnyGroup, inGroup(group));
  // Levels above 0 are rare, so the index on levels is selective.
  const anybody = keys === undefined && organizations === undefined && group === undefined;
  if (level > MEMBER_LEVEL || anybody) return ofLevels(level, wanted, most);
  // Members are not asked for their membership again: that would take an index lookup for each.
  if (group !== undefined) return nearOrFar(after, wanted, most, ofGroup(group, inAnyGroup, most));
  if (filter.corporation_id !== undefined) return ofOrganizations(organizations as Condition, wanted, most);
  return nearOrFar(
    after,
    wanted,
    most,
    organizations ? ofOrganizations(organizations, wanted, most) : ofName(keys as string[], wanted),
  );
}

type Condition = RawBuilder<unknown>;

function all(...conditions: (Condition | undefined)[]): Condition {
  return sql.join(
    conditions.filter((condition) => condition !== undefined),
    sql` and `,
  );
}

function beyond(after: Place | undefined): Condition | undefined {
  return after && sql`(u.name_key, u.character_id) > (${after.name_key}, ${after.character_id})`;
}

function atLeast(level: number): Condition {
  return sql`u.clearance_level >= ${level}`;
}

function any(conditions: readonly Condition[]): Condition {
  return sql`(${sql.join(conditions, sql` or `)})`;
}

function holding(keys: readonly string[] | undefined): Condition | undefined {
  return keys && any(keys.map((key) => sql`strpos(u.name_key, ${key}) > 0`));
}

/** SQL condition on the corporations `c` in the filter; undefined when it names none. */
function organizationsOf({ corporation_id, alliance_id, coalition_id }: UserFilter): Condition | undefined {
  const conditions = [
    corporation_id === undefined ? undefined : sql`c.corporation_id = ${corporation_id}`,
    alliance_id === undefined ? undefined : sql`c.alliance_id = ${alliance_id}`,
    coalition_id === undefined
      ? undefined
      : sql`c.corporation_id in
          (select r.corporation_id from coalition_reach r where r.coalition_id = ${coalition_id})`,
  ];
  return conditions.some((condition) => condition !== undefined) ? all(...conditions) : undefined;
}

function belonging(organizations: Condition): Condition {
  return sql`u.corporation_id in (select c.corporation_id from corporations c where ${organizations})`;
}

const inOrder = (row: 'u' | 'm', most: number | Condition) =>
  sql`order by ${sql.raw(row)}.name_key, ${sql.raw(row)}.character_id limit ${most}`;

/** The corporations whose members are in an autogroup; none for a hand-made group. */
const corporationsOf = (groupId: string) => sql`
  select g.corporation_id from groups g where g.group_id = ${groupId} and g.corporation_id is not null
  union all
  select c.corporation_id from corporations c
    where c.alliance_id = (select g.alliance_id from groups g where g.group_id = ${groupId})
  union all
  select r.corporation_id from coalition_reach r
    where r.coalition_id = (select g.coalition_id from groups g where g.group_id = ${groupId})`;

/** Whether the user `u` is a member of the group, by the group's own definition; the caller excludes guests. */
function inGroup(groupId: string): Condition {
  return sql`(u.corporation_id in (${corporationsOf(groupId)})
    or exists (select from group_members m where m.group_id = ${groupId} and m.character_id = u.character_id))`;
}

/** The first members of each of an autogroup's corporations, and the members of a hand-made group. */
function ofGroup(groupId: string, wanted: Condition, most: number) {
  return sql<Place>`
    select m.name_key, m.character_id from (${corporationsOf(groupId)}) c cross join lateral (
      select u.name_key, u.character_id from users u
      where u.corporation_id = c.corporation_id and ${wanted} ${inOrder('u', most)}
    ) m
    union all
    select u.name_key, u.character_id from group_members m join users u using (character_id)
    where m.group_id = ${groupId} and ${wanted}`;
}

/** The first users of each level, then the first of all these: so that no guests have to be read and skipped. */
function ofLevels(least: number, wanted: Condition, most: number) {
  return sql<Place>`
    select m.name_key, m.character_id
    from generate_series(${least}::int, ${sql.lit(MAX_LEVEL)}) level cross join lateral (
      select u.name_key, u.character_id from users u
      where u.clearance_level = level and ${wanted} ${inOrder('u', most)}
    ) m ${inOrder('m', most)}`;
}

/** The first users of each corporation, then the first of all these. */
function ofOrganizations(organizations: Condition, wanted: Condition, most: number) {
  return sql<Place>`
    select m.name_key, m.character_id from corporations c cross join lateral (
      select u.name_key, u.character_id from users u
      where u.corporation_id = c.corporation_id and ${wanted} ${inOrder('u', most)}
    ) m where ${organizations}`;
}

/** Users whose name contains the text in one of its forms, by the index on parts of names. */
function ofName(keys: readonly string[], wanted: Condition) {
  const parts = keys.map((key) => sql`name_parts(u.name_key) @> ${partsOf(key)}::text[]`);
  return sql<Place>`select u.name_key, u.character_id from users u where ${any(parts)} and ${wanted}`;
}

/** Parts that every name containing the text must have: the longest of those from `name_parts`. */
function partsOf(key: string): string[] {
  const letters = [...key];
  if (letters.length <= 3) return [key];
  return [...new Set(letters.slice(2).map((_, first) => letters.slice(first, first + 3).join('')))];
}

/** Rows that are read in the order of names first; more for longer pages. */
const LOOK_AT_LEAST = 10_000;
const LOOK_AT_PER_USER = 30;
/** As many of the first rows must match for the others to be read. */
const SAMPLE = { rows: 1_000, matching: 3 };

/**
 * Combines two access paths. Users that match often fill a page from the next names in order; for rare ones `far` finds
 * all of them by an index of its own. Each path alone is slow where the other is fast. Together a page reads about
 * sqrt(users × page size) rows: 10,000 for a page of 100 out of a million. A sample tells whether the first is worth it.
 */
function nearOrFar(after: Place | undefined, wanted: Condition, most: number, far: RawBuilder<Place>) {
  const looked = Math.max(LOOK_AT_LEAST, LOOK_AT_PER_USER * most);
  const next = (rows: number | Condition) => sql`
      select u.name_key, u.character_id, u.corporation_id, u.clearance_level from users u
      ${after === undefined ? sql`` : sql`where ${beyond(after)}`} ${inOrder('u', rows)}`;
  return sql<Place>`
    with sample as materialized (${next(SAMPLE.rows)}
    ), matching as materialized (
      select from sample u where ${wanted} limit ${SAMPLE.matching}
    ), next as materialized (
      ${next(sql`case when (select count(*) from matching) = ${SAMPLE.matching} then ${looked} else 0 end`)}
    ), near as materialized (
      select u.name_key, u.character_id from next u where ${wanted} ${inOrder('u', most)}
    ), far as materialized (
      select * from (${far}) found where (select count(*) from near) < ${most}
    )
    select * from near where (select count(*) from near) = ${most}
    union all (select * from far u ${inOrder('u', most)})`;
}
