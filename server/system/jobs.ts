import type { Target } from '../../contract/event.ts';
import type { Job, JobDryRun, JobRun } from '../../contract/system.ts';
import { type Admission, readmit, rejudge } from '../access/admission.ts';
import { inTransaction } from '../database/transaction.ts';
import { recordEvents } from '../event/record.ts';
import { isHeld } from '../guard/held.queries.ts';
import { catalogue, isScheduled, type JobName, scheduledJobs } from '../queue/job-catalogue.ts';
import { nextRuns } from '../queue/schedule.ts';
import type { Services } from '../services/services.ts';
import { invalid, notFound } from '../shared/domain-error.ts';

/** The scheduled jobs, by name (D52). */
export async function listJobs({ settings, clock }: Pick<Services, 'settings' | 'clock'>): Promise<Job[]> {
  const now = clock.now();
  const next = await nextRuns(
    settings.schedules,
    scheduledJobs.map((name) => [name, now]),
  );
  return scheduledJobs.map((name) => ({
    coalesce: true,
    executor: name,
    function: handlerName(name),
    job_id: name,
    max_instances: catalogue[name].concurrency,
    misfire_grace_time: null,
    name: titleOf(name),
    next_run_time: next.get(name)?.toISOString() ?? null,
    trigger: settings.schedules.cron.get(name) ?? null,
  }));
}

/** A job's title, derived from its name, so that titles sort like names (D9). */
function titleOf(job: JobName): string {
  return `${job.slice(0, 1).toUpperCase()}${job.slice(1).replaceAll('-', ' ')}`;
}

/** The handler's name: the job's name in camel case. */
function handlerName(job: JobName): string {
  return job.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}

/**
 * Puts a run into the queue; where one is waiting already, that one is answered. 404: no such scheduled job.
 * An approval names what is held back, else it is a 404 (D63). A dry run is made at once, and 422 where the job cannot
 * tell what it would change.
 */
export async function runJob(
  { db, queue, clock, dryRun: rehearse }: Pick<Services, 'db' | 'queue' | 'clock' | 'dryRun'>,
  admission: Admission,
  jobId: string,
  {
    force,
    approve,
    dryRun,
  }: { readonly force: boolean; readonly approve?: string | undefined; readonly dryRun: boolean },
): Promise<JobRun | JobDryRun> {
  if (!isScheduled(jobId)) throw notFound('job', jobId);
  if (!dryRun) {
    const run_id = await inTransaction(db, async (tx) => {
      await readmit(tx, admission);
      if (approve !== undefined && !(await isHeld(tx, jobId, approve)))
        throw notFound('held change', approve);
      const changes = [{ field: 'force', before: null, after: force }];
      const targets = [
        target('job', jobId),
        ...(approve === undefined ? [] : [target('held_change', approve)]),
      ];
      await recordEvents(tx, [{ type: 'job.requested', targets, changes }], clock.now());
      return queue.run(tx, jobId, { force, asked: true, approved: approve });
    });
    return { job_id: jobId, run_id };
  }
  const changes = await rehearse(jobId);
  // It asked the game about everybody, which takes minutes.
  await rejudge(db, admission);
  if (changes === undefined) {
    throw invalid(['query', 'dry_run'], `${jobId} cannot tell beforehand what it would change`);
  }
  return { job_id: jobId, changes: [...changes] };
}

function target(type: Target['type'], id: string): Target {
  return { type, id, name: null };
}
