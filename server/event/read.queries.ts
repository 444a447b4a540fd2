import { type Kysely, type RawBuilder, sql } from 'kysely';
import { type Asker, callerStanding } from '../access/position.queries.ts';
import { readsBody, readsEverybody, readsUser } from '../access/reach.queries.ts';
import { PLANNED_EACH_TIME } from '../database/statements.ts';
import type { Database } from '../database/tables.ts';

/** An event as it is stored, and how much of it a reader may see. */
export interface StoredEvent {
  readonly position: number | null;
  readonly body: string;
  readonly context: string | null;
  /** The characters in it that the reader may see, its own included; null means all. */
  readonly seen: readonly number[] | null;
  /** Whether the reader is its actor; false for what a former owner of the reader's character did. */
  readonly acted: boolean;
}

/**
 * The reader: may see everything (`all`), or the events of users within its authority (D94), or, as an application, the
 * events that its own token and the tokens made from it caused (D93).
 */
export type Reader = (Asker & { readonly reachesOthers: boolean }) | { readonly app_token: string } | 'all';

const plannedEachTime = sql.raw(PLANNED_EACH_TIME);

/** CTEs: the reader as row `me`, and in `owned` the time since which its character has its present owner (D29b). */
function reading(reader: Reader): RawBuilder<unknown> {
  if (reader === 'all' || 'app_token' in reader) return sql`me as (select)`;
  return sql`
    me as materialized (${callerStanding(reader)}),
    owned as materialized (
      select left(coalesce(max(event_id::text), ''), 13) as since from events, me
      where concerns @> array[me.character_id::bigint] and type in ('user.handed_over', 'user.deleted'))`;
}

/** The time of event `e` in milliseconds, as the prefix of its id: the rest says nothing about the order. */
const happened = sql`left(e.event_id::text, 13)`;

/** Whether event `e` is the reader's own: it is the actor, the actor acted on its behalf, or the event is about it. */
const own = sql`(
  (e.actor_id = me.character_id or e.on_behalf_of = me.character_id or e.concerns @> array[me.character_id::bigint])
  and ${happened} > (select since from owned))`;

/** CTEs: those of the events `candidates` that the reader may see by its present rights, with `seen` and `acted`. */
function visible(reader: Reader): RawBuilder<unknown> {
  if (reader === 'all')
    return sql`visible as (select *, null::bigint[] as seen, false as acted from candidates)`;
  if ('app_token' in reader) {
    return sql`visible as (
      select *, case when actor_id is null then '{}' else array[actor_id::bigint] end as seen, false as acted
      from candidates where body::jsonb #>> '{actor,app_token}' = ${reader.app_token})`;
  }
  return sql`
    readable as materialized (
      select u.character_id from users u left join corporations c using (corporation_id), me
      where u.character_id in (
        select unnest(concerns) from candidates union select actor_id from candidates)
        and u.character_id <> me.character_id and ${readsUser}
    ), visible as (
      select * from (
        select e.*, array(
          select distinct id from unnest(e.concerns || e.actor_id::bigint) id
          where id in (select character_id from readable) or ${readsEverybody} and id is not null
            or id = me.character_id and ${happened} > (select since from owned)) as seen,
          coalesce(e.actor_id = me.character_id and ${happened} > (select since from owned), false) as acted
        from candidates e, me
      ) e, me
      where ${own} or cardinality(seen) > 0
        or e.actor_id in (select character_id from readable)
        or exists (select from unnest(e.targets) key where ${readsBody})
    )`;
}

const context = sql`(select context from event_contexts x where x.event_id = v.event_id)`;

export interface FeedQuestion {
  readonly after: number;
  /** Undefined means all types. */
  readonly types: readonly string[] | undefined;
  readonly limit: number;
  /** Maximum number of positions to examine, however few of their events match. */
  readonly most: number;
}

export interface FeedAnswer {
  readonly events: readonly StoredEvent[];
  /** The last position examined; null when there is none after the requested one. */
  readonly looked: number | null;
  /** The last position of all. */
  readonly head: number;
  /** Id of the first event after the requested position, whether or not it matches. */
  readonly next: string | null;
}

/** Reads the events after a position, in order, by one statement whose cost depends on `most` alone. */
export async function readFeed(
  db: Kysely<Database>,
  reader: Reader,
  { after, types, limit, most }: FeedQuestion,
): Promise<FeedAnswer> {
  const fits = types === undefined ? sql`true` : sql`e.type = any(${[...types]}::text[])`;
  const mine = ownAlone(reader) === undefined ? sql`true` : own;
  // When every event matches, the limit bounds what has to be examined.
  const read = reader === 'all' && types === undefined ? Math.min(limit, most) : most;
  const { rows } = await sql<FeedAnswer>`${plannedEachTime}
    with ${reading(reader)}, stretch as materialized (
      select position, event_id from event_seals where position > ${after} order by position limit ${read}
    ), candidates as materialized (
      select s.position, e.* from stretch s, me, lateral (
        select * from events e where e.event_id = s.event_id offset 0) e
      where ${fits} and ${mine}
    ), ${visible(reader)}, page as (
      select * from visible order by position limit ${limit}
    )
    select (select max(position) from stretch) as looked,
      coalesce((select max(position) from event_seals), 0) as head,
      (select event_id from stretch order by position limit 1) as next,
      coalesce((select json_agg(json_build_object('position', position, 'body', body, 'context', ${context},
        'seen', seen, 'acted', acted) order by position) from page v), '[]') as events`.execute(db);
  return rows[0] ?? { events: [], looked: null, head: 0, next: null };
}

