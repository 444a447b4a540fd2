import { inTransaction } from '../server/database/transaction.ts';
import type { JobName, Payload } from '../server/queue/job-catalogue.ts';
import type { Run } from '../server/queue/run.ts';
import type { Services } from '../server/services/services.ts';

/** Seconds before the next attempt: 5, doubling up to the longest. */
export function backoff(attempt: number, longest: number): number {
  return Math.min(5 * 2 ** attempt, longest);
}

/**
 * Ends a run and enqueues the next attempt in `startIn` seconds. In one transaction: if the worker died in between, the
 * job would be retried twice, each time with further retries. First attempts have priority over retries.
 */
export async function retryLater<Name extends JobName>(
  { db, queue }: Pick<Services, 'db' | 'queue'>,
  name: Name,
  run: Pick<Run, 'id'>,
  next: Payload<Name>,
  startIn: number,
): Promise<void> {
  await inTransaction(db, async (tx) => {
    if (!(await queue.finish(tx, name, run.id))) return;
    await queue.send(tx, name, next, { startIn, priority: -1 });
  });
}
