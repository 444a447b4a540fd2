import { inTransaction } from '../server/database/transaction.ts';
import type { Payload } from '../server/queue/catalogue.ts';
import type { Run } from '../server/queue/run.ts';
import type { Services } from '../server/services/services.ts';
import { deliverEvent } from '../server/sign-in/event.ts';

/** Seconds before the next try: 5 s at first, doubling up to 10 minutes. */
function pause(attempt: number): number {
  return Math.min(5 * 2 ** attempt, 600);
}

/** Calls the application's callback; what fails in passing is tried again until the token is gone (D29). */
export async function deliverSignIn(
  { queue, ...services }: Services,
  payload: Payload<'deliver-sign-in'>,
  run: Pick<Run, 'id'>,
): Promise<void> {
  const outcome = await deliverEvent(services, payload.token, payload.state_code);
  if (outcome === 'done') return;
  await inTransaction(services.db, async (tx) => {
    // Together, or a worker that dies in between leaves two tries, each to be followed by others.
    if (!(await queue.finish(tx, 'deliver-sign-in', run.id))) return;
    await queue.send(
      tx,
      'deliver-sign-in',
      { ...payload, attempt: payload.attempt + 1 },
      // Who is called for the first time comes before those that failed already.
      { startIn: pause(payload.attempt), priority: -1 },
    );
  });
}
