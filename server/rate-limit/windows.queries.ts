import { type Kysely, sql } from 'kysely';
import type { Database } from '../database/tables.ts';

/** Length of a window; the next one begins with the first request after it. */
const WINDOW_MILLIS = 60_000;
/** A window that ends later than this was begun by a clock that has been put right since. */
export const FARTHEST_END_MILLIS = 2 * WINDOW_MILLIS;
/** Windows are kept so long after their end that no clock of ours can take one for living. */
const KEPT_MILLIS = WINDOW_MILLIS;

export interface Want {
  readonly key: string;
  /** Requests in one window, for all processes together. */
  readonly most: number;
  readonly wanted: number;
}

export interface Block {
  readonly key: string;
  readonly most: number;
  /** Requests that are this process's to answer: what was wanted, or what was left. */
  readonly granted: number;
  /** Requests of the window that nobody has taken yet. */
  readonly free: number;
  readonly ends_on: Date;
}

/** Takes a block from the window of each key, beginning a new window where there is none. One statement. */
export async function takeBlocks(
  db: Kysely<Database>,
  wants: readonly Want[],
  now: Date,
): Promise<readonly Block[]> {
  const farthest = new Date(now.getTime() + FARTHEST_END_MILLIS);
  const open = sql`(w.ends_on > ${now} and w.ends_on <= ${farthest})`;
  const taken = sql`case when ${open} then w.taken else 0 end`;
  // A process that was started with a smaller limit finds more taken than there is.
  const granted = sql`greatest(least(excluded.handed, excluded.most - ${taken}), 0)`;
  const { rows } = await sql<Block>`
    insert into rate_windows as w (key, most, taken, handed, ends_on)
      select key, most, least(wanted, most), least(wanted, most), ${new Date(now.getTime() + WINDOW_MILLIS)}
      from unnest(
        ${wants.map(({ key }) => key)}::text[],
        ${wants.map(({ most }) => most)}::integer[],
        ${wants.map(({ wanted }) => wanted)}::integer[]) as wants (key, most, wanted)
      -- In one order everywhere, so that no two processes wait for each other.
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
  /** Of the window that they were taken from; a later one does not want them. */
  readonly endsOn: Date;
}

/** Gives back what was taken and not used. */
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

/** Deletes some of the windows that are over. */
export async function deleteOver(db: Kysely<Database>, now: Date, most: number): Promise<void> {
  await sql`
    delete from rate_windows where key in (
      select key from rate_windows where ends_on <= ${new Date(now.getTime() - KEPT_MILLIS)}
      order by ends_on limit ${most} for update skip locked)`.execute(db);
}
