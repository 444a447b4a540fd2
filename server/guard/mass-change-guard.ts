import { createHash } from 'node:crypto';
import type { Kysely } from 'kysely';
import { sharedTime } from '../database/clock.queries.ts';
import type { Database } from '../database/tables.ts';
import { inTransaction } from '../database/transaction.ts';
import { type NewEvent, recordEvents } from '../event/record.ts';
import type { Run } from '../queue/run.ts';
import type { Services } from '../services/services.ts';
import { type Detail, heldEvent } from './held-event.ts';
import { APART, forgetHeld, type Held, lockHeld, saveHeld } from './mass-change-guard.queries.ts';

/** A user who would lose something, directly or indirectly, and what, as text: equal for equal losses. */
export type Loss = readonly [loser: number, what: string];

/** What a run would take away if it were committed. */
export interface Losses {
  /** Number of users that the run compared. */
  readonly lookedAt: number;
  readonly losses: readonly Loss[];
  /** The same for people: fields with the values before and after, organizations first, since they are the cause. */
  readonly details: () => readonly Detail[];
  /** Whether the provider answered the requests of this run, but for single ones that are no outage. */
  readonly healthy: boolean;
  /** False when the run has not looked at everything, though the provider is healthy. */
  readonly complete?: boolean;
  /**
   * True when the changes are made after the transaction, and may be cut off: what is held back then stays, so that the
   * next run may make the rest, until the job forgets it.
   */
  readonly madeAfterwards?: boolean;
}

/** What is stored of a run that is held back. */
export interface Refusal {
  /** Absent where the run does not count. */
  readonly sighting: Held | undefined;
  readonly event: NewEvent;
}

/** A run is held back when it takes from more than this share of the users, and from at least this many. */
const SHARE = 0.1;
const AT_LEAST = 20;
/** Number of runs that must find a loss before it is accepted. */
export const RUNS = 3;

/**
 * Whether a run may commit what it takes away (D63): undefined if so. Else the refusal is logged and counted, and the
 * caller rolls back and then stores it by {@link storeRefusal}, so that the same set of changes is accepted once it is
 * approved, or after enough runs. Those may differ by a few: losses that enough runs have found count no longer, and
 * the others are judged alone. A run that has not looked at everything takes nothing of what is held back, however few
 * it finds.
 *
 * @param tx the run's own transaction. Nothing else is used: others may have all connections, and wait for its locks
 */
export async function guardMassChange(
  tx: Kysely<Database>,
  { clock, log, metrics }: Pick<Services, 'clock' | 'log' | 'metrics'>,
  run: Run,
  { lookedAt, losses, details, healthy, complete = true, madeAfterwards = false }: Losses,
): Promise<Refusal | undefined> {
  if (run.dryRun) return undefined;
  const isTooMany = (some: readonly Found[]) => {
    const losers = countLosers(some);
    return losers >= AT_LEAST && losers > lookedAt * SHARE;
  };
  const seesAll = healthy && complete;
  const found = losses.map((loss) => ({ loss, key: fingerprintOf(loss) }));
  const held = losses.length === 0 ? undefined : await lockHeld(tx, run.job);
  const kept = found.filter(({ key }) => (held?.found[key] ?? RUNS) < RUNS);
  // Of what is held back, a run that has not looked at everything may find few.
  const isPart = !seesAll && kept.length > 0 && !isTooMany(found);
  if (run.force || !(isPart || isTooMany(found))) {
    // An incomplete run does not prove that the changes held back no longer exist.
    if (seesAll || run.force) await forgetHeld(tx, run.job);
    return undefined;
  }
  const heldId = fingerprintOf(found.map(({ key }) => key).sort());
  const approved = run.approved === heldId;
  const now = await sharedTime(tx, clock);
  // Approved losses count as found often enough: so whichever run comes next makes the rest.
  const counted = approved
    ? { runs: RUNS, counted_on: now, found: inRuns(found, RUNS) }
    : isPart
      ? countPart(held, kept, now)
      : countSighting(held, found, isTooMany, now);
  const sighting = { job_id: run.job, fingerprint: heldId, ...counted };
  const runs = healthy || approved ? sighting.runs : 0;
  if (runs >= RUNS) {
    if (madeAfterwards) await saveHeld(tx, sighting);
    else await forgetHeld(tx, run.job);
    return undefined;
  }
  const losers = countLosers(found);
  const advice = healthy ? 'approve it if it is right' : 'it is not listed, as the provider failed';
  log.error(
    { job: run.job, run_id: run.id, losers, looked_at: lookedAt, runs, healthy },
    `a run would take ${isPart ? 'a part of what is held back' : 'something from too many users'} and changed nothing; ${advice}`,
  );
  metrics.jobsHeld.inc({ job: run.job });
  const event = heldEvent(run.job, heldId, { losers, looked_at: lookedAt }, details());
  return { sighting: healthy ? sighting : undefined, event };
}

/** Stores a refusal, if there is one, after the transaction of the run was rolled back. */
export async function storeRefusal(
  { db, clock }: Pick<Services, 'db' | 'clock'>,
  refusal: Refusal | undefined,
): Promise<void> {
  if (refusal === undefined) return;
  const { sighting, event } = refusal;
  await inTransaction(db, async (tx) => {
    if (sighting !== undefined) await saveHeld(tx, sighting);
    await recordEvents(tx, [event], clock.now());
  });
}

interface Found {
  readonly loss: Loss;
  /** The fingerprint of the loss. */
  readonly key: string;
}

type Sighting = Pick<Held, 'runs' | 'counted_on' | 'found'>;

/**
 * What was found, and of each loss in how many runs without a gap; a run too soon after the last one that counted only
 * discards what it does not find. `runs` is in how many all were found but so few that these would pass alone.
 */
function countSighting(
  held: Held | undefined,
  losses: readonly Found[],
  isTooMany: (some: readonly Found[]) => boolean,
  now: Date,
): Sighting {
  const former = held?.found ?? {};
  const isSoon =
    held !== undefined &&
    held.counted_on.getTime() > now.getTime() - APART &&
    losses.some(({ key }) => former[key] !== undefined);
  const found = losses.map((each) => ({ ...each, runs: (former[each.key] ?? 0) + (isSoon ? 0 : 1) }));
  let runs = RUNS;
  while (runs > 0 && isTooMany(found.filter((each) => each.runs < runs))) runs -= 1;
  return {
    runs,
    // A later time is that of a clock that was ahead.
    counted_on: isSoon && held.counted_on < now ? held.counted_on : now,
    found: Object.fromEntries(found.filter(({ runs }) => runs > 0).map(({ key, runs }) => [key, runs])),
  };
}

/** The same where only a part of what is held back was found: any of it is too many, and the rest stays. */
function countPart(held: Held | undefined, losses: readonly Found[], now: Date): Sighting {
  const counted = countSighting(held, losses, (some) => some.length > 0, now);
  return { ...counted, found: { ...held?.found, ...counted.found } };
}

function inRuns(losses: readonly Found[], runs: number): Held['found'] {
  return Object.fromEntries(losses.map(({ key }) => [key, runs]));
}

function countLosers(losses: readonly Found[]): number {
  return new Set(losses.map(({ loss: [loser] }) => loser)).size;
}

function fingerprintOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url');
}