/** Those of these events that the reader may see, in order of position. */
export async function readEvents(
  db: Kysely<Database>,
  reader: Reader,
  eventIds: readonly string[],
): Promise<readonly StoredEvent[]> {
  const { rows } = await sql<StoredEvent>`${plannedEachTime}
    with ${reading(reader)}, candidates as materialized (
      select s.position, e.* from event_seals s, me, lateral (
        select * from events e where e.event_id = s.event_id offset 0) e
      where s.event_id = any(${[...eventIds]}::uuid[])
    ), ${visible(reader)}
    select position, body, ${context} as context, seen, acted from visible v order by position`.execute(db);
  return rows;
}

export interface AuditQuestion {
  readonly actor: number | undefined;
  /** As `type:id`. */
  readonly target: string | undefined;
  readonly types: readonly string[] | undefined;
  /** Smallest event id, inclusive. */
  readonly from: string | undefined;
  /** Largest event id, exclusive. */
  readonly before: string | undefined;
  readonly limit: number;
  /** Maximum number of events to examine. */
  readonly most: number;
}

export interface AuditAnswer {
  readonly events: readonly StoredEvent[];
  /** Id of the last event examined. */
  readonly last: string | null;
  /** Number of events examined. */
  readonly looked: number;
}

/** Reads the events that match, latest first. A reader without authority over others finds its own by index. */
export async function readAudit(
  db: Kysely<Database>,
  reader: Reader,
  { actor, target, types, from, before, limit, most }: AuditQuestion,
): Promise<AuditAnswer> {
  const conditions = [
    actor === undefined ? undefined : sql`e.actor_id = ${actor}`,
    target === undefined ? undefined : aboutTarget(target),
    types === undefined ? undefined : sql`e.type = any(${[...types]}::text[])`,
    from === undefined ? undefined : sql`e.event_id >= ${from}::uuid`,
    before === undefined ? undefined : sql`e.event_id < ${before}::uuid`,
  ].filter((condition) => condition !== undefined);
  const latest = (...more: RawBuilder<unknown>[]) =>
    sql`(select * from events e where ${sql.join([sql`true`, ...conditions, ...more], sql` and `)}
      order by e.event_id desc limit ${most})`;
  // A subquery for each way in which an event can be one's own, so that each uses its index: one condition with `or`
  // would scan all events.
  const parts = (ownAlone(reader) ?? [sql`true`]).map((each) => latest(each));
  const { rows } = await sql<AuditAnswer>`${plannedEachTime}
    with ${reading(reader)}, candidates as materialized (
      select * from (${sql.join(parts, sql` union all `)}) e order by e.event_id desc limit ${most}
    ), ${visible(reader)}, page as (
      select * from visible where ${showsTarget(target)} and ${showsActor(actor, reader)}
      order by event_id desc limit ${limit}
    )
    select (select event_id from candidates order by event_id limit 1) as last,
      (select count(*) from candidates) as looked,
      coalesce((select json_agg(json_build_object('body', body, 'context', ${context}, 'seen', seen, 'acted', acted,
        'position', (select position from event_seals s where s.event_id = v.event_id))
        order by event_id desc) from page v), '[]') as events`.execute(db);
  return rows[0] ?? { events: [], last: null, looked: 0 };
}

/** An event that hides the user who is searched for is not found: the match would reveal that it is about that user. */
function showsTarget(target: string | undefined): RawBuilder<unknown> {
  const user = userOf(target ?? '');
  return user === undefined ? sql`true` : sql`(seen is null or ${user}::bigint = any(seen))`;
}

/**
 * An event about a person that hides its actor is not found by that actor either (D100): the actor is mostly another
 * character of the same human.
 */
function showsActor(actor: number | undefined, reader: Reader): RawBuilder<unknown> {
  if (actor === undefined || reader === 'all' || 'app_token' in reader) return sql`true`;
  return sql`(type not like 'person.%' or seen && array[${actor}, ${reader.owner_id}]::bigint[])`;
}

function userOf(target: string): string | undefined {
  return /^user:(\d{1,16})$/.exec(target)?.[1];
}

/** Matches events about a target. Events about a user include those whose changes list it, for example as a member. */
function aboutTarget(target: string): RawBuilder<unknown> {
  const user = userOf(target);
  return user === undefined
    ? sql`e.targets @> array[${target}::text]`
    : sql`e.concerns @> array[${user}::bigint]`;
}

/**
 * For a reader without authority over others: the conditions under which an event is its own, of which exactly one
 * holds for such an event.
 */
function ownAlone(reader: Reader): RawBuilder<unknown>[] | undefined {
  if (reader === 'all' || 'app_token' in reader || reader.reachesOthers) return undefined;
  const { owner_id: id } = reader;
  const notBy = sql`e.actor_id is distinct from ${id}`;
  return [
    sql`e.actor_id = ${id}`,
    sql`e.on_behalf_of = ${id} and ${notBy}`,
    sql`e.concerns @> array[${id}::bigint] and ${notBy} and e.on_behalf_of is distinct from ${id}`,
  ];
}

/** The last position of all: a list that is read afterwards includes every event up to it. */
export async function readPosition(db: Kysely<Database>): Promise<number> {
  const { rows } = await sql<{ position: number | null }>`
    select max(position) as position from event_seals`.execute(db);
  return rows[0]?.position ?? 0;
}

/**
 * The first position among the events from this id on, or the next position to come when there is none. Ids and
 * positions have nearly the same order, so it is among the first ones by id.
 */
export async function findFirstPosition(db: Kysely<Database>, eventId: string): Promise<number> {
  const { rows } = await sql<{ position: number }>`
    select coalesce(
      (select min(position) from (
        select position from event_seals where event_id >= ${eventId}::uuid order by event_id limit 1000) first),
      (select max(position) + 1 from event_seals), 1) as position`.execute(db);
  return rows[0]?.position ?? 1;
}
