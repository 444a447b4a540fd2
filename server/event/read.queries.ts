import { type Kysely, type RawBuilder, sql } from 'kysely';
import { type Asker, callerStanding } from '../access/position.queries.ts';
import { readsBody, readsEverybody, readsUser } from '../access/reach.queries.ts';
import type { Database } from '../database/tables.ts';

/** An event as it is stored, and what of it a reader may see. */
export interface StoredEvent {
  readonly position: number | null;
  readonly body: string;
  readonly context: string | null;
  /** Those of the characters it concerns that the reader reaches, itself included; null: all. */
  readonly seen: readonly number[] | null;
  /** Whether the reader did it, and not who had the character before. */
  readonly acted: boolean;
}

/**
 * Who reads: somebody who may see everything, somebody who sees what concerns those whom it reaches (D94), or an
 * application that sees what happened by it (D93).
 */
export type Reader = (Asker & { readonly reachesOthers: boolean }) | { readonly app_token: string } | 'all';

/** The reader as the row `me`, and since when the character belongs to whom it belongs to now (D29b). */
function reading(reader: Reader): RawBuilder<unknown> {
  if (reader === 'all' || 'app_token' in reader) return sql`me as (select)`;
  return sql`
    me as materialized (${callerStanding(reader)}),
    owned as materialized (
      select left(coalesce(max(event_id::text), ''), 13) as since from events, me
      where concerns @> array[me.character_id::bigint] and type in ('user.handed_over', 'user.deleted'))`;
}

/** When the event `e` happened, to the millisecond: ids of one moment have no order that tells. */
const happened = sql`left(e.event_id::text, 13)`;

/** Whether the event `e` is the reader's own: as who did it, in whose name, or whom it is about. */
const own = sql`(
  (e.actor_id = me.character_id or e.on_behalf_of = me.character_id or e.concerns @> array[me.character_id::bigint])
  and ${happened} > (select since from owned))`;

/** Of the events `candidates`, those that the reader may see, with what it may see of them; judged on present standings. */
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
  /** Undefined: all of them. */
  readonly types: readonly string[] | undefined;
  readonly limit: number;
  /** Positions that are looked at, at the most, however few of them fit. */
  readonly most: number;
}

export interface FeedAnswer {
  readonly events: readonly StoredEvent[];
  /** The last position that was looked at; null: there is none after the one that was asked for. */
  readonly looked: number | null;
  /** The last position that there is. */
  readonly head: number;
  /** The first event after the one that was asked for, whatever it is about. */
  readonly next: string | null;
}

/** A stretch of the events in order; one statement, whose cost depends on `most` alone. */
export async function readFeed(
  db: Kysely<Database>,
  reader: Reader,
  { after, types, limit, most }: FeedQuestion,
): Promise<FeedAnswer> {
  const fits = types === undefined ? sql`true` : sql`e.type = any(${[...types]}::text[])`;
  const mine = ownAlone(reader) === undefined ? sql`true` : own;
  // Where every event fits, no more of them are read than are wanted.
  const read = reader === 'all' && types === undefined ? Math.min(limit, most) : most;
  const { rows } = await sql<FeedAnswer>`
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

/** Of these events those that the reader may see, in their order. */
export async function readEvents(
  db: Kysely<Database>,
  reader: Reader,
  eventIds: readonly string[],
): Promise<readonly StoredEvent[]> {
  const { rows } = await sql<StoredEvent>`
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
  /** Ids between which they are, the second one not included. */
  readonly from: string | undefined;
  readonly before: string | undefined;
  readonly limit: number;
  /** Events that are looked at, at the most. */
  readonly most: number;
}

export interface AuditAnswer {
  readonly events: readonly StoredEvent[];
  /** The last event that was looked at, and how many were. */
  readonly last: string | null;
  readonly looked: number;
}

/** Events, the latest first; who reaches nobody else finds its own by index. */
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
  // One index for each way in which an event is somebody's own: all at once they would be looked for among all events.
  const parts = (ownAlone(reader) ?? [sql`true`]).map((each) => latest(each));
  const { rows } = await sql<AuditAnswer>`
    with ${reading(reader)}, candidates as materialized (
      select * from (${sql.join(parts, sql` union all `)}) e order by e.event_id desc limit ${most}
    ), ${visible(reader)}, page as (
      select * from visible where ${toldOf(target)} order by event_id desc limit ${limit}
    )
    select (select event_id from candidates order by event_id limit 1) as last,
      (select count(*) from candidates) as looked,
      coalesce((select json_agg(json_build_object('body', body, 'context', ${context}, 'seen', seen, 'acted', acted,
        'position', (select position from event_seals s where s.event_id = v.event_id))
        order by event_id desc) from page v), '[]') as events`.execute(db);
  return rows[0] ?? { events: [], last: null, looked: 0 };
}

/** Of whom the reader may see nothing, it is not told which events are about him either. */
function toldOf(target: string | undefined): RawBuilder<unknown> {
  const user = userOf(target ?? '');
  return user === undefined ? sql`true` : sql`(seen is null or ${user}::bigint = any(seen))`;
}

function userOf(target: string): string | undefined {
  return /^user:(\d{1,16})$/.exec(target)?.[1];
}

/** A user is also among the members that a list names. */
function aboutTarget(target: string): RawBuilder<unknown> {
  const user = userOf(target);
  return user === undefined
    ? sql`e.targets @> array[${target}::text]`
    : sql`e.concerns @> array[${user}::bigint]`;
}

/** Of one who reaches nobody else: the ways in which an event is its own, of which each event is so in one. */
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

/** The last position that there is: what a list holds that is read afterwards. */
export async function readPosition(db: Kysely<Database>): Promise<number> {
  const { rows } = await sql<{ position: number | null }>`
    select max(position) as position from event_seals`.execute(db);
  return rows[0]?.position ?? 0;
}

/** The first position of the events from this id on, whose order is nearly that of their ids; the next one without any. */
export async function findFirstPosition(db: Kysely<Database>, eventId: string): Promise<number> {
  const { rows } = await sql<{ position: number }>`
    select coalesce(
      (select min(position) from (
        select position from event_seals where event_id >= ${eventId}::uuid order by event_id limit 1000) first),
      (select max(position) + 1 from event_seals), 1) as position`.execute(db);
  return rows[0]?.position ?? 1;
}
