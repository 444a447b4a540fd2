import { type Kysely, type RawBuilder, type Selectable, sql } from 'kysely';
import type { WebhookDeliveryTable } from '../database/event-tables.ts';
import { PLANNED_EACH_TIME } from '../database/statements.ts';
import type { Database } from '../database/tables.ts';
import { type LockedWebhook, waitingOf } from './webhook.queries.ts';

const plannedEachTime = sql.raw(PLANNED_EACH_TIME);

// For the API --------------------------------------------------------------------------------------------------

const COLUMNS = [
  'delivery_id',
  'type',
  'position',
  'state',
  'tries',
  'next_try_on',
  'tried_on',
  'status',
  'fault',
  'created_on',
] as const;

export type DeliveryRow = Pick<Selectable<WebhookDeliveryTable>, (typeof COLUMNS)[number]>;

/** A page of a webhook's deliveries, the latest event first. */
export async function listDeliveries(
  db: Kysely<Database>,
  webhookId: string,
  page: {
    readonly state: WebhookDeliveryTable['state'] | undefined;
    readonly after: string | undefined;
    readonly limit: number;
  },
): Promise<readonly DeliveryRow[]> {
  const { state, after, limit } = page;
  const inState = state === undefined ? sql`true` : sql`state = ${sql.lit(state)}`;
  const own =
    state === 'waiting'
      ? sql`${waitingOf(sql`${webhookId}`)} offset 0`
      : sql`select * from webhook_deliveries where webhook_id = ${webhookId} and ${inState}`;
  const beyond = after === undefined ? sql`true` : sql`delivery_id < ${after}::uuid`;
  const { rows } = await sql<DeliveryRow>`${plannedEachTime}
    select ${sql.join(COLUMNS.map((column) => sql.ref(column)))} from (${own}) own
    where ${beyond} order by delivery_id desc limit ${limit}`.execute(db);
  return rows;
}

/** Stores a test delivery, which contains no event. */
export async function insertTest(
  db: Kysely<Database>,
  test: {
    readonly webhook_id: string;
    readonly delivery_id: string;
    readonly type: string;
    readonly now: Date;
  },
): Promise<DeliveryRow> {
  const { now, ...row } = test;
  return db
    .insertInto('webhook_deliveries')
    .values({ ...row, position: null, state: 'waiting', next_try_on: now, created_on: now })
    .returning(COLUMNS)
    .executeTakeFirstOrThrow();
}

/** Deletes the oldest waiting test deliveries above the maximum. */
export async function deleteOldestTests(
  db: Kysely<Database>,
  webhookId: string,
  most: number,
): Promise<void> {
  await sql`delete from webhook_deliveries where webhook_id = ${webhookId} and delivery_id in (
    select delivery_id from webhook_deliveries
    where webhook_id = ${webhookId} and state = 'waiting' and position is null
    order by created_on desc, delivery_id desc offset ${most})`.execute(db);
}

/** Makes a delivery due now, with all its tries left; undefined when it does not exist. */
export async function renewDelivery(
  db: Kysely<Database>,
  webhookId: string,
  deliveryId: string,
  now: Date,
): Promise<DeliveryRow | undefined> {
  return db
    .updateTable('webhook_deliveries')
    .set({ state: 'waiting', tries: 0, next_try_on: now })
    .where('webhook_id', '=', webhookId)
    .where('delivery_id', '=', deliveryId)
    .returning(COLUMNS)
    .executeTakeFirst();
}

/** Does the same for all failed deliveries, except those of events that the owner might not see. */
export async function renewFailed(db: Kysely<Database>, webhookId: string, now: Date): Promise<void> {
  await db
    .updateTable('webhook_deliveries')
    .set({ state: 'waiting', tries: 0, next_try_on: now })
    .where('webhook_id', '=', webhookId)
    .where('state', '=', 'failed')
    .where('position', 'is not', null)
    .where((eb) => eb.or([eb('fault', 'is', null), eb('fault', '<>', WITHHELD)]))
    .execute();
}

