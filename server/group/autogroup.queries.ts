import { type Kysely, sql } from 'kysely';
import { isMember } from '../access/clearance-levels.queries.ts';
import { objectId } from '../database/object-id.ts';
import type { Database } from '../database/tables.ts';
import { type NewEvent, recordEvents } from '../event/record.ts';

/** An organization whose autogroup is missing or has its former name. */
interface Unnamed {
  readonly kind: 'corporation' | 'alliance' | 'coalition';
  readonly id: string;
  readonly name: string;
  readonly name_key: string;
  /** Null when there is none yet. */
  readonly group_id: string | null;
}

/** Ids of organizations that may have a first member or a new name. */
export interface Touched {
  /** Their alliances and coalitions are checked, too. */
  readonly corporations?: readonly number[];
  readonly alliances?: readonly number[];
  readonly coalitions?: readonly string[];
  /** Whether an organization with members may have joined another alliance or coalition. */
  readonly regrouped?: boolean;
  /** Whether this is undone in the end (D121): then nobody waits for it, as its snapshot hides what others do anyway. */
  readonly rehearsed?: boolean;
}

/**
 * Creates the autogroups of organizations that have members, and renames those of renamed organizations (D18b). Call it
 * at the end of every transaction that adds members or renames organizations; two statements when there is nothing to
 * do, whatever the size of the registry. Members and owners are not stored but derived when read.
 */
export async function ensureAutogroups(db: Kysely<Database>, touched: Touched, now: Date): Promise<void> {
  const { regrouped = false, rehearsed = false } = touched;
  if (!rehearsed) await lockGrouping(db, regrouped);
  const find = () => findUnnamed(db, touched);
  if ((await find()).length === 0) return;
  if (!rehearsed) await lockGroupNames(db);
  // When two organizations want the same name, each pass serves one; the next pass sees that it is taken.
  for (let todo = await find(); todo.length > 0; todo = await find()) {
    if ((await nameAutogroups(db, await lockLivingCoalitions(db, todo), now)) === 0) return;
  }
}

/**
 * Lock between transactions that add members to an organization or tell of those that it loses (shared) and those that
 * move organizations between alliances or coalitions (exclusive): concurrently neither would see the other's change, so
 * that the autogroup would not be created, or both would tell of it (D91). Take the exclusive lock last, when nothing
 * else is waited for, and the shared one after those of users.
 */
export async function lockGrouping(db: Kysely<Database>, regrouped: boolean): Promise<void> {
  // The key stays as it is: processes of two releases run side by side.
  const lock = sql.raw(regrouped ? 'pg_advisory_xact_lock' : 'pg_advisory_xact_lock_shared');
  await sql`select ${lock}(hashtext('grouping of bodies'))`.execute(db);
}

