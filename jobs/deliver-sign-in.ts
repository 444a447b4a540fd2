import { inTransaction } from '../server/database/transaction.ts';
import type { Payload } from '../server/queue/job-catalogue.ts';
import type { Run } from '../server/queue/run.ts';
import type { Services } from '../server/services/services.ts';
import { deliverEvent } from '../server/sign-in/call-application.ts';

/** Backoff in seconds before the next attempt: 5 s, doubling up to 10 minutes. */
function pause(attempt: number): number {
  return Math.min(5 * 2 ** attempt, 600);
}

/** Calls the application's callback; temporary failures are retried until the token has expired (D29). */
export async function deliverSignIn(
  { queue, ...services }: Services,
  payload: Payload<'deliver-sign-in'>,
  run: Pick<Run, 'id'>,
): Promise<void> {
  const outcome = await deliverEvent(services, payload.token, payload.state_code);
  if (outcome === 'done') return;
  await inTransaction(services.db, async (tx) => {
    // In one transaction: if the worker died in between, the job would be retried twice, each time with further
    // retries.
    if (!(await queue.finish(tx, 'deliver-sign-in', run.id))) return;
    await queue.send(
      tx,
      'deliver-sign-in',
      { ...payload, attempt: payload.attempt + 1 },
      // First attempts have priority over retries.
      { startIn: pause(payload.attempt), priority: -1 },
    );
  });
}
