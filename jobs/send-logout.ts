import { inTransaction } from '../server/database/transaction.ts';
import { noticeLogout } from '../server/oidc/logout-notice.ts';
import type { Payload } from '../server/queue/job-catalogue.ts';
import type { Run } from '../server/queue/run.ts';
import type { Services } from '../server/services/services.ts';

/** Retries after the first attempt; the last is almost an hour and a half later. */
const MOST = 10;

/** Notifies an application that a session has ended; temporary failures are retried for more than an hour (D84). */
export async function sendLogout(
  { queue, ...services }: Services,
  payload: Payload<'send-logout'>,
  run: Pick<Run, 'id'>,
): Promise<void> {
  const { attempt } = payload;
  if ((await noticeLogout(services, payload)) === 'done' || attempt === MOST) return;
  await inTransaction(services.db, async (tx) => {
    if (!(await queue.finish(tx, 'send-logout', run.id))) return;
    // Backoff: 5 s, doubling up to an hour. First attempts have priority over retries.
    const options = { startIn: Math.min(5 * 2 ** attempt, 3600), priority: -1 };
    await queue.send(tx, 'send-logout', { ...payload, attempt: attempt + 1 }, options);
  });
}
