import { isScheduled, type JobName, scheduledJobs } from '../server/queue/job-catalogue.ts';
import { nextRun } from '../server/queue/schedule.ts';
import type { Services } from '../server/services/services.ts';
import { resumeAfterClockSetBack } from './clock-set-back.ts';
import { addSchedules, claimRun, findSchedules, type StoredSchedule } from './schedules.queries.ts';

/** Milliseconds between two checks whether jobs are due. */
const LOOK_EVERY = 15_000;
const SUBJECT = 'the schedules of jobs';

/**
 * Enqueues a run of every scheduled job that is due, until the queue stops: now, and then four times a minute. Several
 * times that passed without a worker or a database become one run (D52); of several workers one enqueues it.
 *
 * pg-boss's own schedules lose a time that passes while the database is away, and work out every expression anew at
 * every check, which takes a tenth of a second in one piece.
 */
export async function startScheduler(services: Services): Promise<void> {
  const { db, queue, outages, clock } = services;
  const isDue = rememberNextRuns(services);
  await addSchedules(db, scheduledJobs, clock.now());

  async function enqueueDue(): Promise<void> {
    const failures: unknown[] = [];
    for (const schedule of await findSchedules(db)) {
      const { job_id: name } = schedule;
      if (!isScheduled(name) || !isDue(name, schedule)) continue;
      const enqueuing = db.transaction().execute(async (transaction) => {
        if (await claimRun(transaction, schedule)) await queue.run(transaction, name);
      });
      // One that cannot be enqueued holds up no other.
      await enqueuing.catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
  }

  let looking = false;
  async function look(): Promise<void> {
    if (looking) return;
    looking = true;
    try {
      await resumeAfterClockSetBack(services);
      await enqueueDue();
      outages.worked(SUBJECT);
    } catch (error) {
      outages.failed(SUBJECT, { err: error }, 'it could not be determined which jobs are due');
    }
    looking = false;
  }

  const timer = setInterval(look, LOOK_EVERY).unref();
  queue.stopping.addEventListener('abort', () => clearInterval(timer), { once: true });
  // A job that cannot be enqueued now may be at a later look, so it does not keep the process from starting.
  await look();
}

/** Tells whether a job is due; works out its next time only when a run was enqueued, as that takes milliseconds. */
function rememberNextRuns({ settings }: Services): (name: JobName, schedule: StoredSchedule) => boolean {
  const known = new Map<JobName, { readonly after: number; readonly next: number }>();
  return (name, { enqueued_on, now }) => {
    const after = enqueued_on.getTime();
    let found = known.get(name);
    if (found?.after !== after) {
      found = { after, next: nextRun(settings.schedules, name, enqueued_on)?.getTime() ?? Infinity };
      known.set(name, found);
    }
    // A later time is that of a database whose clock was ahead.
    return found.next <= now.getTime() || after > now.getTime();
  };
}
