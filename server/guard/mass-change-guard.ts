import { createHash } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import type { Database } from '../database/tables.ts';
import type { Run } from '../queue/run.ts';
import type { Services } from '../services/services.ts';

/** What a run would take away, were it to go on. */
export interface Losses {
  /** Users that the run looks at. */
  readonly lookedAt: number;
  /** Users who would lose something, indirectly too. */
  readonly losers: readonly number[];
  /** The set of changes as text: the same for the same set, in whatever order it was found. */
  readonly changes: string;
  /** Whether the provider answered everything that this run asked. */
  readonly healthy: boolean;
}

/** More than this share of the users, and at least so many: too much for one run. */
const SHARE = 0.1;
const AT_LEAST = 20;
/** The same set of changes, found so often and so far apart (milliseconds), is the truth. */
const RUNS = 3;
const APART = 30 * 60_000;

/**
 * Whether a run may take away what it would (D63). If not, the run changes nothing: the refusal is logged,
 * counted and remembered, so that the same set found again and again gets through. `tx` is the run's own
 * transaction; the memory is written beside it, as the run will be rolled back.
 */
export async function guardMassChange(
  tx: Kysely<Database>,
  { db, clock, log, metrics }: Pick<Services, 'db' | 'clock' | 'log' | 'metrics'>,
  run: Run,
  { lookedAt, losers, changes, healthy }: Losses,
): Promise<boolean> {
  if (run.dryRun) return true;
  const tooMany = losers.length >= AT_LEAST && losers.length > lookedAt * SHARE;
  if (!tooMany || run.force) {
    // A run that did not see everything has not seen that the held changes are no more.
    if (healthy || run.force) await tx.deleteFrom('held_changes').where('job_id', '=', run.job).execute();
    return true;
  }
  const runs = healthy ? await countSighting(db, run.job, fingerprintOf(changes), clock.now()) : 0;
  if (runs >= RUNS) {
    await tx.deleteFrom('held_changes').where('job_id', '=', run.job).execute();
    return true;
  }
  log.error(
    { job: run.job, run_id: run.id, losers: losers.length, looked_at: lookedAt, runs, healthy },
    'a run would take something from too many users and changed nothing; force it if it is right',
  );
  metrics.jobsHeld.inc({ job: run.job });
  return false;
}

/** Counts a run that found these changes, unless the one before is too recent; returns the runs so far. */
async function countSighting(
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
        then h.counted_on else excluded.counted_on end
    returning runs`.execute(db);
  return rows[0]?.runs ?? 0;
}

function fingerprintOf(changes: string): string {
  return createHash('sha256').update(changes).digest('base64url');
}
