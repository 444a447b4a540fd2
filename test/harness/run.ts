import { randomUUID } from 'node:crypto';
import type { Run } from '../../server/run.ts';

/** A run as a worker would begin it. */
export function testRun(job: string, options: Partial<Omit<Run, 'job'>> = {}): Run {
  return {
    job,
    id: randomUUID(),
    force: false,
    dryRun: false,
    signal: new AbortController().signal,
    progress: () => undefined,
    ...options,
  };
}
