import { randomUUID } from 'node:crypto';
import { onAccountOf, runAsOrigin } from '../server/event/origin.ts';
import {
  catalogue,
  type JobName,
  type Payload,
  type RunOptions,
  scheduledJobs,
  scheduleOf,
} from '../server/queue/job-catalogue.ts';
import type { Change } from '../server/queue/run.ts';
import type { Job } from '../server/queue/work.ts';
import type { Services } from '../server/services/services.ts';
import { DomainError } from '../server/shared/domain-error.ts';
import { continuing } from '../server/tracing/tracing.ts';
import { createRun } from './create-run.ts';
import { dryRuns, handlers } from './handlers.ts';
import { startScheduler } from './scheduler.ts';
import { recordRun } from './schedules.queries.ts';

const FAILED = 'a job failed and will be tried again';
const STOPPED = 'a job was stopped with its process and will be tried again';
const GIVEN_UP = 'a job failed for the last time and is kept among the dead letters';

/** Starts processing all queues and the schedules; `queue.stop()` ends it. */
export async function startWorker(services: Services): Promise<void> {
  countFromZero(services.metrics);
  services.queue.work(
    (name, job) => handle(services, name, job),
    (name, job, run) => continuing(job.data, `job ${name}`, () => tellEnd(services, name, job, run)),
  );
  await startScheduler(services);
}

/** Prometheus sees no increase in a counter that appears with its first count, so an alert would miss that one. */
function countFromZero({ jobRuns, jobsHeld }: Services['metrics']): void {
  for (const job of Object.keys(catalogue)) jobRuns.inc({ job, outcome: 'given up' }, 0);
  for (const job of scheduledJobs) jobsHeld.inc({ job }, 0);
}

async function handle<Name extends JobName>(services: Services, name: Name, job: Job): Promise<void> {
  const { log, metrics, db, clock, queue } = services;
  const measured = metrics.jobDuration.startTimer({ job: name });
  const run = createRun({ log, metrics, stopping: queue.stopping }, name, {
    id: job.id,
    ...optionsOf(job.data),
  });
  try {
    const payload = catalogue[name].payload.parse(job.data) as Payload<Name>;
    if (scheduleOf(name) !== undefined) await recordRun(db, name, clock.now());
    await onAccountOf(runAsOrigin(name, job.id), () => handlers[name](services, payload, run));
    if (run.signal.aborted && scheduleOf(name) !== undefined) throw new Error('was stopped before its end');
  } finally {
    run.end();
    measured();
  }
}

/** Counts and logs how a run ends, also one whose handler still waits for something when its time is over. */
async function tellEnd(
  { metrics, outages, log, queue }: Services,
  name: JobName,
  job: Job,
  run: () => Promise<void>,
): Promise<void> {
  const subject = `job ${name}`;
  try {
    await run();
    metrics.jobRuns.inc({ job: name, outcome: 'done' });
    outages.worked(subject);
  } catch (error) {
    if (queue.stopping.aborted) {
      log.info({ err: error, job: name, run_id: job.id }, STOPPED);
      throw error;
    }
    const last = job.retryCount >= job.retryLimit;
    metrics.jobRuns.inc({ job: name, outcome: last ? 'given up' : 'failed' });
    const told = { err: error, job: name, run_id: job.id, tries: job.retryCount + 1 };
    if (last) outages.failed(subject, told, GIVEN_UP, 'error');
    else outages.failed(subject, told, FAILED);
    throw error;
  }
}

/** The options of a scheduled run; other jobs have none. */
function optionsOf(data: object): Partial<RunOptions> {
  const approved = 'approved' in data && typeof data.approved === 'string' ? data.approved : undefined;
  const isSet = (option: keyof RunOptions) => Reflect.get(data, option) === true;
  return { force: isSet('force'), asked: isSet('asked'), approved };
}

/**
 * The changes that a run of the job would make now; undefined when the job has no dry run.
 *
 * @throws DomainError `service_stopping` when the process stops meanwhile
 */
export async function dryRun(services: Services, name: JobName): Promise<readonly Change[] | undefined> {
  const { stopping } = services.queue;
  const run = createRun({ ...services, stopping }, name, { id: randomUUID(), asked: true, dryRun: true });
  try {
    const changes = await dryRuns[name]?.(services, run);
    if (!stopping.aborted) return changes;
  } catch (error) {
    if (!stopping.aborted) throw error;
  } finally {
    run.end();
  }
  // A job that is told to end throws, or returns what it has so far: neither a crash nor the whole list (D8).
  throw new DomainError('service_stopping', 'The service is stopping.', { retryAfter: 5 });
}