/** Lets one transaction at a time choose names of groups, so that a name found free is free. */
export async function lockGroupNames(db: Kysely<Database>): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('names of groups'))`.execute(db);
}

async function findUnnamed(db: Kysely<Database>, touched: Touched): Promise<Unnamed[]> {
  const { corporations = [], alliances = [], coalitions = [] } = touched;
  const { rows } = await sql<Unnamed>`
    select kind, id, name, name_key, group_id from (
      select 'corporation' as kind, c.corporation_id::text as id, c.corporation_name as name, c.name_key,
        g.group_id, g.group_name,
        (select true from users u where u.corporation_id = c.corporation_id and ${isMember} limit 1)
          as peopled
      from corporations c left join groups g using (corporation_id)
      where c.corporation_id = any(${[...corporations]}::bigint[])
      union all
      select 'alliance', a.alliance_id::text, a.alliance_name, a.name_key, g.group_id, g.group_name,
        (select true from corporations c join users u using (corporation_id)
          where c.alliance_id = a.alliance_id and ${isMember} limit 1)
      from alliances a left join groups g using (alliance_id)
      where a.alliance_id in (
        select unnest(${[...alliances]}::bigint[])
        union select alliance_id from corporations where corporation_id = any(${[...corporations]}::bigint[]))
      union all
      select 'coalition', co.coalition_id, co.coalition_name, co.name_key, g.group_id, g.group_name,
        (select true from coalition_reach r join users u using (corporation_id)
          where r.coalition_id = co.coalition_id and ${isMember} limit 1)
      from coalitions co left join groups g using (coalition_id)
      where co.coalition_id in (
        select unnest(${[...coalitions]}::text[])
        union select coalition_id from coalition_reach where corporation_id = any(${[...corporations]}::bigint[]))
    ) organization
    where case when group_id is null then peopled
      else group_name <> name and not starts_with(group_name, name || ${suffix}) end`.execute(db);
  return rows;
}

/** The suffix of an autogroup whose name is taken. */
const suffix = sql`' (' || kind || ' ' || id || ')'`;

/** Locks the coalitions that still exist until the transaction ends; a deleted one needs no autogroup. */
async function lockLivingCoalitions(db: Kysely<Database>, unnamed: readonly Unnamed[]): Promise<Unnamed[]> {
  const ids = unnamed.filter(({ kind }) => kind === 'coalition').map(({ id }) => id);
  if (ids.length === 0) return [...unnamed];
  const kept = await db
    .selectFrom('coalitions')
    .select('coalition_id')
    .where('coalition_id', 'in', ids)
    .orderBy('coalition_id')
    .forKeyShare()
    .execute();
  const living = new Set(kept.map(({ coalition_id }) => coalition_id));
  return unnamed.filter(({ kind, id }) => kind !== 'coalition' || living.has(id));
}

interface NamedAutogroup {
  readonly group_id: string;
  readonly name: string;
  /** Its name before; null for a new one. */
  readonly former: string | null;
}

/** The event of a new or renamed autogroup. */
export function autogroupEvent({ group_id, name, former }: NamedAutogroup): NewEvent {
  const targets = [{ type: 'group' as const, id: group_id, name }];
  const changes = [{ field: 'group_name', before: former, after: name }];
  if (former !== null) return { type: 'group.updated', targets, changes };
  const mark = { field: 'is_autogroup', before: null, after: true };
  return { type: 'group.created', targets, changes: [...changes, mark] };
}

/** Names each autogroup after its organization, with a suffix if that name is taken; returns how many were named. */
async function nameAutogroups(db: Kysely<Database>, unnamed: readonly Unnamed[], now: Date): Promise<number> {
  const rows = unnamed.map((organization) => ({
    ...organization,
    is_new: organization.group_id === null,
    group_id: organization.group_id ?? objectId(now),
  }));
  const { rows: named } = await sql<NamedAutogroup>`
    with organization as (
      select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as f(kind text, id text, name text, name_key text, group_id text, is_new boolean)
    ), chosen as (
      select distinct on (free.name_key) o.kind, o.id, o.group_id, o.is_new, free.name, free.name_key
      from organization o cross join lateral (
        select o.name || repeat(${suffix}, n) as name, o.name_key || repeat(${suffix}, n) as name_key
        from generate_series(0, 9) n
        where not exists (select from groups g
          where g.name_key = o.name_key || repeat(${suffix}, n) and g.group_id <> o.group_id)
        order by n limit 1
      ) free
      order by free.name_key, o.kind, o.id
    ), renamed as (
      update groups g set group_name = chosen.name, name_key = chosen.name_key, updated_on = ${now}
      from chosen where g.group_id = chosen.group_id and not chosen.is_new
    ), made as (
      insert into groups
        (group_id, group_name, name_key, corporation_id, alliance_id, coalition_id, created_on, updated_on)
      select group_id, name, name_key,
        case kind when 'corporation' then id::bigint end,
        case kind when 'alliance' then id::bigint end,
        case kind when 'coalition' then id end, ${now}, ${now}
      from chosen where is_new order by group_id
    )
    select group_id, name, g.group_name as former from chosen left join groups g using (group_id)`.execute(
    db,
  );
  await recordEvents(db, named.map(autogroupEvent), now);
  return named.length;
}
