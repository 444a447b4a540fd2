import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import type { Run } from '../../server/queue/run.ts';

/** A run of a job as a worker starts it. */
export function testRun(job: string, options: Partial<Omit<Run, 'job'>> = {}): Run {
  const { signal } = new AbortController();
  setMaxListeners(0, signal);
  return {
    job,
    id: randomUUID(),
    force: false,
    asked: false,
    dryRun: false,
    signal,
    timeLeft: () => 1,
    progress: () => undefined,
    ...options,
  };
}
