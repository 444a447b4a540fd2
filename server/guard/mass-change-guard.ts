import { createHash } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Database } from '../database/tables.ts';
import { recordEvents } from '../event/record.ts';
import type { Run } from '../queue/run.ts';
import type { Services } from '../services/services.ts';
import { type Detail, heldEvent } from './held-event.ts';
import { countSighting, forgetHeld } from './mass-change-guard.queries.ts';

/** What a run would take away, were it to go on. */
export interface Losses {
  /** Users that the run looks at. */
  readonly lookedAt: number;
  /** Users who would lose something, indirectly too. */
  readonly losers: readonly number[];
  /** The set of changes as text: the same for the same set, in whatever order it was found. */
  readonly changes: string;
  /** The same for people: whose value is what, and would be what; organizations, which are the cause, first. */
  readonly details: () => readonly Detail[];
  /** Whether the provider answered everything that this run asked. */
  readonly healthy: boolean;
}

/** More than this share of the users, and at least so many: too much for one run. */
const SHARE = 0.1;
const AT_LEAST = 20;
/** The same set of changes, found so often, is the truth. */
export const RUNS = 3;

/**
 * Whether a run may take away what it would (D63). If not, the run changes nothing: the refusal is logged, counted and
 * told, and remembered, so that the same set found again and again gets through, or once somebody approved of it.
 * `tx` is the run's own transaction; the memory is written beside it, as the run will be rolled back.
 */
export async function guardMassChange(
  tx: Kysely<Database>,
  { db, clock, log, metrics }: Pick<Services, 'db' | 'clock' | 'log' | 'metrics'>,
  run: Run,
  { lookedAt, losers, changes, details, healthy }: Losses,
): Promise<boolean> {
  if (run.dryRun) return true;
  const tooMany = losers.length >= AT_LEAST && losers.length > lookedAt * SHARE;
  if (!tooMany || run.force) {
    // A run that did not see everything has not seen that the held changes are no more.
    if (healthy || run.force) await forgetHeld(tx, run.job);
    return true;
  }
  const heldId = fingerprintOf(changes);
  const approved = run.approved === heldId;
  const runs = healthy && !approved ? await countSighting(db, run.job, heldId, clock.now()) : 0;
  if (approved || runs >= RUNS) {
    await forgetHeld(tx, run.job);
    return true;
  }
  log.error(
    { job: run.job, run_id: run.id, losers: losers.length, looked_at: lookedAt, runs, healthy },
    'a run would take something from too many users and changed nothing; approve it if it is right',
  );
  metrics.jobsHeld.inc({ job: run.job });
  const held = heldEvent(run.job, heldId, { losers: losers.length, looked_at: lookedAt }, details());
  await recordEvents(db, [held], clock.now());
  return false;
}

function fingerprintOf(changes: string): string {
  return createHash('sha256').update(changes).digest('base64url');
}
