import { inTransaction } from '../server/database/transaction.ts';
import { noticeLogout } from '../server/oidc/logout-notice.ts';
import type { Payload } from '../server/queue/catalogue.ts';
import type { Run } from '../server/queue/run.ts';
import type { Services } from '../server/services/services.ts';

/** Tries after the first one: the last comes about two and a half hours later. */
const MOST = 10;

/** Tells an application that a session is over; what fails in passing is tried again for some hours (D84). */
export async function sendLogout(
  { queue, ...services }: Services,
  payload: Payload<'send-logout'>,
  run: Pick<Run, 'id'>,
): Promise<void> {
  const { attempt } = payload;
  if ((await noticeLogout(services, payload)) === 'done' || attempt === MOST) return;
  await inTransaction(services.db, async (tx) => {
    if (!(await queue.finish(tx, 'send-logout', run.id))) return;
    // 5 s at first, doubling; who is told for the first time comes first.
    const options = { startIn: Math.min(5 * 2 ** attempt, 3600), priority: -1 };
    await queue.send(tx, 'send-logout', { ...payload, attempt: attempt + 1 }, options);
  });
}
