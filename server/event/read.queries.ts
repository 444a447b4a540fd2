import { type Kysely, type RawBuilder, sql } from 'kysely';
import { readsEverybody, readsOrganization, readsUser } from '../access/clearance-levels.queries.ts';
import { type Asker, callerPosition } from '../access/position.queries.ts';
import { PLANNED_EACH_TIME } from '../database/statements.ts';
import type { Database } from '../database/tables.ts';
import { leastIdOf, momentOf } from './event-id.ts';
import { tellsByActor } from './linking.queries.ts';

/** An event as it is stored, and how much of it a reader may see. */
export interface StoredEvent {
  readonly position: number | null;
  readonly body: string;
  readonly context: string | null;
  /** The characters in it that the reader may see, its own included; null means all. */
  readonly seen: readonly number[] | null;
  /** Whether the reader is its actor; false for what a former owner of the reader's character did. */
  readonly acted: boolean;
  /** Whether its actor would tell the reader which other character a human plays. */
  readonly hidesActor: boolean;
  /** Whether the id of a person in it would tell the reader, with what another one sees, who belongs together. */
  readonly hidesPerson: boolean;
  /** Whether the event that caused it would tell the same, as others see that one. */
  readonly hidesCause: boolean;
}

/**
 * The reader: may see everything (`all`), or the events of users within its authority (D94), or, as an application, the
 * events that its own token and the tokens made from it caused (D93).
 */
export type Reader = (Asker & { readonly reachesOthers: boolean }) | { readonly app_token: string } | 'all';

const plannedEachTime = sql.raw(PLANNED_EACH_TIME);

/** The text of an event's id, in the order of the ids: in the order of Danish and Norwegian "aa" comes after "z". */
const textOfId = (column: string) => sql`${sql.ref(column)}::text collate "C"`;

/** Whether a reader has no authority over others, and therefore sees only its own events. */
export function reachesNobody(reader: Reader): reader is Asker & { readonly reachesOthers: boolean } {
  return reader !== 'all' && !('app_token' in reader) && !reader.reachesOthers;
}

/**
 * CTEs: the reader as row `me`, in `owned` the time since which its character has its present owner (D29b), and in
 * `proven` that of the owner's first sign-in; both in the form of `happened`.
 *
 * @param least smallest id of the events that are read: what happened to the character before is of no matter for them
 */
export function reading(reader: Reader, least?: string): RawBuilder<unknown> {
  if (reader === 'all' || 'app_token' in reader) return sql`me as (select)`;
  const lately = least === undefined ? sql`true` : sql`event_id >= ${leastIdOf(momentOf(least))}::uuid`;
  return sql`
    me as materialized (${callerPosition(reader)}),
    owned as materialized (
      select left(coalesce(max(${textOfId('event_id')}), ''), 13) as since from events, me
      where concerns @> array[me.character_id::bigint] and type in ('user.handed_over', 'user.deleted')
        and ${lately}),
    proven as materialized (
      select coalesce(max(left(ms, 8) || '-' || right(ms, 4)), 'later than all') as since
      from me, users u, lpad(to_hex(floor(extract(epoch from u.proven_on) * 1000)::bigint), 12, '0') ms
      where u.character_id = me.character_id)`;
}

/** The time of event `e` in milliseconds, as the prefix of its id: the rest says nothing about the order. */
const happened = sql`left(${textOfId('e.event_id')}, 13)`;

/**
 * Whether event `e` is of the time of the present owner of the reader's character. A refused sign-in stores no owner
 * (D26b), so one from before the present owner's first sign-in may be somebody else's.
 */
const ofPresentOwner = sql`(${happened} > (select since from owned)
  and (e.type <> 'user.sign_in_refused' or ${happened} >= (select since from proven)))`;

/** Whether event `e` is the reader's own: it is the actor, the actor acted on its behalf, or the event is about it. */
const own = sql`(
  (e.actor_id = me.character_id or e.on_behalf_of = me.character_id or e.concerns @> array[me.character_id::bigint])
  and ${ofPresentOwner})`;

/**
 * Whether the event `e` names somebody whom the reader may see. Of one that would tell who belongs together the actor is
 * not enough: with who sees the others, it would (D100). Nor is one of two characters of a person, for the same reason.
 */
const isReached = sql`(seen && case when ${readsEverybody} or not ${tellsByActor()}
  then seen else e.concerns end and (e.type <> 'person.main_changed' or seen @> e.concerns))`;

