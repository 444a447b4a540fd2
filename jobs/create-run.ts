import { setMaxListeners } from 'node:events';
import { catalogue, type JobName } from '../server/queue/job-catalogue.ts';
import type { Run } from '../server/queue/run.ts';
import type { Services } from '../server/services/services.ts';

/** Milliseconds between two log lines about a run's progress. */
const TELL_EVERY = 10_000;
/** Share of its time limit after which a run is aborted, so that it ends before the queue's timeout. */
const END_AT = 0.9;

/** A run with a function that releases its timers and listeners, and ends its metrics. */
export interface EndableRun extends Run {
  end(): void;
}

/** Creates the run of a fetched job; progress is reported to the log, throttled, and to the metrics. */
export function createRun(
  { log, metrics, stopping }: Pick<Services, 'log' | 'metrics'> & { readonly stopping: AbortSignal },
  job: JobName,
  {
    id,
    force = false,
    asked = false,
    approved,
    dryRun = false,
  }: Pick<Run, 'id'> & Partial<Pick<Run, 'force' | 'asked' | 'approved' | 'dryRun'>>,
): EndableRun {
  const began = performance.now();
  let told = began;
  // Not AbortSignal.any: in Node 20 its result is kept in memory as long as `stopping`.
  const ending = new AbortController();
  setMaxListeners(0, ending.signal);
  const abort = () => ending.abort();
  const time = catalogue[job].timeLimit * 1000 * END_AT;
  const timer = setTimeout(abort, time).unref();
  stopping.addEventListener('abort', abort);
  if (stopping.aborted) abort();
  return {
    job,
    id,
    force,
    asked,
    approved,
    dryRun,
    signal: ending.signal,
    timeLeft: () => Math.max(0, 1 - (performance.now() - began) / time),
    progress(done, total) {
      metrics.jobProgress.set({ job, of: 'done' }, done);
      metrics.jobProgress.set({ job, of: 'total' }, total);
      const now = performance.now();
      if (now - told < TELL_EVERY || done === 0) return;
      told = now;
      const perSecond = done / ((now - began) / 1000);
      const secondsLeft = Math.max(0, Math.round((total - done) / perSecond));
      log.info(
        { job, run_id: id, done, total, per_second: Math.round(perSecond), seconds_left: secondsLeft },
        'progress of a job',
      );
    },
    end() {
      clearTimeout(timer);
      metrics.jobProgress.remove({ job, of: 'done' });
      metrics.jobProgress.remove({ job, of: 'total' });
      stopping.removeEventListener('abort', abort);
    },
  };
}
