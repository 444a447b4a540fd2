import { type Kysely, type RawBuilder, sql } from 'kysely';
import { MAX_LEVEL } from '../../contract/access.ts';
import { MEMBER_LEVEL } from '../access/levels.ts';
import { nameKey } from '../database/name-key.ts';
import type { Database } from '../database/tables.ts';

/** Which users are wanted: everything that is given has to hold (D71). */
export interface UserFilter {
  readonly search?: string | undefined;
  readonly corporation_id?: number | undefined;
  readonly alliance_id?: number | undefined;
  readonly coalition_id?: string | undefined;
  readonly group_id?: string | undefined;
  readonly min_level?: number | undefined;
}

/** A user's place in the order of D9. */
export interface Place {
  readonly name_key: string;
  readonly character_id: number;
}

export interface ListedUser extends Place {
  readonly character_name: string;
}

/**
 * The first `most` users after a place, in the order of D9. One statement that finds them in indexes alone, and looks up
 * no more than those that it gives.
 */
export async function findUsers(
  db: Kysely<Database>,
  filter: UserFilter,
  after: Place | undefined,
  most: number,
): Promise<ListedUser[]> {
  const { rows } = await sql<ListedUser>`
    select character_id, name_key,
      (select u.character_name from users u where u.character_id = page.character_id) as character_name
    from (${placesOf(filter, after, most)}) page order by name_key, character_id`.execute(db);
  return rows;
}

/** The way to them that reads least, by what is asked for. */
function placesOf(filter: UserFilter, after: Place | undefined, most: number): RawBuilder<Place> {
  const { min_level: level = MEMBER_LEVEL, search, group_id: group } = filter;
  const key = search === undefined ? undefined : nameKey(search);
  const bodies = bodiesOf(filter);
  const wanted = all(
    beyond(after),
    atLeast(level),
    holding(key),
    bodies && belonging(bodies),
    group === undefined ? undefined : inGroup(group),
  );
  // Who has a level got it by hand: there are few.
  const anybody = key === undefined && bodies === undefined && group === undefined;
  if (level > MEMBER_LEVEL || anybody) return ofLevels(level, wanted, most);
  if (group !== undefined) return nearOrFar(after, wanted, most, ofGroup(group, wanted, most));
  if (filter.corporation_id !== undefined) return ofBodies(bodies as Condition, wanted, most);
  return nearOrFar(
    after,
    wanted,
    most,
    bodies ? ofBodies(bodies, wanted, most) : ofName(key as string, wanted),
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

function holding(key: string | undefined): Condition | undefined {
  return key === undefined ? undefined : sql`strpos(u.name_key, ${key}) > 0`;
}

/** Which corporations `c` are asked for; undefined: none in particular. */
function bodiesOf({ corporation_id, alliance_id, coalition_id }: UserFilter): Condition | undefined {
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

function belonging(bodies: Condition): Condition {
  return sql`u.corporation_id in (select c.corporation_id from corporations c where ${bodies})`;
}

const inOrder = (row: 'u' | 'm', most: number) =>
  sql`order by ${sql.raw(row)}.name_key, ${sql.raw(row)}.character_id limit ${most}`;

/** The corporations whose members are those of an autogroup; of a group that people are put into, none. */
const corporationsOf = (groupId: string) => sql`
  select g.corporation_id from groups g where g.group_id = ${groupId} and g.corporation_id is not null
  union all
  select c.corporation_id from corporations c
    where c.alliance_id = (select g.alliance_id from groups g where g.group_id = ${groupId})
  union all
  select r.corporation_id from coalition_reach r
    where r.coalition_id = (select g.coalition_id from groups g where g.group_id = ${groupId})`;

/** Whether the user `u` is a member of the group, as the group itself counts them: who is asked for is no guest. */
function inGroup(groupId: string): Condition {
  return sql`(u.corporation_id in (${corporationsOf(groupId)})
    or exists (select from group_members m where m.group_id = ${groupId} and m.character_id = u.character_id))`;
}

/** The first members of each corporation of an autogroup; and whoever was put into the group. */
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

/** The first people of each level, and of these the first: so nobody has to step over guests. */
function ofLevels(least: number, wanted: Condition, most: number) {
  return sql<Place>`
    select m.name_key, m.character_id
    from generate_series(${least}::int, ${sql.lit(MAX_LEVEL)}) level cross join lateral (
      select u.name_key, u.character_id from users u
      where u.clearance_level = level and ${wanted} ${inOrder('u', most)}
    ) m ${inOrder('m', most)}`;
}

/** The first people of each corporation, and of these the first. */
function ofBodies(bodies: Condition, wanted: Condition, most: number) {
  return sql<Place>`
    select m.name_key, m.character_id from corporations c cross join lateral (
      select u.name_key, u.character_id from users u
      where u.corporation_id = c.corporation_id and ${wanted} ${inOrder('u', most)}
    ) m where ${bodies}`;
}

/** Everybody with this in the name, by the index of parts of names. */
function ofName(key: string, wanted: Condition) {
  return sql<Place>`
    select u.name_key, u.character_id from users u
    where name_parts(u.name_key) @> ${partsOf(key)}::text[] and ${wanted}`;
}

/** Parts that every name with this in it has: of what `name_parts` gives, the longest. */
function partsOf(key: string): string[] {
  const letters = [...key];
  if (letters.length <= 3) return [key];
  return [...new Set(letters.slice(2).map((_, first) => letters.slice(first, first + 3).join('')))];
}

/** Names that are looked at in their order before anything else: the more, the longer the page. */
const LOOK_AT_LEAST = 10_000;
const LOOK_AT_PER_USER = 30;

/**
 * What is frequent fills a page from the names that come next; what does not is rare, and `far` finds all of it by an
 * index of its own. Either alone is slow where the other is fast. With both a page reads about as many places as the
 * root of users times page: 10,000 for 100 of a million.
 */
function nearOrFar(after: Place | undefined, wanted: Condition, most: number, far: RawBuilder<Place>) {
  const looked = Math.max(LOOK_AT_LEAST, LOOK_AT_PER_USER * most);
  const next = after === undefined ? sql`` : sql`where ${beyond(after)}`;
  return sql<Place>`
    with next as materialized (
      select u.name_key, u.character_id, u.corporation_id, u.clearance_level from users u ${next}
      ${inOrder('u', looked)}
    ), near as materialized (
      select u.name_key, u.character_id from next u where ${wanted} ${inOrder('u', most)}
    ), far as materialized (
      select * from (${far}) found where (select count(*) from near) < ${most}
    )
    select * from near where (select count(*) from near) = ${most}
    union all (select * from far u ${inOrder('u', most)})`;
}
