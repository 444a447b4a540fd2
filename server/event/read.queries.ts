import { type Kysely, type RawBuilder, sql } from 'kysely';
import { type Asker, callerStanding } from '../access/position.queries.ts';
import { readsBody, readsEverybody, readsUser } from '../access/reach.queries.ts';
import { PLANNED_EACH_TIME } from '../database/statements.ts';
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

const plannedEachTime = sql.raw(PLANNED_EACH_TIME);

/** Whether somebody sees no events but its own. */
export function reachesNobody(reader: Reader): reader is Asker & { readonly reachesOthers: boolean } {
  return reader !== 'all' && !('app_token' in reader) && !reader.reachesOthers;
}

/** The reader as the row `me`, and since when the character belongs to whom it belongs to now (D29b). */
export function reading(reader: Reader): RawBuilder<unknown> {
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
export function visible(reader: Reader): RawBuilder<unknown> {
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

/** From where the event `v` came. */
export const context = sql`(select context from event_contexts x where x.event_id = v.event_id)`;

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
  const mine = reachesNobody(reader) ? own : sql`true`;
  // Where every event fits, no more of them are read than are wanted.
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

/** Of these events those that the reader may see, in their order. */
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
