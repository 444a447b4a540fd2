import { type Kysely, sql } from 'kysely';
import type { Database } from '../database/tables.ts';

/** A fault at one position of the chain (D90). */
type Fault = 'missing seal' | 'broken chain' | 'missing event' | 'changed event';

/** A point in the chain: the last position that was verified, with its hash (null before the first one). */
export interface Place {
  readonly position: number;
  readonly hash: Buffer | null;
}

export interface Stretch {
  /** The last seal examined; null when no seal follows the place. */
  readonly end: Place | null;
  readonly broken: { readonly position: number; readonly fault: Fault } | null;
}

/** The last position of all, and the place `most` positions before it with its event (null before the first one). */
export async function findPlaceBefore(
  db: Kysely<Database>,
  most: number,
): Promise<{ readonly from: Place; readonly event_id: string | null; readonly head: number }> {
  type Row = { head: number; position: number | null; hash: Buffer | null; event_id: string | null };
  const { rows } = await sql<Row>`
    select head, position, hash, event_id from (select coalesce(max(position), 0) as head from event_seals) h
      left join event_seals on position = head - ${most}::bigint`.execute(db);
  const [{ head, position, hash, event_id } = { head: 0, position: null, hash: null, event_id: null }] = rows;
  return { from: { position: position ?? 0, hash }, event_id, head };
}

/**
 * Verifies the next seals after a place together with their events, and returns the first fault. Events with ids before
 * `since` may be missing, because they have expired.
 */
export async function verifyStretch(
  db: Kysely<Database>,
  after: Place,
  { since, most }: { readonly since: string; readonly most: number },
): Promise<Stretch> {
  const { rows } = await sql<{ position: number; hash: Buffer; fault: Fault | null }>`
    with stretch as materialized (
      select *, lag(position, 1, ${after.position}::bigint) over (order by position) as former,
        lag(hash, 1, ${after.hash}::bytea) over (order by position) as chained
      from (select * from event_seals where position > ${after.position} order by position limit ${most}) next
    ), judged as (
      select s.position, s.former, s.hash, case
        when s.position <> s.former + 1 then 'missing seal'
        when sha256(coalesce(s.chained, '') || s.digest) <> s.hash then 'broken chain'
        when e.body is null then case when s.event_id >= ${since}::uuid then 'missing event' end
        when sha256(convert_to(e.body, 'UTF8')) <> s.digest then 'changed event' end as fault
      from stretch s left join lateral (
        select body from events e where e.event_id = s.event_id offset 0) e on true
    )
    (select case fault when 'missing seal' then former + 1 else position end as position, hash, fault
      from judged where fault is not null order by judged.position limit 1)
    union all
    (select position, hash, null from judged order by judged.position desc limit 1)`.execute(db);
  const wrong = rows.find(({ fault }) => fault !== null);
  const end = rows.find(({ fault }) => fault === null);
  return {
    end: end === undefined ? null : { position: end.position, hash: end.hash },
    broken: wrong?.fault == null ? null : { position: wrong.position, fault: wrong.fault },
  };
}

/**
 * Of the next events after this id, the first that has neither a position nor an entry in the queue for one. `offset 0`
 * has each seal looked up by its index: the table of seals is too long to be joined as a whole for each few thousand.
 *
 * @returns also the last event that was looked at; null when no more follow
 */
export async function findWithoutSeal(
  db: Kysely<Database>,
  after: string,
  most: number,
): Promise<{ readonly end: string | null; readonly lost: string | null }> {
  const { rows } = await sql<{ end: string | null; lost: string | null }>`
    with next as materialized (
      select event_id from events where event_id > ${after}::uuid order by event_id limit ${most}
    )
    select (select event_id from next order by event_id offset ${most - 1} limit 1) as "end",
      (select event_id from next n
        where not exists (select from event_seals s where s.event_id = n.event_id offset 0)
          and not exists (select from unsealed_events u where u.event_id = n.event_id)
        order by event_id limit 1) as lost`.execute(db);
  return rows[0] ?? { end: null, lost: null };
}
