import { USUAL_LIMIT } from '../../contract/paging.ts';
import { REPLAY_COST, type WebhookDelivery } from '../../contract/webhook.ts';
import type { Admission } from '../access/admission.ts';
import type { Caller } from '../access/caller.queries.ts';
import { sharedTime } from '../database/clock.queries.ts';
import { inTransaction } from '../database/transaction.ts';
import { eventIds } from '../event/event-id.ts';
import { requireKept } from '../event/feed-retention.ts';
import { readFeed } from '../event/read.queries.ts';
import { announceEvents } from '../event/seal.queries.ts';
import type { Services } from '../services/services.ts';
import { notFound } from '../shared/domain-error.ts';
import { pageOf, placeIn, uuidIn } from '../shared/paging.ts';
import {
  type DeliveryRow,
  deleteOldestTests,
  forgetWaiting,
  insertTest,
  listDeliveries,
  renewDelivery,
} from './delivery.queries.ts';
import { requireQuota } from './quota.ts';
import { recordWebhookUpdated } from './record-changes.ts';
import { lockReached } from './rights.ts';
import { setWebhook } from './webhook.queries.ts';
import { getWebhook } from './webhook.ts';

/** Type of test deliveries, which contain no event. */
const TEST = 'webhook.test';

function toDelivery(row: DeliveryRow): WebhookDelivery {
  return {
    ...row,
    next_try_on: row.next_try_on?.toISOString() ?? null,
    tried_on: row.tried_on?.toISOString() ?? null,
    created_on: row.created_on.toISOString(),
  };
}

interface DeliveryQuery {
  readonly state?: WebhookDelivery['state'] | undefined;
  readonly limit?: number | undefined;
  readonly after?: string | undefined;
}

/** A page of a webhook's deliveries, latest event first, and the cursor of the next page (D93). */
export async function getDeliveries(
  { db }: Pick<Services, 'db'>,
  caller: Caller,
  webhookId: string,
  { state, limit = USUAL_LIMIT, after }: DeliveryQuery,
): Promise<{ readonly deliveries: WebhookDelivery[]; readonly next: string | undefined }> {
  const place = placeIn(after, uuidIn);
  await getWebhook({ db }, caller, webhookId);
  const found = await listDeliveries(db, webhookId, { state, after: place, limit: limit + 1 });
  const { rows, next } = pageOf(found, limit, ({ delivery_id }) => delivery_id);
  return { deliveries: rows.map(toDelivery), next };
}

/** Maximum number of waiting test deliveries of one webhook: new ones replace the oldest. */
const MOST_TESTS = 10;

/** Queues a test delivery, which is tried once, whether or not the webhook is enabled. */
export async function sendTest(
  { db, clock }: Pick<Services, 'db' | 'clock'>,
  admission: Admission,
  webhookId: string,
): Promise<WebhookDelivery> {
  return inTransaction(db, async (tx) => {
    const { webhook } = await lockReached(tx, admission, webhookId);
    const now = await sharedTime(tx, clock);
    await requireQuota(tx, webhook, now);
    const [delivery_id = ''] = eventIds(1, now);
    const row = await insertTest(tx, { webhook_id: webhookId, delivery_id, type: TEST, now });
    await deleteOldestTests(tx, webhookId, MOST_TESTS);
    await announceEvents(tx, 'webhook');
    return toDelivery(row);
  });
}

/** Makes a delivery due now, with all its tries left, and ends a pause of the webhook. */
export async function retryDelivery(
  { db, clock }: Pick<Services, 'db' | 'clock'>,
  admission: Admission,
  webhookId: string,
  deliveryId: string,
): Promise<WebhookDelivery> {
  return inTransaction(db, async (tx) => {
    const { webhook } = await lockReached(tx, admission, webhookId);
    const now = await sharedTime(tx, clock);
    await requireQuota(tx, webhook, now);
    const row = await renewDelivery(tx, webhookId, deliveryId, now);
    if (row === undefined) throw notFound('delivery', deliveryId);
    await setWebhook(tx, webhookId, { paused_until: null });
    await announceEvents(tx, 'webhook');
    return toDelivery(row);
  });
}

/**
 * Sets the webhook back to a position, so that all events after it are delivered again; as far back as the feed (D92).
 * Never ahead, which would leave out the events that it has not taken up yet. The receiver goes on being paused, if it
 * asked for that: a retry ends the pause.
 */
export async function replay(
  { db, clock }: Pick<Services, 'db' | 'clock'>,
  admission: Admission,
  webhookId: string,
  after: number,
) {
  return inTransaction(db, async (tx) => {
    const { caller, webhook: before } = await lockReached(tx, admission, webhookId);
    await requireQuota(tx, before, await sharedTime(tx, clock), REPLAY_COST);
    const now = clock.now();
    requireKept(after, await readFeed(tx, 'all', { after, types: [], limit: 1, most: 1 }), now);
    await forgetWaiting(tx, webhookId, after);
    const position = Math.min(after, before.position);
    await setWebhook(tx, webhookId, { position, updated_on: now });
    await recordWebhookUpdated(tx, before, { position }, now, 'Its events are delivered again.');
    return getWebhook({ db: tx }, caller, webhookId);
  });
}
