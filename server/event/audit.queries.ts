import { type Kysely, type RawBuilder, sql } from 'kysely';
import { PLANNED_EACH_TIME } from '../database/statements.ts';
import type { Database } from '../database/tables.ts';
import { inTransaction, withoutJit } from '../database/transaction.ts';
import {
  candidates,
  context,
  cutShort,
  hidesActor,
  hidesPerson,
  hiding,
  pageOfVisible,
  type Reader,
  reachesNobody,
  reading,
  type StoredEvent,
  tooLarge,
  usersBefore,
  visible,
} from './read.queries.ts';

const plannedEachTime = sql.raw(PLANNED_EACH_TIME);

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
  /** Id of the last event examined, or on the page, where that ends before. */
  readonly last: string | null;
  /** Whether there may be more beyond that. */
  readonly more: boolean;
  /** Whether it ends there because of how much is in the events, not because of their number. */
  readonly full: boolean;
}

/** As many events are often enough for a page, and cost a tenth of the maximum. */
const FIRST_LOOK = 500;

/** Reads the events that match, latest first. */
export function readAudit(
  db: Kysely<Database>,
  reader: Reader,
  question: AuditQuestion,
): Promise<AuditAnswer> {
  return inTransaction(db, async (tx) => {
    // After some years of partitions its plan would be compiled.
    await withoutJit(tx);
    const { limit, most } = question;
    const first = Math.min(most, Math.max(limit, FIRST_LOOK));
    const answer = await findAudited(tx, reader, { ...question, most: first });
    const isShort = answer.events.length < limit && answer.more && !answer.full;
    return isShort && first < most ? findAudited(tx, reader, question) : answer;
  });
}

/**
 * The statement of {@link readAudit}, whose cost depends on `most` alone: one index yields the events to examine in
 * order, and the other conditions are checked on these.
 */
export async function findAudited(
  db: Kysely<Database>,
  reader: Reader,
  question: AuditQuestion,
): Promise<AuditAnswer> {
  const { actor, target, limit, most } = question;
  const { way, rest } = wayInto(reader, question);
  // When every examined event matches, the limit bounds what has to be examined.
  const read = reader === 'all' && rest.length === 0 ? Math.min(limit, most) : most;
  const { looked, found } = way(within(question), read);
  const shows = [showsTarget(target, reader), showsActor(actor, reader)];
  const { rows } = await sql<AuditAnswer>`${plannedEachTime}
    with ${reading(reader)}, looked as materialized (${looked}), fitting as materialized (
      select e.*, ${usersBefore(sql`e.event_id desc`)} as users_before from ${found} where ${both(rest)}
    ), ${candidates}, ${visible(reader)}, ${pageOfVisible(sql`event_id desc`, limit, both(shows))}
    select case when ${tooLarge} then (select event_id from page order by event_id limit 1)
        when ${cutShort} then (select event_id from candidates order by event_id limit 1)
        else (select event_id from looked order by event_id limit 1) end as last,
      ${tooLarge} or ${cutShort} as full,
      ${tooLarge} or ${cutShort} or (select count(*) from looked) >= ${read}::int as more,
      coalesce((select json_agg(json_build_object('body', body, 'context', ${context}, 'seen', seen, 'acted', acted,
        ${hiding(reader)},
        'position', (select position from event_seals s where s.event_id = v.event_id))
        order by event_id desc) from page v), '[]') as events`.execute(db);
  return rows[0] ?? { events: [], last: null, more: false, full: false };
}

// Indexes ----------------------------------------------------------------------------------------------------------

type Condition = RawBuilder<unknown>;

/** The query for the latest events within these bounds, by one index, and the from clause that joins them as `e`. */
type Way = (bounds: Condition, most: number) => { readonly looked: Condition; readonly found: Condition };

/** Maximum number of types that are each read by index; with more of them all events are examined. */
const FEW_TYPES = 8;

/** The most selective index for the question and the reader, and the conditions that it does not cover. */
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

/** Reads rows directly, by the index that covers the condition. */
function among(condition: Condition): Way {
  return (bounds, most) => ({
    looked: sql`select * from events where ${condition} and ${bounds} order by event_id desc limit ${most}`,
    found: sql`looked e`,
  });
}

/** Merges ids from several tables or indexes, then reads the rows. */
function byIds(sources: readonly Condition[]): Way {
  return (bounds, most) => {
    const parts = sources.map(
      (source) => sql`(select event_id from ${source} and ${bounds} order by event_id desc limit ${most})`,
    );
    const all = sql.join(parts, sql` union `);
    return {
      looked: sql`select event_id from (${all}) ids order by event_id desc limit ${most}`,
      found: sql`looked l, lateral (select * from events e where e.event_id = l.event_id offset 0) e`,
    };
  };
}

/** Where the ids of a user's own events are found. One condition with `or` would scan all events. */
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

// Conditions -------------------------------------------------------------------------------------------------------

/**
 * An event that hides the target which is searched for is not found: the match would reveal what it is about. Hidden are
 * users whom the reader may not see, and what `shown` hides with them.
 */
function showsTarget(target: string | undefined, reader: Reader): Condition {
  if (target === undefined || NEVER_HIDDEN.test(target)) return sql`true`;
  const user = userOf(target);
  const hidden = sql`exists (select from unnest(targets) key
    where key like 'user:%' and substr(key, 6)::bigint <> all (seen))`;
  if (user !== undefined) {
    // A hidden user hides the changes, too, and so whom they name.
    return sql`(seen is null or ${user}::bigint = any(seen)
      and (targets @> array[${keyOf(target)}::text] or not ${hidden}))`;
  }
  const ofPerson = /^(person|voice_identity):/.test(target) ? sql`not ${hidesPerson(reader)}` : sql`true`;
  return sql`(seen is null or ${ofPerson} and case
    when exists (select from unnest(targets) key where key ~ '^(user|group|coalition|corporation|alliance):')
      then not ${hidden}
    else acted end)`;
}

/** Targets that are never hidden. */
const NEVER_HIDDEN = /^(group|coalition|corporation|alliance):/;

/** An event that hides its actor is not found by that actor either. */
function showsActor(actor: number | undefined, reader: Reader): Condition {
  return actor === undefined ? sql`true` : sql`not ${hidesActor(reader)}`;
}

function userOf(target: string): string | undefined {
  return /^user:(\d{1,16})$/.exec(target)?.[1];
}

/** The key of a target in event_subjects; a user's id is stored without leading zeros. */
function keyOf(target: string): string {
  const user = userOf(target);
  return user === undefined ? target : `user:${Number(user)}`;
}

/** Matches events about a target. Events about a user include those whose changes list it, for example as a member. */
function aboutTarget(target: string): Condition {
  const user = userOf(target);
  return user === undefined
    ? sql`e.targets @> array[${target}::text]`
    : sql`e.concerns @> array[${user}::bigint]`;
}
