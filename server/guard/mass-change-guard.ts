import { createHash } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Database } from '../database/tables.ts';
import { recordEvents } from '../event/record.ts';
import type { Run } from '../queue/run.ts';
import type { Services } from '../services/services.ts';
import { countSighting, forgetHeld } from './mass-change-guard.queries.ts';

/** What a run would take away if it were committed. */
export interface Losses {
  /** Number of users that the run compared. */
  readonly lookedAt: number;
  /** Users who would lose something, directly or indirectly. */
  readonly losers: readonly number[];
  /** Canonical text of the set of changes: equal for equal sets, independent of their order. */
  readonly changes: string;
  /** Whether the provider answered all requests of this run. */
  readonly healthy: boolean;
}

/** A run is held back when it takes from more than this share of the users, and from at least this many. */
const SHARE = 0.1;
const AT_LEAST = 20;
/** Number of runs that must find the same set of changes before it is accepted. */
const RUNS = 3;

/**
 * Whether a run may commit what it takes away (D63). If not, the caller rolls back; the refusal is logged, counted and
 * stored, so that the same set of changes is accepted after enough runs. `tx` is the run's own transaction; the refusal
 * is written outside it, as it will be rolled back.
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
    // An incomplete run does not prove that the changes held back no longer exist.
    if (healthy || run.force) await forgetHeld(tx, run.job);
    return true;
  }
  const runs = healthy ? await countSighting(db, run.job, fingerprintOf(changes), clock.now()) : 0;
  if (runs >= RUNS) {
    await forgetHeld(tx, run.job);
    return true;
  }
  log.error(
    { job: run.job, run_id: run.id, losers: losers.length, looked_at: lookedAt, runs, healthy },
    'a run would take something from too many users and changed nothing; force it if it is right',
  );
  metrics.jobsHeld.inc({ job: run.job });
  const counted = [{ field: 'losers', before: null, after: losers.length }];
  const targets = [{ type: 'job' as const, id: run.job, name: null }];
  const held = { type: 'registry.change_held', outcome: 'held', targets, changes: counted } as const;
  await recordEvents(db, [held], clock.now());
  return false;
}

function fingerprintOf(changes: string): string {
  return createHash('sha256').update(changes).digest('base64url');
}
