import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ok } from '../../sdk/src/index.ts';
import { settle } from '../../server/webhook/settle.ts';
import { CLAIMED_FOR, type Parcel, take } from '../../server/webhook/take.ts';
import { allSealed } from '../fixtures/events.ts';
import { addHome, addMember, makeToken } from '../fixtures/users.ts';
import { addGroup, addWebhook } from '../fixtures/webhooks.ts';
import { type Client, startTestApp, type TestApp } from '../harness/app.ts';

/** Nothing is sent here: deliveries are claimed and settled as a worker does it, in whatever order. */
const HERE = { callback: 'http://127.0.0.1:9/in' };
const ELSEWHERE = { callback: 'http://127.0.0.1:9/elsewhere' };

let app: TestApp;
let root: Client;
let made = 0;

beforeAll(async () => {
  app = await startTestApp();
  root = app.client(app.root);
  await addHome(app);
});
afterEach(async () => {
  await app.db.deleteFrom('webhooks').execute();
});
afterAll(() => app.stop());

/** A webhook for new groups. */
async function webhookOf(token = app.root): Promise<string> {
  return (await addWebhook(app, HERE, { types: ['group.created'] }, token)).webhook_id;
}

async function newGroup(): Promise<void> {
  await addGroup(app, `Settled ${++made}`);
  await allSealed(app.db);
}

async function claimed(webhookId: string): Promise<readonly Parcel[]> {
  return (await take(app.app.services, webhookId, 100))?.parcels ?? [];
}

async function oneClaimed(webhookId: string): Promise<Parcel> {
  const [parcel, ...others] = await claimed(webhookId);
  if (parcel === undefined || others.length > 0) throw new Error('not exactly one was claimed');
  return parcel;
}

async function settled(webhookId: string, parcel: Parcel, status: number, at = HERE): Promise<void> {
  const outcome = {
    parcel,
    url: at.callback,
    on: app.clock.now(),
    status,
    fault: null,
    retryAfter: undefined,
  };
  await settle(app.app.services, webhookId, [outcome], []);
}

function deliveriesOf(webhook_id: string) {
  return ok(root.webhook.listDeliveries({ params: { webhook_id } }));
}

const retry = (webhook_id: string, { delivery_id }: Parcel) =>
  ok(root.webhook.retry({ params: { webhook_id, delivery_id } }));

describe('D93: an event that two webhooks deliver', () => {
  it('D93: is withheld from the one whose owner may not see it any more, and delivered by the other', async () => {
    const { id } = await addMember(app, 2_152_000_001, 7);
    const { jwt } = await makeToken(app, 'per', id);
    const [one, other] = [await webhookOf(jwt), await webhookOf()];
    await newGroup();
    const parcels = [await oneClaimed(one), await oneClaimed(other)] as const;
    expect(parcels[0].delivery_id).toBe(parcels[1].delivery_id);
    await app.db.updateTable('users').set({ clearance_level: 0 }).where('character_id', '=', id).execute();
    app.clock.advance(CLAIMED_FOR);
    expect(await claimed(one)).toEqual([]);
    expect(await deliveriesOf(one)).toMatchObject([{ state: 'failed', fault: 'withheld' }]);
    expect(await deliveriesOf(other)).toMatchObject([{ state: 'waiting', fault: null }]);
    // Nor is it tried again when the webhook is enabled anew: that means what failed on its way.
    for (const enabled of [false, true]) {
      await ok(app.client(jwt).webhook.update({ params: { webhook_id: one }, body: { enabled } }));
    }
    expect(await deliveriesOf(one)).toMatchObject([{ state: 'failed', fault: 'withheld' }]);
  });

  it('D93: is delivered again by the one that is asked to', async () => {
    const [one, other] = [await webhookOf(), await webhookOf()];
    await newGroup();
    for (const id of [one, other]) await settled(id, await oneClaimed(id), 204);
    const [delivery] = await deliveriesOf(one);
    await retry(one, delivery as unknown as Parcel);
    expect(await deliveriesOf(one)).toMatchObject([{ state: 'waiting' }]);
    expect(await deliveriesOf(other)).toMatchObject([{ state: 'delivered' }]);
  });
});

describe('D93: a delivery that waits', () => {
  it('D93: stays when the events after it are delivered again', async () => {
    const webhook_id = await webhookOf();
    await newGroup();
    const first = await oneClaimed(webhook_id);
    await settled(webhook_id, first, 500);
    await newGroup();
    await settled(webhook_id, await oneClaimed(webhook_id), 500);
    await ok(root.webhook.replay({ params: { webhook_id }, body: { after: Number(first.position) } }));
    expect(await deliveriesOf(webhook_id)).toMatchObject([{ delivery_id: first.delivery_id, tries: 1 }]);
  });

  it('D93: stays however many tests are asked for', async () => {
    const webhook_id = await webhookOf();
    await newGroup();
    const { delivery_id } = await oneClaimed(webhook_id);
    app.clock.advance(1000);
    for (let n = 0; n < 11; n += 1) await ok(root.webhook.test({ params: { webhook_id } }));
    const kept = await deliveriesOf(webhook_id);
    expect(kept.filter(({ type }) => type === 'webhook.test')).toHaveLength(10);
    expect(kept.filter(({ type }) => type !== 'webhook.test')).toMatchObject([{ delivery_id }]);
  });
});

describe('D93: the answer to a delivery', () => {
  it('D93: counts if it is a 2xx, though a retry was asked for meanwhile', async () => {
    const webhook_id = await webhookOf();
    await newGroup();
    await settled(webhook_id, await oneClaimed(webhook_id), 500);
    app.clock.advance(10_000);
    const again = await oneClaimed(webhook_id);
    await retry(webhook_id, again);
    await settled(webhook_id, again, 204);
    expect(await deliveriesOf(webhook_id)).toMatchObject([{ state: 'delivered' }]);
  });

  it('D93: counts if it is a 2xx, though the URL was changed meanwhile: it is sent to one of them', async () => {
    const webhook_id = await webhookOf();
    await newGroup();
    const parcel = await oneClaimed(webhook_id);
    await ok(root.webhook.update({ params: { webhook_id }, body: { url: ELSEWHERE.callback } }));
    await settled(webhook_id, parcel, 204);
    expect(await deliveriesOf(webhook_id)).toMatchObject([{ state: 'delivered' }]);
    expect(await claimed(webhook_id)).toEqual([]);
  });

  it('D93: that another process got in time stands, whatever becomes of this claim', async () => {
    const webhook_id = await webhookOf();
    await newGroup();
    const slow = await oneClaimed(webhook_id);
    app.clock.advance(CLAIMED_FOR);
    await settled(webhook_id, await oneClaimed(webhook_id), 204);
    await settle(app.app.services, webhook_id, [], [slow.delivery_id]);
    await settled(webhook_id, slow, 500);
    expect(await deliveriesOf(webhook_id)).toMatchObject([{ state: 'delivered', tries: 1, status: 204 }]);
  });
});
