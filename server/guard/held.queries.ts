import { type Kysely, sql } from 'kysely';
import type { Database } from '../database/tables.ts';

/** Held changes of a job with the latest event about them. */
interface HeldRow {
  readonly held_id: string;
  readonly job_id: string;
  readonly runs: number;
  readonly counted_on: Date;
  readonly first_found_on: string;
  readonly body: string;
}

/** Held changes of all jobs, ordered by job. */
export async function listHeldChanges(db: Kysely<Database>): Promise<readonly HeldRow[]> {
  const { rows } = await sql<HeldRow>`
    with sightings as (
      select h.job_id, e.event_id, e.body
      from held_changes h join event_subjects s on s.key = 'held_change:' || h.fingerprint,
        lateral (select * from events e where e.event_id = s.event_id offset 0) e
      where e.type = 'registry.change_held' and e.targets @> array['job:' || h.job_id]
    )
    select h.fingerprint as held_id, h.job_id, h.runs, h.counted_on, first.body::jsonb ->> 'occurred_on' as first_found_on,
      last.body
    from held_changes h,
      lateral (select body from sightings s where s.job_id = h.job_id order by event_id limit 1) first,
      lateral (select body from sightings s where s.job_id = h.job_id order by event_id desc limit 1) last
    order by h.job_id`.execute(db);
  return rows;
}

/** When what the job holds back was last counted; undefined where it holds nothing back. */
export async function findHeldOn(db: Kysely<Database>, job: string): Promise<Date | undefined> {
  const held = db.selectFrom('held_changes').select('counted_on');
  return (await held.where('job_id', '=', job).executeTakeFirst())?.counted_on;
}

export async function isHeld(db: Kysely<Database>, job: string, heldId: string): Promise<boolean> {
  const held = db.selectFrom('held_changes').select('job_id');
  const row = await held.where('job_id', '=', job).where('fingerprint', '=', heldId).executeTakeFirst();
  return row !== undefined;
}