/** Does the same for deliveries that wait for their next try, except those that a process has in hand. */
export async function renewWaiting(db: Kysely<Database>, webhookId: string, now: Date): Promise<void> {
  await db
    .updateTable('webhook_deliveries')
    .set({ tries: 0, next_try_on: now })
    .where('webhook_id', '=', webhookId)
    .where('state', '=', 'waiting')
    .where('position', 'is not', null)
    .where(sql<boolean>`(claimed_until is distinct from next_try_on or next_try_on <= ${now})`)
    .execute();
}

/** Deletes the waiting deliveries of events after a position: they are created anew when the webhook gets there. */
export async function forgetWaiting(db: Kysely<Database>, webhookId: string, after: number): Promise<void> {
  await db
    .deleteFrom('webhook_deliveries')
    .where('webhook_id', '=', webhookId)
    .where('state', '=', 'waiting')
    .where('position', '>', after)
    .execute();
}

/** Deletes at most `most` deliveries that ended before a time; returns their number. */
export async function deleteEndedBefore(db: Kysely<Database>, before: Date, most: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from webhook_deliveries d using (
      select webhook_id, delivery_id from webhook_deliveries
      where state <> 'waiting' and tried_on < ${before} order by tried_on limit ${most} for update skip locked
    ) ended
    where d.webhook_id = ended.webhook_id and d.delivery_id = ended.delivery_id`.execute(db);
  return Number(numAffectedRows);
}

// For the worker -----------------------------------------------------------------------------------------------

/** Milliseconds after which a claim expires, because its process was killed or is very slow. */
export const CLAIMED_FOR = 60_000;
/** Consecutive failures after which a receiver counts as failing: it then gets one delivery at a time, with pauses. */
export const FAILING = 5;

/** When the first claim of a webhook's deliveries expires that a process has in hand; null where none has any. */
function inHandUntil(webhookId: RawBuilder<unknown>, now: Date): RawBuilder<Date | null> {
  // No claim ends later: without that bound all would be read that wait for their next try.
  const latest = new Date(now.getTime() + CLAIMED_FOR);
  return sql`(select min(next_try_on) from (${waitingOf(webhookId)}) waiting
    where next_try_on > ${now} and next_try_on <= ${latest} and claimed_until = next_try_on)`;
}

/**
 * Lets waiting deliveries be tried now, and ends all pauses: after the database's clock was ahead, nobody knows which of
 * their times are of then. A claim that may be a living process's stays.
 */
export async function hurryDeliveriesOfLater(db: Kysely<Database>): Promise<void> {
  await db
    .updateTable('webhook_deliveries')
    .set({ next_try_on: sql`now()` })
    .where('state', '=', 'waiting')
    .where('next_try_on', '>', sql<Date>`now() + ${CLAIMED_FOR} * interval '1 millisecond'`)
    .execute();
  await db
    .updateTable('webhooks')
    .set({ paused_until: null })
    .where('paused_until', '>', sql<Date>`now()`)
    .execute();
}

/** A webhook with work, and when that is due. */
export interface Work {
  readonly webhook_id: string;
  readonly secret: Buffer;
  readonly next: Date;
}

/**
 * The webhooks that have work now or later: waiting test deliveries, even when disabled; if enabled, waiting deliveries
 * (of an ordered webhook the first one alone), or events after its position. A failing one has none before the claim
 * expires that a process has in hand, as until then it gets nothing else; that process searches again when it is done.
 */
export async function findWork(db: Kysely<Database>, now: Date): Promise<Work[]> {
  const { rows } = await sql<Work>`${plannedEachTime}
    select webhook_id, secret, greatest(least(test, event), busy) as next
    from webhooks w, lateral (
      select min(next_try_on) as test from webhook_deliveries d
      where d.webhook_id = w.webhook_id and state = 'waiting' and position is null
    ) t, lateral (
      select case when w.ordered then (
          select next_try_on from webhook_deliveries d
          where d.webhook_id = w.webhook_id and state = 'waiting' and position is not null
          order by position limit 1)
        else (
          select min(next_try_on) from webhook_deliveries d
          where d.webhook_id = w.webhook_id and state = 'waiting' and position is not null)
        end as head
    ) h, lateral (
      select case
        when w.disabled_on is not null then null
        when w.position < (select max(position) from event_seals) and not (w.ordered and head is not null)
          then coalesce(w.paused_until, ${now}::timestamptz)
        when head is not null then greatest(head, w.paused_until) end as event
    ) e, lateral (
      select case when w.failures >= ${FAILING} then ${inHandUntil(sql.ref('w.webhook_id'), now)} end as busy
    ) b
    where test is not null or event is not null`.execute(db);
  return rows;
}

/** A delivery that a process has claimed. */
export interface Claimed {
  readonly delivery_id: string;
  readonly type: string;
  readonly position: number | null;
  readonly tries: number;
  /** When the claim expires, by which it is told from later ones. */
  readonly claimed_until: Date;
  readonly created_on: Date;
}

interface Claim {
  readonly now: Date;
  /** When the claim expires, so that another process may claim the deliveries that have not ended. */
  readonly until: Date;
  readonly most: number;
  /** Whether to claim test deliveries only: a disabled or paused webhook delivers nothing else. */
  readonly testsAlone: boolean;
}

/** Claims due deliveries; of an ordered webhook only those before the first one that is not due. */
export async function claimDue(
  db: Kysely<Database>,
  { webhook_id, ordered }: Pick<LockedWebhook, 'webhook_id' | 'ordered'>,
  { now, until, most, testsAlone }: Claim,
): Promise<Claimed[]> {
  const waiting = sql`webhook_id = ${webhook_id} and state = 'waiting'`;
  const tests = sql`select delivery_id from webhook_deliveries
    where ${waiting} and position is null and next_try_on <= ${now} order by next_try_on limit ${most}`;
  const inOrder = sql`select delivery_id from (
      select delivery_id, bool_and(next_try_on <= ${now}) over (order by position) as due from (
        select delivery_id, position, next_try_on from webhook_deliveries
        where ${waiting} and position is not null order by position limit ${most}) first) ordered
    where due`;
  const inAnyOrder = sql`select delivery_id from webhook_deliveries
    where ${waiting} and position is not null and next_try_on <= ${now} order by next_try_on limit ${most}`;
  const due = testsAlone ? sql`(${tests})` : sql`(${tests}) union all (${ordered ? inOrder : inAnyOrder})`;
  const { rows } = await sql<Claimed>`${plannedEachTime}
    update webhook_deliveries d set next_try_on = ${until}, claimed_until = ${until} from (${due}) due
    where d.webhook_id = ${webhook_id} and d.delivery_id = due.delivery_id
    returning d.delivery_id, type, position, tries, claimed_until, created_on`.execute(db);
  return rows.sort((a, b) => (a.position ?? 0) - (b.position ?? 0));
}

/** Whether a process has deliveries of the webhook in hand. */
export async function hasInHand(db: Kysely<Database>, webhookId: string, now: Date): Promise<boolean> {
  const { rows } = await sql<{ until: Date | null }>`${plannedEachTime}
    select ${inHandUntil(sql`${webhookId}`, now)} as until`.execute(db);
  return rows[0]?.until != null;
}

/** Whether the webhook has waiting deliveries of events. */
export async function hasWaiting(db: Kysely<Database>, webhookId: string): Promise<boolean> {
  // The order makes it use the index; `exists` may scan the table for a first row.
  const { rows } = await sql<{ found: boolean }>`${plannedEachTime}
    select (select position from webhook_deliveries
      where webhook_id = ${webhookId} and state = 'waiting' and position is not null
      order by position limit 1) is not null as found`.execute(db);
  return rows[0]?.found ?? false;
}

/** Stores events as claimed deliveries, in one statement. Events that were delivered before start again. */
export async function insertInHand(
  db: Kysely<Database>,
  webhookId: string,
  events: readonly Pick<Claimed, 'delivery_id' | 'type' | 'position'>[],
  { now, until }: Pick<Claim, 'now' | 'until'>,
): Promise<void> {
  if (events.length === 0) return;
  await sql`${plannedEachTime}
    insert into webhook_deliveries (webhook_id, delivery_id, type, position, state, next_try_on, claimed_until,
      created_on)
    select ${webhookId}, delivery_id, type, position, 'waiting', ${until}::timestamptz, ${until}::timestamptz,
      ${now}::timestamptz
    from jsonb_to_recordset(${JSON.stringify(events)}::jsonb) as e(delivery_id uuid, type text, position bigint)
    on conflict (webhook_id, delivery_id) do update
      set state = 'waiting', tries = 0, next_try_on = excluded.next_try_on,
        claimed_until = excluded.claimed_until`.execute(db);
}

/** The result of a claimed delivery. */
export interface Settled {
  readonly delivery_id: string;
  /** The number of tries before this one. */
  readonly tries: number;
  readonly state: WebhookDeliveryTable['state'];
  readonly next_try_on: Date | null;
  readonly tried_on: Date;
  readonly status: number | null;
  readonly fault: string | null;
}

/**
 * Stores the results of any number of deliveries in one statement, and returns those that were stored: not the failure
 * of a delivery that was deleted meanwhile, or begins again with all its tries.
 */
export async function settleDeliveries(
  db: Kysely<Database>,
  webhookId: string,
  settled: readonly Settled[],
): Promise<readonly Pick<Settled, 'delivery_id' | 'state'>[]> {
  if (settled.length === 0) return [];
  const { rows } = await sql<Pick<Settled, 'delivery_id' | 'state'>>`${plannedEachTime}
    update webhook_deliveries d
    set state = s.state, next_try_on = s.next_try_on, tried_on = s.tried_on, status = s.status, fault = s.fault,
      tries = d.tries + 1
    from jsonb_to_recordset(${JSON.stringify(settled)}::jsonb) as s(delivery_id uuid, tries integer, state text,
      next_try_on timestamptz, tried_on timestamptz, status integer, fault text)
    where d.webhook_id = ${webhookId} and d.delivery_id = s.delivery_id and d.state = 'waiting'
      and (d.tries = s.tries or s.state = 'delivered')
    returning d.delivery_id, d.state`.execute(db);
  return rows;
}

/** A claim of a delivery that is given up. */
export type Released = Pick<Claimed, 'delivery_id' | 'claimed_until'>;

/**
 * Makes claimed deliveries due now, except those whose claim is over: another process may have them in hand.
 *
 * @param released.unsent keep their tries
 * @param released.anew have all their tries again: they failed at a former URL
 */
export async function putBack(
  db: Kysely<Database>,
  webhookId: string,
  { unsent, anew }: { readonly unsent: readonly Released[]; readonly anew: readonly Released[] },
  now: Date,
): Promise<void> {
  if (unsent.length + anew.length === 0) return;
  const rows = [
    ...unsent.map(({ delivery_id, claimed_until }) => ({ delivery_id, claimed_until, anew: false })),
    ...anew.map(({ delivery_id, claimed_until }) => ({ delivery_id, claimed_until, anew: true })),
  ];
  await sql`${plannedEachTime}
    update webhook_deliveries d
    set next_try_on = ${now}, tries = case when r.anew then 0 else d.tries end
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r(delivery_id uuid, claimed_until timestamptz,
      anew boolean)
    where d.webhook_id = ${webhookId} and d.delivery_id = r.delivery_id and d.state = 'waiting'
      and d.claimed_until = r.claimed_until and d.next_try_on = r.claimed_until`.execute(db);
}

/** The fault of a delivery whose event the webhook's owner may not see any more. */
const WITHHELD = 'withheld';

/** Ends deliveries of events that the webhook's owner may not see any more. */
export async function withhold(
  db: Kysely<Database>,
  webhookId: string,
  deliveryIds: readonly string[],
  now: Date,
): Promise<void> {
  if (deliveryIds.length === 0) return;
  await db
    .updateTable('webhook_deliveries')
    .set({ state: 'failed', next_try_on: null, tried_on: now, fault: WITHHELD })
    .where('webhook_id', '=', webhookId)
    .where('delivery_id', '=', sql<string>`any(${[...deliveryIds]}::uuid[])`)
    .execute();
}
