import { type Kysely, sql } from 'kysely';
import type { Database } from '../database/tables.ts';

/** Length of a window in milliseconds; the next window begins with the first request after its end. */
const WINDOW_MILLIS = 60_000;
/** Milliseconds from now; a window with a later end was begun while the clock was wrong. */
export const FARTHEST_END_MILLIS = 2 * WINDOW_MILLIS;
/** Milliseconds for which a window is kept after its end, so that no process with a slow clock takes it for open. */
const KEPT_MILLIS = WINDOW_MILLIS;

export interface Want {
  readonly key: string;
  /** Limit of requests in one window, over all processes. */
  readonly most: number;
  readonly wanted: number;
}

export interface Block {
  readonly key: string;
  readonly most: number;
  /** Requests granted to this process: what it asked for, or what was left. */
  readonly granted: number;
  /** Requests of the window that no process has leased yet. */
  readonly free: number;
  readonly ends_on: Date;
}

/**
 * Leases a block from the window of each key, and begins a new window where there is none; one statement.
 *
 * @param windowMillis length of the windows of these keys
 */
export async function takeBlocks(
  db: Kysely<Database>,
  wants: readonly Want[],
  now: Date,
  windowMillis = WINDOW_MILLIS,
): Promise<readonly Block[]> {
  const farthest = new Date(now.getTime() + 2 * windowMillis);
  const open = sql`(w.ends_on > ${now} and w.ends_on <= ${farthest})`;
  const taken = sql`case when ${open} then w.taken else 0 end`;
  // With a smaller limit than other processes, more may be taken than this process allows.
  const granted = sql`greatest(least(excluded.handed, excluded.most - ${taken}), 0)`;
  const { rows } = await sql<Block>`
    insert into rate_windows as w (key, most, taken, handed, ends_on)
      select key, most, least(wanted, most), least(wanted, most), ${new Date(now.getTime() + windowMillis)}
      from unnest(
        ${wants.map(({ key }) => key)}::text[],
        ${wants.map(({ most }) => most)}::integer[],
        ${wants.map(({ wanted }) => wanted)}::integer[]) as wants (key, most, wanted)
      -- Ordered, so that two processes cannot deadlock.
      order by key
    on conflict (key) do update set
      most = excluded.most,
      taken = ${taken} + ${granted},
      handed = ${granted},
      ends_on = case when ${open} then w.ends_on else excluded.ends_on end
    returning key, most, handed as granted, greatest(most - taken, 0) as free, ends_on`.execute(db);
  return rows;
}

export interface Unused {
  readonly key: string;
  readonly requests: number;
  /** End of the window that they were leased from; they are not returned to a later one. */
  readonly endsOn: Date;
}

/** Returns leased requests that were not used. */
export async function giveBack(db: Kysely<Database>, unused: readonly Unused[]): Promise<void> {
  await sql`
    with given as (
      select w.key, u.requests
      from rate_windows w join unnest(
        ${unused.map(({ key }) => key)}::text[],
        ${unused.map(({ requests }) => requests)}::integer[],
        ${unused.map(({ endsOn }) => endsOn)}::timestamptz[]) as u (key, requests, ends_on)
        on u.key = w.key and u.ends_on = w.ends_on
      order by w.key for update of w)
    update rate_windows w set taken = w.taken - given.requests from given where given.key = w.key`.execute(
    db,
  );
}

/** Deletes up to `most` windows that have ended. */
export async function deleteOver(db: Kysely<Database>, now: Date, most: number): Promise<void> {
  await sql`
    delete from rate_windows where key in (
      select key from rate_windows where ends_on <= ${new Date(now.getTime() - KEPT_MILLIS)}
      order by ends_on limit ${most} for update skip locked)`.execute(db);
}
