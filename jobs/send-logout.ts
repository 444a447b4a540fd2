import { noticeLogout } from '../server/oidc/logout-notice.ts';
import type { Payload } from '../server/queue/job-catalogue.ts';
import type { Run } from '../server/queue/run.ts';
import type { Services } from '../server/services/services.ts';
import { backoff, retryLater } from './retry-later.ts';

/** Retries after the first attempt; the last is almost an hour and a half later. */
const MOST = 10;
/** Maximum seconds between two attempts. */
const LONGEST = 3600;

/** Notifies an application that a session has ended; temporary failures are retried for more than an hour (D84). */
export async function sendLogout(
  services: Services,
  payload: Payload<'send-logout'>,
  run: Pick<Run, 'id'>,
): Promise<void> {
  const { attempt } = payload;
  if ((await noticeLogout(services, payload)) === 'done' || attempt === MOST) return;
  const next = { ...payload, attempt: attempt + 1 };
  await retryLater(services, 'send-logout', run, next, backoff(attempt, LONGEST));
}
