import { type Kysely, sql } from 'kysely';
import type { Database } from '../database/tables.ts';

/** Minimum milliseconds between two runs that count as separate confirmations of the same changes. */
export const APART = 30 * 60_000;

/**
 * Counts a run that found these changes, unless the previous one was too recent; returns the number of counted runs.
 */
export async function countSighting(
  db: Kysely<Database>,
  job: string,
  fingerprint: string,
  now: Date,
): Promise<number> {
  const { rows } = await sql<{ runs: number }>`
    insert into held_changes as h (job_id, fingerprint, runs, counted_on)
    values (${job}, ${fingerprint}, 1, ${now})
    on conflict (job_id) do update set
      fingerprint = excluded.fingerprint,
      runs = case
        when h.fingerprint <> excluded.fingerprint then 1
        when h.counted_on <= ${new Date(now.getTime() - APART)} then h.runs + 1
        else h.runs end,
      counted_on = case
        when h.fingerprint = excluded.fingerprint and h.counted_on > ${new Date(now.getTime() - APART)}
        -- A later time is that of a clock that was ahead.
        then least(h.counted_on, excluded.counted_on) else excluded.counted_on end
    returning runs`.execute(db);
  return rows[0]?.runs ?? 0;
}

/** Forgets the changes that a job held back: they no longer exist, or are carried out now. */
export async function forgetHeld(db: Kysely<Database>, job: string): Promise<void> {
  await db.deleteFrom('held_changes').where('job_id', '=', job).execute();
}
