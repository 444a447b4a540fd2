import { createHash } from 'node:crypto';
import type { Kysely } from 'kysely';
import {
  type Actor,
  type Cause,
  type Change,
  type Event,
  type EventType,
  MAX_LISTED,
  type Target,
  type ValueChange,
} from '../../contract/event.ts';
import { KEPT_LONG } from '../../contract/event-types.ts';
import type { Database } from '../database/tables.ts';
import { inPieces } from '../shared/in-pieces.ts';
import type { ListDifference } from '../shared/list-change.ts';
import { eventIds } from './event-id.ts';
import { LINKING } from './linking.queries.ts';
import { nameTargets } from './name-targets.ts';
import { presentOrigin } from './origin.ts';
import { type EventRow, insertEvents } from './record.queries.ts';

/** An event to record; time, id and, unless given, actor and cause are added. */
export interface NewEvent {
  readonly type: EventType;
  readonly targets: readonly Target[];
  readonly changes?: readonly Change[];
  /** `done` when absent. */
  readonly outcome?: Event['outcome'];
  readonly reason?: string | null;
  /** The actor; by default that of {@link presentOrigin}. */
  readonly actor?: Actor;
  /** The event that caused this one; by default the cause is that of {@link presentOrigin}. */
  readonly cause?: { readonly event_id: string };
}

/**
 * The stored form of an event: without its position, which is assigned later, and with a digest in place of its
 * context, which is stored apart.
 */
export type EventBody = Omit<Event, 'position' | 'context'> & { readonly context_digest: string | null };

/** Fields whose values and elements are users. */
const USERS: ReadonlySet<string> = new Set(['members', 'owner', 'ceo', 'main']);

/** So many elements of its lists take about as long to store as one more event without any. */
const LISTED_WEIGH_AS_ONE = 25;

/**
 * Records events within the transaction of the change, so that they are committed or rolled back with it (D90): one
 * statement for some hundreds of them, and one more if targets lack their names. Call it last, when the transaction
 * holds every lock it needs.
 *
 * @returns the events' ids, in order
 */
export async function recordEvents(
  db: Kysely<Database>,
  events: readonly NewEvent[],
  now: Date,
): Promise<string[]> {
  if (events.length === 0) return [];
  const { tally } = presentOrigin();
  if (tally !== undefined) tally.events += events.length;
  const origin = storedOrigin();
  const record = async (some: readonly NewEvent[]) => {
    const ids = eventIds(some.length, now);
    const named = await nameTargets(db, some);
    await insertEvents(
      db,
      named.map((event, n) => toRow({ ...event, event_id: ids[n] as string }, origin, now)),
    );
    return ids;
  };
  return (await inPieces(events, record, weightOf)).flat();
}

/** For how many events without lists an event counts: its row is as much longer. */
function weightOf({ changes = [] }: NewEvent): number {
  const listed = changes.map((change) =>
    'added' in change ? change.added.length + change.removed.length : 0,
  );
  return 1 + listed.reduce((sum, length) => sum + length, 0) / LISTED_WEIGH_AS_ONE;
}

/** The present origin with its context as it is stored, which is the same for all events of a change. */
function storedOrigin() {
  const { actor, cause, context } = presentOrigin();
  const text = context && JSON.stringify(context);
  return { actor, cause, context: text, digest: text && sha256(text) };
}

function toRow(
  event: NewEvent & { readonly event_id: string },
  origin: ReturnType<typeof storedOrigin>,
  now: Date,
): EventRow {
  const { event_id, type, targets, changes = [], outcome = 'done', reason = null } = event;
  const { context, digest } = origin;
  const actor = event.actor ?? origin.actor;
  const body: EventBody = {
    event_id,
    occurred_on: now.toISOString(),
    type,
    version: 1,
    actor,
    targets: [...targets],
    outcome,
    changes: [...changes],
    reason,
    cause: causeOf(event.cause, origin.cause),
    context_digest: digest,
  };
  return { ...keysOf(body), event_id, type, body: JSON.stringify(body), context };
}

function causeOf(given: NewEvent['cause'], occasion: Cause | null): Cause | null {
  if (given === undefined) return occasion;
  return { run_id: null, job: null, ...occasion, event_id: given.event_id };
}

/** What is stored of an event besides its body, all of it derived from that. */
function keysOf({ type, actor, targets, changes, cause }: EventBody) {
  const [subject = ''] = type.split('.');
  const named = targets.flatMap((target) => (target.type === 'user' ? [Number(target.id)] : []));
  return {
    kept: KEPT_LONG.has(subject) ? ('long' as const) : ('short' as const),
    actor_id: actor.character_id,
    on_behalf_of: actor.on_behalf_of,
    concerns: [...new Set([...named, ...changes.flatMap(usersIn)])],
    targets: targets.map((target) => `${target.type}:${target.id}`),
    hides_actor: LINKING.has(subject),
    cause: cause?.event_id ?? null,
  };
}

/** Whether the values or elements of a field are users. */
export function isUserField(field: string): boolean {
  return USERS.has(field);
}

function usersIn(change: Change): number[] {
  if (!isUserField(change.field)) return [];
  if ('added' in change) return [...change.added, ...change.removed];
  return [change.before, change.after].filter((value) => typeof value === 'number');
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/**
 * Events for the users that were added to a list and removed from it, split so that none lists too many (D91); none
 * when the list did not change.
 */
export function listChanged(
  event: Omit<NewEvent, 'changes'>,
  field: string,
  { added, removed }: ListDifference<number>,
): NewEvent[] {
  const count = removed.length + added.length;
  return Array.from({ length: Math.ceil(count / MAX_LISTED) }, (_, n) => {
    // Those removed come first.
    const part = (list: readonly number[], before: number) =>
      list.slice(Math.max(0, n * MAX_LISTED - before), Math.max(0, (n + 1) * MAX_LISTED - before));
    return { ...event, changes: [{ field, added: part(added, removed.length), removed: part(removed, 0) }] };
  });
}

/** The changes of those fields whose values differ. Lists must be sorted, as they are compared by element. */
export function valueChanges<T extends object>(
  before: Partial<T>,
  after: T,
  fields: readonly (keyof T & string)[],
): ValueChange[] {
  return fields.flatMap((field) => {
    const former = (before[field] ?? null) as Value;
    const present = (after[field] ?? null) as Value;
    return JSON.stringify(former) === JSON.stringify(present)
      ? []
      : [{ field, before: former, after: present }];
  });
}

export function userTarget(character_id: number, name: string | null = null): Target {
  return { type: 'user', id: String(character_id), name };
}

type Value = ValueChange['before'];
