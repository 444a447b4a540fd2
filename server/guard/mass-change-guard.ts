import { createHash } from 'node:crypto';
import type { Kysely } from 'kysely';
import { sharedTime } from '../database/clock.queries.ts';
import type { Database } from '../database/tables.ts';
import { recordEvents } from '../event/record.ts';
import type { Run } from '../queue/run.ts';
import type { Services } from '../services/services.ts';
import { type Detail, heldEvent } from './held-event.ts';
import { countSighting, forgetHeld } from './mass-change-guard.queries.ts';

/** What a run would take away if it were committed. */
export interface Losses {
  /** Number of users that the run compared. */
  readonly lookedAt: number;
  /** Users who would lose something, directly or indirectly. */
  readonly losers: readonly number[];
  /** Canonical text of the set of changes: equal for equal sets, independent of their order. */
  readonly changes: string;
  /** The same changes for people: fields with the values before and after, organizations first, since they are the cause. */
  readonly details: () => readonly Detail[];
  /** Whether the provider answered all requests of this run. */
  readonly healthy: boolean;
  /** False when the run has not looked at everything, though what it asked was answered. */
  readonly complete?: boolean;
}

/** A run is held back when it takes from more than this share of the users, and from at least this many. */
const SHARE = 0.1;
const AT_LEAST = 20;
/** Number of runs that must find the same set of changes before it is accepted. */
export const RUNS = 3;

/**
 * Whether a run may commit what it takes away (D63). If not, the caller rolls back; the refusal is logged, counted,
 * recorded as an event and stored, so that the same set of changes is accepted after enough runs or once it is
 * approved. `tx` is the run's own transaction; the refusal is written outside it, as it will be rolled back.
 */
export async function guardMassChange(
  tx: Kysely<Database>,
  { db, clock, log, metrics }: Pick<Services, 'db' | 'clock' | 'log' | 'metrics'>,
  run: Run,
  { lookedAt, losers, changes, details, healthy, complete = true }: Losses,
): Promise<boolean> {
  if (run.dryRun) return true;
  const tooMany = losers.length >= AT_LEAST && losers.length > lookedAt * SHARE;
  if (!tooMany || run.force) {
    // An incomplete run does not prove that the changes held back no longer exist.
    if ((healthy && complete) || run.force) await forgetHeld(tx, run.job);
    return true;
  }
  const heldId = fingerprintOf(changes);
  const approved = run.approved === heldId;
  const counts = healthy && !approved;
  const runs = counts ? await countSighting(db, run.job, heldId, await sharedTime(db, clock)) : 0;
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