/** CTEs: those of the events `candidates` that the reader may see by its present rights, with `seen` and `acted`. */
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
    ), readable_organizations as materialized (
      select key from (
        select distinct key from candidates, unnest(targets) key where key not like 'user:%') organization, me
      where ${readsOrganization}
    ), visible as (
      select * from (
        select e.*, array(
          select distinct id from unnest(e.concerns || e.actor_id::bigint) id
          where id in (select character_id from readable) or ${readsEverybody} and id is not null
            or id = me.character_id and ${ofPresentOwner}) as seen,
          coalesce(e.actor_id = me.character_id and ${ofPresentOwner}, false) as acted
        from candidates e, me
      ) e, me
      where ${own} or ${isReached}
        or exists (select from unnest(e.targets) key where key in (select key from readable_organizations))
    )`;
}

/**
 * Whether the visible event `v` hides its actor (D100), who is mostly another character of the human whom it is about:
 * unless the reader may see the actor, or is the character that is linked.
 */
export function hidesActor(reader: Reader): RawBuilder<boolean> {
  if (reader === 'all' || 'app_token' in reader) return sql`false`;
  return sql`(v.actor_id is not null and ${tellsByActor('v')}
    and not v.seen && array[v.actor_id, ${reader.owner_id}]::bigint[])`;
}

/**
 * Whether the visible event `v` hides the id of a person (D100): unless the reader is the actor or the character that is
 * linked, or sees everybody.
 */
export function hidesPerson(reader: Reader): RawBuilder<boolean> {
  if (reader === 'all' || 'app_token' in reader) return sql.lit(reader !== 'all');
  return sql`not (v.acted or v.targets @> array['user:' || ${reader.owner_id}::text]
    or (select ${readsEverybody} from me))`;
}

/** Whether the visible event `v` hides the event that caused it (D94): that of an event about who belongs together. */
const hidesCause = (reader: Reader) => sql`(${tellsByActor('v')} and ${hidesPerson(reader)})`;

/** What of the visible event `v` is left out for the reader. */
export const hiding = (reader: Reader) =>
  sql`'hidesActor', ${hidesActor(reader)}, 'hidesPerson', ${hidesPerson(reader)},
    'hidesCause', ${hidesCause(reader)}`;

/** Maximum number of users that the events examined for one answer name, unless it is a single event. */
const MOST_USERS = 50_000;

/** How many users the events before event `e` in this order name. */
export function usersBefore(order: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`coalesce(sum(cardinality(e.concerns)) over (
    order by ${order} rows between unbounded preceding and 1 preceding), 0)`;
}

/** CTE: the first of the events `fitting`, as far as the number of users in them is bounded. */
export const candidates = sql`candidates as materialized (
  select * from fitting where users_before < ${sql.lit(MOST_USERS)})`;

/** Whether that left events out. */
export const cutShort = sql`exists (select from fitting where users_before >= ${sql.lit(MOST_USERS)})`;

/**
 * Maximum size of the events of one answer, in bytes, unless it is a single event: they are read and written in one piece,
 * and somebody may have filled them with text (D3c).
 */
const MOST_BYTES = 2 * 1024 * 1024;

/** CTE: the first of the visible events `v` in this order that meet a condition, as far as their size is bounded. */
export function pageOfVisible(
  order: RawBuilder<unknown>,
  limit: number,
  condition: RawBuilder<unknown> = sql`true`,
): RawBuilder<unknown> {
  return sql`wanted as materialized (
      select v.*, coalesce(sum(octet_length(v.body)) over (
        order by ${order} rows between unbounded preceding and 1 preceding), 0) as bytes_before
      from visible v where ${condition} order by ${order} limit ${limit}
    ), page as (select * from wanted where bytes_before < ${sql.lit(MOST_BYTES)})`;
}

/** Whether that left events out. */
export const tooLarge = sql`exists (select from wanted where bytes_before >= ${sql.lit(MOST_BYTES)})`;

/** The context of the event `v`. */
export const context = sql`(select context from event_contexts x where x.event_id = v.event_id)`;

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
  /** The last position of all when the question began to be answered. */
  readonly head: number;
  /** Id of the first event after the requested position, whether or not it matches. */
  readonly next: string | null;
}

/** Positions that one answer examines: up to the last of them, and the smallest and largest ids of their events. */
export interface Stretch {
  readonly last: number;
  readonly least: string;
  readonly most: string;
}

/** The next `most` positions after one, where there are any, and the last position of all. */
export async function findStretch(
  db: Kysely<Database>,
  after: number,
  most: number,
): Promise<{ readonly head: number } & (Stretch | { readonly last: null })> {
  const { rows } = await sql<{ head: number } & (Stretch | { last: null })>`${plannedEachTime}
    with stretch as materialized (
      select position, event_id from event_seals where position > ${after} order by position limit ${most}
    )
    select max(position) as last, min(${textOfId('event_id')}) as least, max(${textOfId('event_id')}) as most,
      coalesce((select max(position) from event_seals), 0) as head
    from stretch`.execute(db);
  return rows[0] ?? { head: 0, last: null };
}

/** Reads the events after a position, in order, by two statements whose cost depends on `most` alone. */
export async function readFeed(
  db: Kysely<Database>,
  reader: Reader,
  question: FeedQuestion,
): Promise<FeedAnswer> {
  const stretch = await findStretch(db, question.after, examined(reader, question));
  if (stretch.last === null) return { events: [], looked: null, head: stretch.head, next: null };
  // Not the head at the second statement: what was sealed meanwhile would end a request that waits, without an event.
  return { ...(await readStretch(db, reader, question, stretch)), head: stretch.head };
}

/** How many positions are examined: when every event matches, the limit bounds that. */
export function examined(reader: Reader, { types, limit, most }: FeedQuestion): number {
  return reader === 'all' && types === undefined ? Math.min(limit, most) : most;
}

/** The answer to a question as far as a stretch goes. */
export async function readStretch(
  db: Kysely<Database>,
  reader: Reader,
  { after, types, limit }: FeedQuestion,
  stretch: Stretch,
): Promise<Omit<FeedAnswer, 'head'>> {
  const fits = types === undefined ? sql`true` : sql`e.type = any(${[...types]}::text[])`;
  const mine = reachesNobody(reader) ? own : sql`true`;
  const { rows } = await sql<Omit<FeedAnswer, 'head'>>`${plannedEachTime}
    with ${reading(reader, stretch.least)}, stretch as materialized (
      select position, event_id from event_seals where position > ${after} and position <= ${stretch.last}
    ), fitting as materialized (
      select s.position, e.*, ${usersBefore(sql`s.position`)} as users_before from stretch s, me, lateral (
        select * from events e where e.event_id = s.event_id and ${between(stretch)} offset 0) e
      where ${fits} and ${mine}
    ), ${candidates}, ${visible(reader)}, ${pageOfVisible(sql`position`, limit)}
    select case when ${tooLarge} then (select max(position) from page)
        when ${cutShort} then (select max(position) from candidates)
        else (select max(position) from stretch) end as looked,
      (select event_id from stretch order by position limit 1) as next,
      coalesce((select json_agg(json_build_object('position', position, 'body', body, 'context', ${context},
        'seen', seen, 'acted', acted, ${hiding(reader)})
        order by position) from page v), '[]') as events`.execute(db);
  return rows[0] ?? { events: [], looked: null, next: null };
}

/**
 * A condition that the events meet anyway. With it PostgreSQL plans for the partitions of their months; else for all those
 * of three years, which takes longer than the rest, and locks each with its indexes: some dozens of readers at once used
 * up the locks of a server.
 */
function between({ least, most }: Pick<Stretch, 'least' | 'most'>): RawBuilder<boolean> {
  return sql`e.event_id >= ${least}::uuid and e.event_id <= ${most}::uuid`;
}

/** Those of these events that the reader may see, in order of position. */
export async function readEvents(
  db: Kysely<Database>,
  reader: Reader,
  eventIds: readonly string[],
): Promise<readonly StoredEvent[]> {
  const ids = [...eventIds].sort();
  const [least, most] = [ids[0], ids.at(-1)];
  if (least === undefined || most === undefined) return [];
  const { rows } = await sql<StoredEvent>`${plannedEachTime}
    with ${reading(reader, least)}, candidates as materialized (
      select s.position, e.* from event_seals s, me, lateral (
        select * from events e where e.event_id = s.event_id and ${between({ least, most })} offset 0) e
      where s.event_id = any(${ids}::uuid[])
    ), ${visible(reader)}
    select position, body, ${context} as context, seen, acted, ${hidesActor(reader)} as "hidesActor",
      ${hidesPerson(reader)} as "hidesPerson", ${hidesCause(reader)} as "hidesCause"
    from visible v order by position`.execute(db);
  return rows;
}

/** The last position of all: a list that is read afterwards includes every event up to it. */
export async function readPosition(db: Kysely<Database>): Promise<number> {
  const last = await db
    .selectFrom('event_seals')
    .select(({ fn }) => fn.max<number | null>('position').as('position'))
    .executeTakeFirst();
  return last?.position ?? 0;
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
