import { type Kysely, type RawBuilder, sql } from 'kysely';
import { MAX_LEVEL } from '../../contract/access.ts';
import { memberLevel } from '../access/levels.queries.ts';
import { MEMBER_LEVEL } from '../access/levels.ts';
import { nameKey } from '../database/name-key.ts';
import type { Database } from '../database/tables.ts';
import { membersOf } from '../group/group.queries.ts';

/** Which users are wanted, and from where on: everything that is given has to hold (D71). */
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
 * The first `most` users after a place, in the order of D9. One statement that begins with the narrowest of what is
 * asked for, and reads from each index no more than it can give.
 */
export async function findUsers(
  db: Kysely<Database>,
  filter: UserFilter,
  after: Place | undefined,
  most: number,
): Promise<ListedUser[]> {
  const { rows } = await statementFor(filter, after, most).execute(db);
  return rows;
}

function statementFor(filter: UserFilter, after: Place | undefined, most: number): RawBuilder<ListedUser> {
  const { search, min_level: level = MEMBER_LEVEL } = filter;
  const key = search === undefined ? undefined : nameKey(search);
  const wanted = all(beyond(after), holding(key), atLeast(level));
  if (filter.group_id !== undefined) return ofGroup(filter.group_id, all(wanted, belonging(filter)), most);
  const bodies = bodiesOf(filter);
  if (bodies !== undefined) return ofBodies(bodies, wanted, most);
  // Whoever has a level got it by hand: there are few, and no reason to search all names for them.
  if (key === undefined || level > MEMBER_LEVEL) return ofLevels(level, wanted, most);
  return named(key, after, wanted, most);
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

function holding(key: string | undefined): Condition | undefined {
  return key === undefined ? undefined : sql`strpos(u.name_key, ${key}) > 0`;
}

function atLeast(level: number): Condition {
  return sql`u.clearance_level >= ${level}`;
}

const inOrder = (row: 'u' | 'm', most: number) =>
  sql`order by ${sql.raw(row)}.name_key, ${sql.raw(row)}.character_id limit ${most}`;

/** Members of a group, as the group itself counts them. */
function ofGroup(groupId: string, wanted: Condition, most: number) {
  return sql<ListedUser>`
    select u.character_id, u.character_name, u.name_key from groups g cross join lateral (${membersOf}) u
    where g.group_id = ${groupId} and ${wanted} ${inOrder('u', most)}`;
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

function belonging(filter: UserFilter): Condition | undefined {
  const bodies = bodiesOf(filter);
  return bodies && sql`u.corporation_id in (select c.corporation_id from corporations c where ${bodies})`;
}

/** The first people of each corporation, and of these the first. */
function ofBodies(bodies: Condition, wanted: Condition, most: number) {
  return sql<ListedUser>`
    select m.character_id, m.character_name, m.name_key from corporations c cross join lateral (
      select u.* from users u where u.corporation_id = c.corporation_id and ${wanted} ${inOrder('u', most)}
    ) m where ${bodies} ${inOrder('m', most)}`;
}

/** The first people of each level, and of these the first: so nobody has to step over guests. */
function ofLevels(least: number, wanted: Condition, most: number) {
  return sql<ListedUser>`
    select m.character_id, m.character_name, m.name_key
    from generate_series(${least}::int, ${sql.lit(MAX_LEVEL)}) level cross join lateral (
      select u.* from users u where u.clearance_level = level and ${wanted} ${inOrder('u', most)}
    ) m ${inOrder('m', most)}`;
}

/** Names that are looked at in their order before the index of their parts is: the more, the longer the page. */
const LOOK_AT_LEAST = 10_000;
const LOOK_AT_PER_USER = 30;

/**
 * Everybody with this in the name. What is frequent fills a page from the names that come next; what does not is rare,
 * and the index of parts of names finds all of it. Either alone is slow where the other is fast. With both a page reads
 * no more rows than the root of users times page: 10,000 of a million for a page of 100.
 */
function named(key: string, after: Place | undefined, wanted: Condition, most: number) {
  const looked = Math.max(LOOK_AT_LEAST, LOOK_AT_PER_USER * most);
  const next = after === undefined ? sql`` : sql`where ${beyond(after)}`;
  return sql<ListedUser>`
    with next as materialized (
      select u.name_key, u.character_id from users u ${next} ${inOrder('u', looked)}
    ), near as materialized (
      select u.character_id, u.character_name, u.name_key
      from (select * from next n where strpos(n.name_key, ${key}) > 0) n join users u using (character_id)
      where u.clearance_level >= ${memberLevel} ${inOrder('u', most)}
    ), far as materialized (
      select u.character_id, u.character_name, u.name_key from users u
      where (select count(*) from near) < ${most}
        and name_parts(u.name_key) @> ${partsOf(key)}::text[] and ${wanted}
    )
    select * from near where (select count(*) from near) = ${most}
    union all (select * from far u ${inOrder('u', most)})
    order by name_key, character_id`;
}

/** Parts that every name with this in it has: what `name_parts` gives for the longest of them. */
function partsOf(key: string): string[] {
  const letters = [...key];
  if (letters.length <= 3) return [key];
  return [...new Set(letters.slice(2).map((_, first) => letters.slice(first, first + 3).join('')))];
}
