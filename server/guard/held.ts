import type { HeldChange } from '../../contract/system.ts';
import { findNames } from '../event/name-targets.queries.ts';
import type { EventBody } from '../event/record.ts';
import type { JobName } from '../queue/job-catalogue.ts';
import { nextRun, type Schedules } from '../queue/schedule.ts';
import type { Services } from '../services/services.ts';
import { listHeldChanges } from './held.queries.ts';
import { readHeldEvent } from './held-event.ts';
import { APART } from './mass-change-guard.queries.ts';
import { RUNS } from './mass-change-guard.ts';

/** Held changes with the time at which each is expected to be accepted without approval (D63). */
export async function listHeld({
  db,
  clock,
  settings,
}: Pick<Services, 'db' | 'clock' | 'settings'>): Promise<HeldChange[]> {
  const rows = await listHeldChanges(db);
  const told = rows.map((row) => ({ row, ...readHeldEvent(JSON.parse(row.body) as EventBody) }));
  const names = await findNames(
    db,
    told.flatMap(({ shown }) => shown.map(({ target }) => target)),
  );
  return told.map(({ row, losers, looked_at, details, shown }) => ({
    held_id: row.held_id,
    job_id: row.job_id,
    losers,
    looked_at,
    first_found_on: row.first_found_on,
    found_on: row.counted_on.toISOString(),
    found: row.runs,
    needed: RUNS,
    passes_on: passesOn(settings.schedules, row, clock.now())?.toISOString() ?? null,
    details: shown.map(({ target, ...change }) => ({
      ...change,
      target: { ...target, name: names.get(`${target.type}:${target.id}`) ?? null },
    })),
    more: details - shown.length,
  }));
}

/** Start of the run that makes the number of sightings complete, if every run finds the same changes. */
function passesOn(
  schedules: Schedules,
  { job_id, runs, counted_on }: { readonly job_id: string; readonly runs: number; readonly counted_on: Date },
  now: Date,
): Date | undefined {
  let counted: Date | undefined = counted_on;
  for (let run = runs; run < RUNS && counted !== undefined; run += 1) {
    const soonest = Math.max(counted.getTime() + APART, now.getTime());
    counted = nextRun(schedules, job_id as JobName, new Date(soonest - 1));
  }
  return counted;
}
