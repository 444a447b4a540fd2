import type { Payload } from '../server/queue/job-catalogue.ts';
import type { Run } from '../server/queue/run.ts';
import type { Services } from '../server/services/services.ts';
import { deliverEvent } from '../server/sign-in/call-application.ts';
import { backoff, retryLater } from './retry-later.ts';

/** Maximum seconds between two attempts. */
const LONGEST = 600;

/** Calls the application's callback; temporary failures are retried until the token has expired (D29). */
export async function deliverSignIn(
  services: Services,
  payload: Payload<'deliver-sign-in'>,
  run: Pick<Run, 'id'>,
): Promise<void> {
  const { token, state_code, attempt } = payload;
  if ((await deliverEvent(services, token, state_code)) === 'done') return;
  const next = { ...payload, attempt: attempt + 1 };
  await retryLater(services, 'deliver-sign-in', run, next, backoff(attempt, LONGEST));
}
