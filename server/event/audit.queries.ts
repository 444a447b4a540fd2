import { type Kysely, type RawBuilder, sql } from 'kysely';
import { PLANNED_EACH_TIME } from '../database/statements.ts';
import type { Database } from '../database/tables.ts';
import { context, type Reader, reachesNobody, reading, type StoredEvent, visible } from './read.queries.ts';

const plannedEachTime = sql.raw(PLANNED_EACH_TIME);

export interface AuditQuestion {
  readonly actor: number | undefined;
  /** As `type:id`. */
  readonly target: string | undefined;
  readonly types: readonly string[] | undefined;
  /** Ids between which they are, the second one not included. */
  readonly from: string | undefined;
  readonly before: string | undefined;
  readonly limit: number;
  /** Events that are looked at, at the most, however few of them fit. */
  readonly most: number;
}

export interface AuditAnswer {
  readonly events: readonly StoredEvent[];
  /** The last event that was looked at, and how many were. */
  readonly last: string | null;
  readonly looked: number;
}

/**
 * Events, the latest first; one statement, whose cost depends on `most` alone. One index gives those that it looks at in
 * their order; whatever else is asked is looked for among them.
 */
export async function readAudit(
  db: Kysely<Database>,
  reader: Reader,
  question: AuditQuestion,
): Promise<AuditAnswer> {
  const { actor, target, limit, most } = question;
  const { way, rest } = wayInto(reader, question);
  // Where every event fits, no more of them are read than are wanted.
  const read = reader === 'all' && rest.length === 0 ? Math.min(limit, most) : most;
  const { looked, found } = way(within(question), read);
  const { rows } = await sql<AuditAnswer>`${plannedEachTime}
    with ${reading(reader)}, looked as materialized (${looked}), candidates as materialized (
      select e.* from ${found} where ${both(rest)}
    ), ${visible(reader)}, page as (
      select * from visible where ${toldOf(target)} and ${toldBy(actor, reader)} order by event_id desc limit ${limit}
    )
    select (select event_id from looked order by event_id limit 1) as last,
      (select count(*) from looked) as looked,
      coalesce((select json_agg(json_build_object('body', body, 'context', ${context}, 'seen', seen, 'acted', acted,
        'position', (select position from event_seals s where s.event_id = v.event_id))
        order by event_id desc) from page v), '[]') as events`.execute(db);
  return rows[0] ?? { events: [], last: null, looked: 0 };
}

// The ways into the events ---------------------------------------------------------------------------------------

type Condition = RawBuilder<unknown>;

/** What is looked at, of the events within these bounds the latest, and where these are found as events `e`. */
type Way = (bounds: Condition, most: number) => { readonly looked: Condition; readonly found: Condition };

/** Types that are looked for one by one, each by its index; more of them among all events. */
const FEW_TYPES = 8;

/** The index that leads to the fewest, by what is asked and by who asks, and what it does not answer. */
function wayInto(
  reader: Reader,
  { actor, target, types }: AuditQuestion,
): { readonly way: Way; readonly rest: readonly Condition[] } {
  const by = actor === undefined ? [] : [sql`e.actor_id = ${actor}`];
  const about = target === undefined ? [] : [aboutTarget(target)];
  const typed = types === undefined ? [] : [sql`e.type = any(${[...types]}::text[])`];
  if (reachesNobody(reader))
    return { way: byIds(ownEvents(reader.owner_id)), rest: [...by, ...about, ...typed] };
  if (target !== undefined) return { way: byIds([subject(keyOf(target))]), rest: [...by, ...typed] };
  if (actor !== undefined) return { way: among(sql`actor_id = ${actor}`), rest: typed };
  const [type, ...others] = types ?? [];
  if (type === undefined || others.length >= FEW_TYPES) return { way: among(sql`true`), rest: typed };
  if (others.length === 0) return { way: among(sql`type = ${type}`), rest: [] };
  return { way: byIds([type, ...others].map((one) => sql`events where type = ${one}`)), rest: [] };
}

/** All events for which a condition holds: one index gives them in their order. */
function among(condition: Condition): Way {
  return (bounds, most) => ({
    looked: sql`select * from events where ${condition} and ${bounds} order by event_id desc limit ${most}`,
    found: sql`looked e`,
  });
}

/** The events whose ids are in one of these places, each of which has them in their order. */
function byIds(places: readonly Condition[]): Way {
  return (bounds, most) => {
    const parts = places.map(
      (place) => sql`(select event_id from ${place} and ${bounds} order by event_id desc limit ${most})`,
    );
    const all = sql.join(parts, sql` union `);
    return {
      looked: sql`select event_id from (${all}) ids order by event_id desc limit ${most}`,
      found: sql`looked l, lateral (select * from events e where e.event_id = l.event_id offset 0) e`,
    };
  };
}

/** The ways in which an event is somebody's own; all at once they would be looked for among all events. */
function ownEvents(id: number): Condition[] {
  return [sql`events where actor_id = ${id}`, sql`events where on_behalf_of = ${id}`, subject(`user:${id}`)];
}

function subject(key: string): Condition {
  return sql`event_subjects where key = ${key}`;
}

function within({ from, before }: AuditQuestion): Condition {
  return both([
    ...(from === undefined ? [] : [sql`event_id >= ${from}::uuid`]),
    ...(before === undefined ? [] : [sql`event_id < ${before}::uuid`]),
  ]);
}

function both(conditions: readonly Condition[]): Condition {
  return sql.join([sql`true`, ...conditions], sql` and `);
}

// What is asked about ----------------------------------------------------------------------------------------------

/**
 * Of whom the reader may see nothing, it is not told which events are about him either; nor of what an event does not
 * show: see `shown`.
 */
function toldOf(target: string | undefined): Condition {
  if (target === undefined || EVERYBODYS.test(target)) return sql`true`;
  const user = userOf(target);
  if (user !== undefined) return sql`(seen is null or ${user}::bigint = any(seen))`;
  return sql`(seen is null or case
    when exists (select from unnest(targets) key where key ~ '^(user|group|coalition|corporation|alliance):')
      then not exists (select from unnest(targets) key
        where key like 'user:%' and substr(key, 6)::bigint <> all (seen))
    else acted end)`;
}

/** What anybody may look up. */
const EVERYBODYS = /^(group|coalition|corporation|alliance):/;

/**
 * Who links characters is mostly the same human, so that an event which does not show its actor is not found by it
 * either (D100).
 */
function toldBy(actor: number | undefined, reader: Reader): Condition {
  if (actor === undefined || reader === 'all' || 'app_token' in reader) return sql`true`;
  return sql`(type not like 'person.%' or seen && array[${actor}, ${reader.owner_id}]::bigint[])`;
}

function userOf(target: string): string | undefined {
  return /^user:(\d{1,16})$/.exec(target)?.[1];
}

/** As it is stored: a user's id without leading zeros. */
function keyOf(target: string): string {
  const user = userOf(target);
  return user === undefined ? target : `user:${Number(user)}`;
}

/** A user is also among the members that a list names. */
function aboutTarget(target: string): Condition {
  const user = userOf(target);
  return user === undefined
    ? sql`e.targets @> array[${target}::text]`
    : sql`e.concerns @> array[${user}::bigint]`;
}
