import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Target } from '../../contract/event.ts';
import { DELIVERY_QUOTA, REPLAY_COST, RETRIES } from '../../contract/webhook.ts';
import { runMaintenance } from '../../jobs/maintenance.ts';
import { ok } from '../../sdk/src/index.ts';
import { inTransaction } from '../../server/database/transaction.ts';
import { recordEvents } from '../../server/event/record.ts';
import type { Sealing } from '../../server/event/sealing.ts';
import { createVault } from '../../server/keys/vault.ts';
import { CLAIMED_FOR, listDeliveries } from '../../server/webhook/delivery.queries.ts';
import { startDispatch } from '../../server/webhook/dispatch.ts';
import { secretBinding } from '../../server/webhook/secret.ts';
import { findUnreadable, reencryptSecrets } from '../../server/webhook/secret-keys.ts';
import { take } from '../../server/webhook/take.ts';
import { findWebhook } from '../../server/webhook/webhook.queries.ts';
import { allEvents, allSealed } from '../fixtures/events.ts';
import { addHome, addMember, makeToken, uuidOf } from '../fixtures/users.ts';
import { addGroup, addWebhook, arrivals, isSignedBy, messageOf, pass } from '../fixtures/webhooks.ts';
import { type Client, startTestApp, type TestApp } from '../harness/app.ts';
import { type Receiver, startReceiver } from '../harness/receiver.ts';
import { rowsRead } from '../harness/rows-read.ts';
import { testRun } from '../harness/run.ts';

let app: TestApp;
let root: Client;
const receivers: Receiver[] = [];
let made = 0;
const unique = () => `Delivered ${++made}`;

beforeAll(async () => {
  app = await startTestApp({ worker: true });
  root = app.client(app.root);
  await addHome(app);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await app.db.deleteFrom('webhooks').execute();
  await Promise.all(receivers.splice(0).map((receiver) => receiver.stop()));
});
afterAll(() => app.stop());

async function receive(answer: Receiver['answer'] = 204): Promise<Receiver> {
  const receiver = await startReceiver();
  receiver.answer = answer;
  receivers.push(receiver);
  return receiver;
}

/** Its URL by another host, which is the same machine. */
function elsewhere({ callback }: Receiver): string {
  return callback.replace('127.0.0.1', 'localhost');
}

/** So many events as of new groups, by one statement. */
async function groupsCreated(count: number, targets: readonly Target[] = []): Promise<void> {
  const event = { type: 'group.created' as const, targets };
  await recordEvents(app.db, Array(count).fill(event), app.clock.now());
  await allSealed(app.db);
}

async function deliveriesOf(webhook_id: string, state?: 'waiting') {
  const query = { ...(state && { state }) };
  const answer = await root.webhook.listDeliveries({ params: { webhook_id }, query });
  if (answer.status !== 200) throw new Error(`${answer.status}`);
  return answer.body;
}

async function standing(webhook_id: string) {
  const answer = await root.webhook.get({ params: { webhook_id } });
  if (answer.status !== 200) throw new Error(`${answer.status}`);
  return answer.body;
}

/** Waits until the only delivery of the webhook had this number of tries, and is in this state. */
async function tried(webhook_id: string, tries: number, state = 'waiting') {
  let last: Awaited<ReturnType<typeof deliveriesOf>>[number] | undefined;
  const only = async () => {
    [last] = await deliveriesOf(webhook_id);
    return last;
  };
  await expect.poll(only, { timeout: 60_000 }).toMatchObject({ tries, state });
  if (last === undefined) throw new Error('there is no delivery');
  return last;
}

describe('D93: what is delivered', () => {
  it('D93: the secret is only in the answer of POST, not in lists, log or events, and stored encrypted', async () => {
    const receiver = await receive();
    const created = await addWebhook(app, receiver);
    expect(created.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const list = await root.webhook.list();
    expect(list.body).toMatchObject([{ webhook_id: created.webhook_id, url: receiver.callback }]);
    const row = await app.db.selectFrom('webhooks').selectAll().executeTakeFirstOrThrow();
    const texts = [
      JSON.stringify(list.body),
      JSON.stringify(await allEvents(app.db)),
      ...app.logged,
      row.secret.toString('latin1'),
    ];
    const [, bare = ''] = created.secret.split('_');
    for (const text of texts) expect(text).not.toContain(bare);
  });

  it('D93: deliveries have webhook-id, webhook-timestamp and a signature of the body {type, timestamp, data}', async () => {
    const receiver = await receive();
    const { secret, webhook_id } = await addWebhook(app, receiver, { types: ['group.created'] });
    const id = await addGroup(app, unique());
    const [delivery] = await arrivals(receiver, 1);
    if (delivery === undefined) throw new Error('nothing came');
    expect(delivery).toMatchObject({
      method: 'POST',
      url: new URL(receiver.callback).pathname + new URL(receiver.callback).search,
    });
    expect(isSignedBy(secret, delivery)).toBe(true);
    expect(isSignedBy(secret, { ...delivery, body: delivery.body.replace('}', ' }') })).toBe(false);
    expect(delivery.headers['webhook-signature']).toMatch(/^v1,[^ ]+$/);
    expect(delivery.headers['webhook-timestamp']).toBe(String(Math.floor(app.clock.now().getTime() / 1000)));
    const event = (await allEvents(app.db)).find(({ targets }) => targets[0]?.id === id);
    expect(delivery.headers['webhook-id']).toBe(event?.event_id);
    expect(messageOf(delivery)).toEqual({
      type: 'group.created',
      timestamp: event?.occurred_on,
      data: { ...event, context: event?.context },
    });
    await tried(webhook_id, 1, 'delivered');
  });

  it('D93: group.* selects all events about groups, group_ids those about some groups', async () => {
    const all = await receive();
    const some = await receive();
    const [one, other] = [await addGroup(app, unique()), await addGroup(app, unique())];
    await addWebhook(app, all);
    await addWebhook(app, some, { group_ids: [other] });
    await root.group.update({ params: { group_id: one }, body: { description: 'first' } });
    await root.coalition.create({ body: { coalition_name: unique(), ticker: 'D' } });
    await root.group.update({ params: { group_id: other }, body: { description: 'second' } });
    const targets = (await arrivals(all, 2)).map((delivery) => messageOf(delivery).data);
    expect(targets).toMatchObject([{ targets: [{ id: one }] }, { targets: [{ id: other }] }]);
    expect((await arrivals(some, 1)).map((delivery) => messageOf(delivery).data)).toMatchObject([
      { targets: [{ id: other }] },
    ]);
  });

  it('D93: a webhook can be changed by what it shows, though a group of it was deleted, and selects no more by that', async () => {
    const receiver = await receive();
    const [gone, kept] = [await addGroup(app, unique()), await addGroup(app, unique())];
    const { webhook_id } = await addWebhook(app, receiver, {
      group_ids: [gone, kept],
      types: ['group.updated'],
    });
    const params = { webhook_id };
    await root.group.delete({ params: { group_id: gone } });
    const { group_ids, url } = await standing(webhook_id);
    const changed = await root.webhook.update({ params, body: { url: `${url}&more`, group_ids } });
    expect(changed).toMatchObject({ status: 200, body: { group_ids: [gone, kept].sort() } });
    const stranger = await root.webhook.update({ params, body: { group_ids: [gone, kept, 'd'.repeat(24)] } });
    expect(stranger).toMatchObject({
      status: 404,
      body: { detail: expect.stringContaining('d'.repeat(24)) },
    });
    const other = await addGroup(app, unique());
    for (const group_id of [other, kept])
      await root.group.update({ params: { group_id }, body: { description: 'Changed' } });
    const [first] = await arrivals(receiver, 1);
    expect(first && messageOf(first).data).toMatchObject({ targets: [{ id: kept }] });
  });

  it('D93: unknown types and groups are refused', async () => {
    const { callback: url } = await receive();
    const wrong = await root.webhook.create({ body: { url, types: ['group.exploded'] } });
    expect(wrong).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', 'types', 0] }] } });
    const missing = await root.webhook.create({
      body: { url, types: ['*'], group_ids: ['ab'.repeat(12)] },
    });
    expect(missing).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });
});

describe('D93: success and retries', () => {
  it.each([301, 302, 307, 400, 404, 500])('D93: only 2xx succeeds: %s is tried again', async (status) => {
    const elsewhere = await receive();
    const receiver = await receive((response) =>
      response.writeHead(status, { location: elsewhere.callback }).end(),
    );
    const { webhook_id } = await addWebhook(app, receiver, { types: ['group.created'] });
    await addGroup(app, unique());
    const delivery = await tried(webhook_id, 1);
    expect(delivery).toMatchObject({ status, fault: null });
    // Redirects are not followed.
    expect(elsewhere.received).toEqual([]);
  });

  it('D93: retries at 5 s, 5 min, 30 min, 2, 5, 10, 14, 20, 24 h, with the same id; then it is disabled, and that is to be seen', async () => {
    const receiver = await receive(500);
    const { webhook_id } = await addWebhook(app, receiver, { types: ['group.created'] });
    await addGroup(app, unique());
    expect(RETRIES.map((seconds) => seconds / 60)).toEqual([1 / 12, 5, 30, 120, 300, 600, 840, 1200, 1440]);
    for (const [n, pause] of RETRIES.entries()) {
      const { tried_on, next_try_on } = await tried(webhook_id, n + 1);
      const seconds = (Date.parse(next_try_on ?? '') - Date.parse(tried_on ?? '')) / 1000;
      expect(seconds).toBeGreaterThanOrEqual(pause);
      expect(seconds).toBeLessThanOrEqual(pause * 1.1 + 0.001);
      await pass(app, Math.ceil(seconds) + 60);
    }
    await tried(webhook_id, RETRIES.length + 1, 'failed');
    expect(await standing(webhook_id)).toMatchObject({
      enabled: false,
      disabled_because: 'undeliverable',
      failures: RETRIES.length + 1,
    });
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(receiver.received).toHaveLength(RETRIES.length + 1);
    expect((await allEvents(app.db)).at(-1)).toMatchObject({
      type: 'webhook.updated',
      targets: [{ type: 'webhook', id: webhook_id, name: new URL(receiver.callback).origin }],
      changes: [{ field: 'disabled_because', before: null, after: 'undeliverable' }],
    });
    // Events while it is disabled are delivered when it is enabled, together with what failed.
    await addGroup(app, unique());
    receiver.answer = 204;
    receiver.received.length = 0;
    await root.webhook.update({ params: { webhook_id }, body: { enabled: true } });
    await arrivals(receiver, 2);
    await expect.poll(() => standing(webhook_id)).toMatchObject({ waiting: 0, failures: 0, enabled: true });
  });

  it('D93: 410 disables at once', async () => {
    const receiver = await receive(410);
    const { webhook_id } = await addWebhook(app, receiver);
    await addGroup(app, unique());
    await expect.poll(() => standing(webhook_id)).toMatchObject({ enabled: false, disabled_because: 'gone' });
  });

  it('D93: Retry-After counts if it is longer, and nothing else is sent meanwhile', async () => {
    const receiver = await receive((response) => response.writeHead(429, { 'retry-after': '120' }).end());
    const { webhook_id } = await addWebhook(app, receiver, { types: ['group.created'] });
    await addGroup(app, unique());
    const delivery = await tried(webhook_id, 1);
    expect(Date.parse(delivery.next_try_on ?? '') - Date.parse(delivery.tried_on ?? '')).toBe(120_000);
    await addGroup(app, unique());
    await pass(app, 60);
    const position = (await standing(webhook_id)).position;
    expect(receiver.received).toHaveLength(1);
    receiver.answer = 204;
    await pass(app, 61);
    await arrivals(receiver, 3);
    expect((await standing(webhook_id)).position).toBeGreaterThan(position);
  });

  it('D93: a date as Retry-After is when the next try is, however long the answer took', async () => {
    const held: ServerResponse[] = [];
    const receiver = await receive((response) => void held.push(response));
    const { webhook_id } = await addWebhook(app, receiver, { types: ['group.created'] });
    await addGroup(app, unique());
    await arrivals(receiver, 1);
    app.clock.advance(9_000);
    const date = new Date(app.clock.now().getTime() + 120_000).toUTCString();
    held.shift()?.writeHead(503, { 'retry-after': date }).end();
    expect(Date.parse((await tried(webhook_id, 1)).next_try_on ?? '')).toBe(Date.parse(date));
  });

  it('D93: a new URL at another host does not wait for the pause that the former receiver asked for', async () => {
    const receiver = await receive((response) => response.writeHead(503, { 'retry-after': '7200' }).end());
    const { webhook_id } = await addWebhook(app, receiver, { types: ['group.created'] });
    await addGroup(app, unique());
    await tried(webhook_id, 1);
    const present = await receive();
    await ok(root.webhook.update({ params: { webhook_id }, body: { url: elsewhere(present) } }));
    expect(await standing(webhook_id)).toMatchObject({ failures: 0 });
    await addGroup(app, unique());
    await arrivals(present, 1);
  });

  it('D93: a new URL is sent at once what waits for its next try at the former one, ordered or not', async () => {
    for (const ordered of [false, true]) {
      const receiver = await receive(500);
      const body = { types: ['group.created' as const], ordered };
      const { webhook_id } = await addWebhook(app, receiver, body);
      const groups = [await addGroup(app, unique())];
      await tried(webhook_id, 1);
      await pass(app, 10);
      await tried(webhook_id, 2);
      const present = await receive();
      await root.webhook.update({ params: { webhook_id }, body: { url: present.callback } });
      groups.push(await addGroup(app, unique()));
      const came = (await arrivals(present, 2)).map((delivery) => messageOf(delivery).data);
      expect(came.map((data) => ('targets' in data ? data.targets[0]?.id : '')).sort()).toEqual(
        groups.sort(),
      );
      await expect.poll(() => standing(webhook_id)).toMatchObject({ waiting: 0 });
      await root.webhook.delete({ params: { webhook_id } });
    }
  });

  it('D93: a new URL is sent at once, with all tries left, what is due there within seconds, or was held up', async () => {
    const [former, pausing] = await Promise.all([
      receive(500),
      receive((response, count) =>
        (count === 1 ? response.writeHead(500) : response.writeHead(503, { 'retry-after': '7200' })).end(),
      ),
    ]);
    const { webhook_id } = await addWebhook(app, former, { types: ['group.created'] });
    const to = (url: string) => ok(root.webhook.update({ params: { webhook_id }, body: { url } }));
    await addGroup(app, unique());
    await tried(webhook_id, 1);
    const present = await receive();
    await to(present.callback);
    await arrivals(present, 1);
    await tried(webhook_id, 1, 'delivered');
    await to(elsewhere(pausing));
    for (const _ of ['will be due', 'asks for a pause']) {
      await pass(app, 1);
      await addGroup(app, unique());
      await tried(webhook_id, 1);
    }
    await pass(app, 10);
    await to(present.callback);
    await arrivals(present, 3);
    await expect.poll(() => standing(webhook_id)).toMatchObject({ waiting: 0 });
    expect((await deliveriesOf(webhook_id)).map(({ tries }) => tries)).toEqual([1, 1, 1]);
  });

  it('D93: a 410 that comes after the URL was changed does not count: the event is sent to the new URL', async () => {
    const held: ServerResponse[] = [];
    const former = await receive((response) => void held.push(response));
    const { webhook_id } = await addWebhook(app, former, { types: ['group.created'] });
    await addGroup(app, unique());
    const [first] = await arrivals(former, 1);
    const present = await receive();
    await root.webhook.update({ params: { webhook_id }, body: { url: present.callback } });
    held.shift()?.writeHead(410).end();
    const [again] = await arrivals(present, 1);
    expect(again?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
    await tried(webhook_id, 1, 'delivered');
    expect(await standing(webhook_id)).toMatchObject({ enabled: true, failures: 0, waiting: 0 });
  });

  it('D93: a retry that is asked for during the last try is not undone by its failure', async () => {
    const held: ServerResponse[] = [];
    const receiver = await receive((response, count) => {
      if (count > RETRIES.length) held.push(response);
      else response.writeHead(500).end();
    });
    const { webhook_id } = await addWebhook(app, receiver, { types: ['group.created'] });
    await addGroup(app, unique());
    for (const [n, pause] of RETRIES.entries()) {
      await tried(webhook_id, n + 1);
      await pass(app, pause * 1.1 + 60);
    }
    await arrivals(receiver, RETRIES.length + 1);
    const [{ delivery_id } = { delivery_id: '' }] = await deliveriesOf(webhook_id);
    await root.webhook.retry({ params: { webhook_id, delivery_id } });
    receiver.answer = 204;
    held.shift()?.writeHead(500).end();
    await expect.poll(() => standing(webhook_id)).toMatchObject({ failures: RETRIES.length + 1 });
    expect(await standing(webhook_id)).toMatchObject({ enabled: true });
    await pass(app, 6);
    await tried(webhook_id, 1, 'delivered');
  });

  it('D93: an endless answer is aborted, and its status counts', async () => {
    const receiver = await receive((response) => {
      response.writeHead(200);
      const pour = () => {
        if (response.destroyed) return;
        response.write(Buffer.alloc(65_536));
        setImmediate(pour);
      };
      pour();
    });
    const { webhook_id } = await addWebhook(app, receiver, { types: ['group.created'] });
    await addGroup(app, unique());
    await tried(webhook_id, 1, 'delivered');
  });

  it('D93: a receiver that hangs does not delay others', async () => {
    const hanging = await receive(() => undefined);
    const well = await receive();
    await addWebhook(app, hanging);
    await addWebhook(app, well);
    for (let n = 0; n < 5; n += 1) await addGroup(app, unique());
    await arrivals(well, 10);
    await expect.poll(() => hanging.received.length).toBeGreaterThan(0);
  });

  it('D93: webhooks whose deletion takes minutes do not delay others, and lose nothing if it fails', async () => {
    const receiver = await receive();
    const types = ['group.created'];
    const locked = await Promise.all(Array.from({ length: 4 }, () => addWebhook(app, receiver, { types })));
    const free = await receive();
    await addWebhook(app, free, { types });
    const ids = locked.map(({ webhook_id }) => webhook_id);
    await inTransaction(app.db, async (tx) => {
      await tx.deleteFrom('webhooks').where('webhook_id', 'in', ids).execute();
      await groupsCreated(1);
      await arrivals(free, 1);
      // It failed.
      throw new Error('as asked');
    }).catch((error: Error) => expect(error.message).toBe('as asked'));
    await arrivals(receiver, 4);
    for (const id of ids) await tried(id, 1, 'delivered');
  });

  it('D93: receivers that hang, however many, leave others their share, and occupy about 512 connections', async () => {
    const hanging = await receive(() => undefined);
    const held: ServerResponse[] = [];
    // Answers eight at a time, and so never if it gets one at a time.
    const well = await receive((response) => {
      held.push(response);
      if (held.length === 8) for (const each of held.splice(0)) each.writeHead(204).end();
    });
    const others = 18;
    for (let n = 0; n < others; n += 1) await addWebhook(app, hanging, { types: ['group.created'] });
    await addWebhook(app, well, { types: ['group.created'] });
    await groupsCreated(40);
    await arrivals(well, 40);
    const share = Math.floor(512 / (others + 1));
    await expect.poll(() => hanging.received.length).toBeGreaterThanOrEqual(others * share);
    expect(hanging.received.length).toBeLessThan(512 + others);
  });

  it('D93: ordered: true waits for the previous delivery, whether it succeeds or fails', async () => {
    const receiver = await receive((response, count) => response.writeHead(count === 1 ? 500 : 204).end());
    const { webhook_id } = await addWebhook(app, receiver, { types: ['group.created'], ordered: true });
    const ids: string[] = [];
    for (let n = 0; n < 5; n += 1) ids.push(await addGroup(app, unique()));
    await expect.poll(() => standing(webhook_id)).toMatchObject({ failures: 1 });
    expect(receiver.received).toHaveLength(1);
    await pass(app, 6);
    const came = (await arrivals(receiver, 6)).map((delivery) => messageOf(delivery).data);
    expect(came.map((data) => ('targets' in data ? data.targets[0]?.id : ''))).toEqual([ids[0], ...ids]);
  });
});

describe('D93: operations on deliveries', () => {
  it('D93: rotate: for a day deliveries have two signatures, then only the new one', async () => {
    const receiver = await receive();
    const { webhook_id, secret: former } = await addWebhook(app, receiver, { types: ['group.created'] });
    const answer = await root.webhook.rotate({ params: { webhook_id } });
    if (answer.status !== 200) throw new Error(`${answer.status}`);
    const { secret, former_until } = answer.body;
    expect(Date.parse(former_until) - app.clock.now().getTime()).toBe(86_400_000);
    await addGroup(app, unique());
    const [first] = await arrivals(receiver, 1);
    if (first === undefined) throw new Error('nothing came');
    expect(isSignedBy(former, first)).toBe(true);
    expect(isSignedBy(secret, first)).toBe(true);
    app.clock.advance(86_400_001);
    await addGroup(app, unique());
    const second = (await arrivals(receiver, 2))[1];
    if (second === undefined) throw new Error('nothing came');
    expect(isSignedBy(former, second)).toBe(false);
    expect(isSignedBy(secret, second)).toBe(true);
  });

  it('D93: test sends one delivery, once, to a disabled webhook too', async () => {
    const receiver = await receive(500);
    const { webhook_id } = await addWebhook(app, receiver);
    await root.webhook.update({ params: { webhook_id }, body: { enabled: false } });
    await addGroup(app, unique());
    const answer = await root.webhook.test({ params: { webhook_id } });
    expect(answer).toMatchObject({ status: 200, body: { type: 'webhook.test', position: null } });
    await tried(webhook_id, 1, 'failed');
    expect(receiver.received).toHaveLength(1);
    expect(receiver.received.map(messageOf)).toMatchObject([{ type: 'webhook.test', data: { webhook_id } }]);
    expect(await standing(webhook_id)).toMatchObject({ disabled_because: 'asked', failures: 0 });
  });

  it('D93: retry delivers again at once, under the same id', async () => {
    const receiver = await receive();
    const { webhook_id } = await addWebhook(app, receiver, { types: ['group.created'] });
    await addGroup(app, unique());
    const { delivery_id } = await tried(webhook_id, 1, 'delivered');
    const answer = await root.webhook.retry({ params: { webhook_id, delivery_id } });
    expect(answer).toMatchObject({ status: 200, body: { state: 'waiting' } });
    const came = await arrivals(receiver, 2);
    expect(came.map(({ headers }) => headers['webhook-id'])).toEqual([delivery_id, delivery_id]);
    const other = await root.webhook.retry({ params: { webhook_id, delivery_id: webhookless } });
    expect(other.status).toBe(404);
  });
  const webhookless = '01920f3e-8a4c-7d21-9b3f-2c5e8a7d4f10';

  it('D93: replay delivers every event after a position again, at most 30 days back', async () => {
    const receiver = await receive();
    const { webhook_id, position } = await addWebhook(app, receiver, { types: ['group.created'] });
    for (let n = 0; n < 3; n += 1) await addGroup(app, unique());
    const ids = (await arrivals(receiver, 3)).map(({ headers }) => headers['webhook-id']);
    await expect.poll(() => standing(webhook_id)).toMatchObject({ waiting: 0 });
    const replayed = await root.webhook.replay({ params: { webhook_id }, body: { after: position } });
    expect(replayed).toMatchObject({ status: 200 });
    // The cursor of the feed is text.
    const unread = { params: { webhook_id }, body: { after: 'one' } } as const;
    expect((await root.webhook.replay(unread)).status).toBe(422);
    const again = (await arrivals(receiver, 6)).slice(3).map(({ headers }) => headers['webhook-id']);
    expect(again.sort()).toEqual(ids.sort());
    const beyond = await root.webhook.replay({ params: { webhook_id }, body: { after: '1000000' } });
    expect(beyond).toMatchObject({ status: 410, body: { code: 'resync' } });
    app.clock.advance(31 * 86_400_000);
    const old = await root.webhook.replay({ params: { webhook_id }, body: { after: position } });
    expect(old).toMatchObject({ status: 410, body: { code: 'resync' } });
  });

  it('D93: webhooks have events, without the path of the URL', async () => {
    const receiver = await receive();
    const { webhook_id } = await addWebhook(app, receiver);
    await root.webhook.update({ params: { webhook_id }, body: { types: ['user.*'] } });
    await root.webhook.delete({ params: { webhook_id } });
    const told = (await allEvents(app.db)).filter(({ targets }) => targets[0]?.id === webhook_id);
    expect(told).toMatchObject([
      { type: 'webhook.created' },
      { type: 'webhook.updated', changes: [{ field: 'types', before: ['group.*'], after: ['user.*'] }] },
      {
        type: 'webhook.deleted',
        changes: expect.arrayContaining([{ field: 'types', before: ['user.*'], after: null }]),
      },
    ]);
    expect(JSON.stringify(told)).not.toContain('signed-in');
    expect((await root.webhook.get({ params: { webhook_id } })).status).toBe(404);
  });
});

describe('D93: what an application is sent', () => {
  it('D93: a dynamic one gets the events caused by it and by the tokens made with it, and no others', async () => {
    const receiver = await receive();
    const dyn = await makeToken(app, 'dyn', 0, uuidOf(app.root));
    const user = await makeToken(app, 'use', 0, dyn.uuid);
    await addWebhook(app, receiver, { types: ['*'] }, dyn.jwt);
    await addGroup(app, unique());
    const own = await addGroup(app, unique(), user.jwt);
    // Including the event of the webhook itself.
    const came = (await arrivals(receiver, 3)).map(messageOf);
    expect(came.map(({ type }) => type).sort()).toEqual([
      'group.created',
      'group.members_changed',
      'webhook.created',
    ]);
    for (const { type, data } of came) {
      expect(data).toMatchObject({
        actor: { app_token: dyn.uuid, token: null },
        context: null,
        targets: type.startsWith('group.') ? [{ id: own }] : [],
      });
    }
  });

  it('D93: the webhook of an owner that lost its rights is disabled, and delivers nothing more', async () => {
    const receiver = await receive();
    const { webhook_id } = await addWebhook(app, receiver);
    await app.db.insertInto('users').values(outsider).execute();
    await app.db.updateTable('webhooks').set({ app_token: null, owner_id: outsider.character_id }).execute();
    await addGroup(app, unique());
    await expect.poll(() => standing(webhook_id)).toMatchObject({ disabled_because: 'not_allowed' });
    expect(receiver.received).toEqual([]);
  });
  const outsider = {
    character_id: 2_151_000_001,
    character_name: 'Nobody Much',
    name_key: 'nobody much',
    clearance_level: 9,
  };

  it('D93: the webhook of an owner that became a guest is disabled, as it may no longer read events', async () => {
    const { id } = await addMember(app, 2_151_000_002, 0);
    const { jwt } = await makeToken(app, 'per', id, uuidOf(app.root));
    const receiver = await receive();
    const { webhook_id } = await addWebhook(app, receiver, {}, jwt);
    await app.db.updateTable('users').set({ clearance_level: -1 }).where('character_id', '=', id).execute();
    await addGroup(app, unique());
    await expect.poll(() => standing(webhook_id)).toMatchObject({ disabled_because: 'not_allowed' });
  });

  it('D93: every operation on another application’s webhook is a 404', async () => {
    const receiver = await receive();
    const { webhook_id } = await addWebhook(app, receiver);
    const mine = app.client((await makeToken(app, 'dyn', 0, uuidOf(app.root))).jwt).webhook;
    const params = { webhook_id };
    expect((await mine.list()).body).toEqual([]);
    const answers = await Promise.all([
      mine.get({ params }),
      mine.update({ params, body: { enabled: false } }),
      mine.delete({ params }),
      mine.rotate({ params }),
      mine.test({ params }),
      mine.listDeliveries({ params }),
      mine.retry({ params: { ...params, delivery_id: '01920f3e-8a4c-7d21-9b3f-2c5e8a7d4f10' } }),
      mine.replay({ params, body: { after: 0 } }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 404));
    expect(await standing(webhook_id)).toMatchObject({ enabled: true });
  });

  it('D93: an application can have 20 webhooks', async () => {
    const { callback: url } = await receive();
    const client = app.client((await makeToken(app, 'dyn', 0, uuidOf(app.root))).jwt);
    for (let n = 0; n < 20; n += 1) {
      expect((await client.webhook.create({ body: { url, types: ['crash.*'] } })).status).toBe(200);
    }
    expect(await client.webhook.create({ body: { url, types: ['crash.*'] } })).toMatchObject({
      status: 409,
      body: { code: 'too_many_webhooks' },
    });
  });
});

describe('D61, D93: encryption keys', () => {
  const other = createVault([{ id: 'other', key: randomBytes(32) }]);
  const storedSecret = (webhook_id: string) =>
    app.db
      .selectFrom('webhooks')
      .select(['secret', 'former_secret'])
      .where('webhook_id', '=', webhook_id)
      .executeTakeFirstOrThrow();

  it('D93: the job maintenance encrypts secrets of former keys with the current one', async () => {
    const receiver = await receive();
    const { webhook_id, secret } = await addWebhook(app, receiver);
    const [key, former] = [randomBytes(32), randomBytes(32)];
    const binding = secretBinding(webhook_id);
    const encrypted = createVault([{ id: 'former', key: former }]).encrypt(secret, binding);
    await app.db.updateTable('webhooks').set({ secret: encrypted }).execute();
    const vault = createVault([
      { id: 'present', key },
      { id: 'former', key: former },
    ]);
    await runMaintenance({ ...app.app.services, vault }, testRun('maintenance'));
    const present = createVault([{ id: 'present', key }]);
    expect(present.decrypt((await storedSecret(webhook_id)).secret, binding)).toBe(secret);
    expect(await findUnreadable({ ...app.app.services, vault: present })).toEqual([]);
    expect(other.canDecrypt((await storedSecret(webhook_id)).secret, binding)).toBe(false);
  });

  it('D93: the former secret too, so that deliveries have two signatures for a day though the former key is removed', async () => {
    const { services } = app.app;
    const receiver = await receive();
    const { webhook_id, secret: before } = await addWebhook(app, receiver, { types: ['group.created'] });
    const former = { id: 'former', key: randomBytes(32) };
    const secret = createVault([former]).encrypt(before, secretBinding(webhook_id));
    await app.db.updateTable('webhooks').set({ secret }).execute();
    await ok(root.webhook.rotate({ params: { webhook_id } }));
    // Until it is encrypted anew, a start would miss its key.
    expect(await findUnreadable(services)).toEqual([webhook_id]);
    const vault = createVault([...services.settings.encryptionKeys, former]);
    expect(await reencryptSecrets({ ...services, vault })).toBe(1);
    expect(await findUnreadable(services)).toEqual([]);
    expect(services.vault.isCurrent((await storedSecret(webhook_id)).former_secret as Buffer)).toBe(true);
    await addGroup(app, unique());
    const [first] = await arrivals(receiver, 1);
    if (first === undefined) throw new Error('nothing came');
    expect(isSignedBy(before, first)).toBe(true);
  });

  it('D93: a process without the key of a secret leaves the deliveries to others, says so once, and disables nothing', async () => {
    const [receiver, well] = [await receive(), await receive()];
    const added = await addWebhook(app, receiver, { types: ['group.created'] });
    await addWebhook(app, well, { types: ['group.created'] });
    const { webhook_id } = added;
    const secret = other.encrypt(added.secret, secretBinding(webhook_id));
    await app.db.updateTable('webhooks').set({ secret }).where('webhook_id', '=', webhook_id).execute();
    await addGroup(app, unique());
    await arrivals(well, 1);
    // A second process without the key, which no event wakes: it searches again when it did something, or in a minute.
    let searches = 0;
    const still: Pick<Sealing, 'changed' | 'ending'> = {
      ending: false,
      changed: (signal) => {
        searches += 1;
        return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
      },
    };
    const leftOut = startDispatch({ ...app.app.services, events: { ...app.app.services.events, ...still } });
    for (let n = 2; n <= 4; n += 1) {
      await addGroup(app, unique());
      await arrivals(well, n);
    }
    // As if the key had changed between the search and the claim.
    expect(await take(app.app.services, webhook_id, 10)).toBeUndefined();
    expect(receiver.received).toEqual([]);
    expect(await standing(webhook_id)).toMatchObject({ enabled: true, disabled_because: null });
    const lines = app.logged.filter((line) => line.includes('ENCRYPTION_KEYS') && line.includes(webhook_id));
    // One of each process, and one more if all this took over a minute.
    expect(lines.length).toBeLessThanOrEqual(3);
    expect(JSON.parse(lines[0] ?? '{}')).toMatchObject({ level: 'warn', webhook_id });
    expect(lines.join()).not.toContain(added.secret);
    await leftOut.close();
    expect(searches).toBeLessThanOrEqual(3);
    const inTime = startDispatch({ ...app.app.services, vault: other });
    await arrivals(receiver, 4);
    await inTime.close();
    expect(await deliveriesOf(webhook_id)).toMatchObject(
      Array(4).fill({ state: 'delivered', tries: 1, fault: null }),
    );
  });
});

describe('D93: processes whose clocks differ', () => {
  it('D93: leave alone what another one has claimed', async () => {
    const { webhook_id, ...added } = await addWebhook(app, await receive(), { types: ['group.created'] });
    const vault = createVault([{ id: 'unlike', key: randomBytes(32) }]);
    // So that the worker of this test leaves it alone.
    const secret = vault.encrypt(added.secret, secretBinding(webhook_id));
    await app.db.updateTable('webhooks').set({ secret }).where('webhook_id', '=', webhook_id).execute();
    await groupsCreated(2);
    const claimed = async (ahead: number) => {
      const clock = { now: () => new Date(Date.now() + ahead), real: true } as const;
      const taken = await take({ ...app.app.services, vault, clock }, webhook_id, 1);
      return taken?.parcels.map(({ delivery_id }) => delivery_id) ?? [];
    };
    const [first, ...others] = await claimed(0);
    expect([first, others]).toEqual([expect.any(String), []]);
    const second = await claimed(90_000);
    expect(second).toEqual([expect.any(String)]);
    expect(second).not.toContain(first);
    expect(await claimed(90_000)).toEqual([]);
  });
});

describe('D90: the audit of webhooks', () => {
  it('D90: a change of only the path of the URL is an event, which does not contain the path', async () => {
    const receiver = await receive();
    const { webhook_id } = await addWebhook(app, receiver);
    const url = `${receiver.callback}/elsewhere`;
    expect((await root.webhook.update({ params: { webhook_id }, body: { url } })).status).toBe(200);
    const event = (await allEvents(app.db)).filter(({ type }) => type === 'webhook.updated').at(-1);
    expect(event).toMatchObject({ reason: 'Its URL is another one.', changes: [] });
    expect(JSON.stringify(event)).not.toContain('elsewhere');
  });
});

describe('D93: claimed deliveries', () => {
  interface Held {
    readonly ordered?: boolean;
    readonly token?: string;
    readonly targets?: readonly Target[];
  }

  /**
   * So many claimed deliveries to a receiver that does not answer: 32 are under way, of an ordered webhook one, and the
   * others wait behind them.
   */
  async function inHand(count: number, { ordered = false, token, targets }: Held = {}) {
    const held: ServerResponse[] = [];
    const receiver = await receive((response) => void held.push(response));
    const body = { types: ['group.created' as const], ordered };
    const { webhook_id, secret } = await addWebhook(app, receiver, body, token);
    await groupsCreated(count, targets);
    await arrivals(receiver, ordered ? 1 : 32);
    await expect.poll(() => standing(webhook_id)).toMatchObject({ waiting: count });
    const { until } = await app.db
      .selectFrom('webhook_deliveries')
      .select(({ fn }) => fn.max('next_try_on').as('until'))
      .executeTakeFirstOrThrow();
    app.clock.advance(1_000);
    const nextTries = (compared: '<' | '>') => async () =>
      (
        await app.db
          .selectFrom('webhook_deliveries')
          .select('delivery_id')
          .where('next_try_on', compared, until)
          .execute()
      ).length;
    const answerAll = () => {
      receiver.answer = 204;
      for (const response of held.splice(0)) response.writeHead(204).end();
    };
    /** After which another one is begun, before the result of this one is stored. */
    const answerOne = () => void held.shift()?.writeHead(204).end();
    const counts = { takenAnew: nextTries('>'), putBack: nextTries('<') };
    return { receiver, webhook_id, secret, answerOne, answerAll, ...counts };
  }

  it('D93: are sent to a new URL, except those already being sent', async () => {
    const { receiver, webhook_id, answerAll, takenAnew } = await inHand(40);
    const present = await receive();
    await root.webhook.update({ params: { webhook_id }, body: { url: present.callback } });
    await expect.poll(takenAnew).toBe(8);
    answerAll();
    await arrivals(present, 8);
    expect(receiver.received).toHaveLength(32);
  });

  it.each([false, true])(
    'D93: are sent to a new URL after the next answer, however many they are (ordered: %s)',
    async (ordered) => {
      const { receiver, webhook_id, answerOne, answerAll, takenAnew, putBack } = await inHand(200, {
        ordered,
      });
      const present = await receive();
      await ok(root.webhook.update({ params: { webhook_id }, body: { url: present.callback } }));
      const former = ordered ? 2 : 33;
      answerOne();
      // An ordered webhook claims nothing while one is under way.
      await expect.poll(ordered ? putBack : takenAnew).toBe(200 - former);
      answerAll();
      await arrivals(present, 200 - former);
      expect(receiver.received).toHaveLength(former);
    },
  );

  it('D93: are signed with a new secret, too, after the next answer', async () => {
    const { receiver, webhook_id, secret, answerOne, answerAll, putBack } = await inHand(5, {
      ordered: true,
    });
    const rotated = await ok(root.webhook.rotate({ params: { webhook_id } }));
    answerOne();
    await expect.poll(putBack).toBe(3);
    answerAll();
    const came = (await arrivals(receiver, 5)).slice(2);
    for (const one of [secret, rotated.secret])
      expect(came.map((delivery) => isSignedBy(one, delivery))).toEqual([true, true, true]);
  });

  it.each([
    ['was demoted', { clearance_level: 0 }, 'withheld', null],
    ['may not log in any more', { corporation_id: null }, 'waiting', 'not_allowed'],
  ])('D93: are not sent when their owner %s, after the next answer', async (_, change, left, because) => {
    const { id } = await addMember(app, 2_151_000_100 + ++made, 7);
    const { jwt } = await makeToken(app, 'per', id);
    const targets = [{ type: 'user' as const, id: '2151000003', name: 'Somebody' }];
    const claimed = await inHand(5, { ordered: true, token: jwt, targets });
    const { receiver, webhook_id, answerOne, answerAll, putBack } = claimed;
    await app.db.updateTable('users').set(change).where('character_id', '=', id).execute();
    answerOne();
    await expect.poll(putBack).toBe(3);
    answerAll();
    const states = async () => (await deliveriesOf(webhook_id)).map(({ state, fault }) => fault ?? state);
    await expect.poll(states).toEqual([left, left, left, 'delivered', 'delivered']);
    await expect.poll(() => standing(webhook_id)).toMatchObject({ disabled_because: because });
    expect(receiver.received).toHaveLength(2);
  });

  it('D93: that waited too long to be sent are claimed again before their claim expires', async () => {
    const { receiver, answerAll } = await inHand(5, { ordered: true });
    const now = performance.now.bind(performance);
    vi.spyOn(performance, 'now').mockImplementation(() => now() + CLAIMED_FOR);
    answerAll();
    await arrivals(receiver, 5);
  });

  it('D93: of an ordered webhook are left to the process that begins with a replay', async () => {
    const other = startDispatch(app.app.services);
    const { receiver, webhook_id, answerOne, answerAll } = await inHand(20, { ordered: true });
    const [{ position } = { position: 0 }] = (await deliveriesOf(webhook_id)).slice(-1);
    await ok(root.webhook.replay({ params: { webhook_id }, body: { after: Number(position) - 1 } }));
    await arrivals(receiver, 2);
    // The first process sends one more in place of the first, whose result then shows in its new delivery.
    answerOne();
    await arrivals(receiver, 3);
    const delivered = async () =>
      (await deliveriesOf(webhook_id)).filter(({ state }) => state === 'delivered');
    await expect.poll(delivered).toHaveLength(1);
    answerAll();
    await expect.poll(() => standing(webhook_id)).toMatchObject({ waiting: 0 });
    await other.close();
    expect(receiver.received).toHaveLength(22);
  });

  it('D93: are released when the webhook is disabled, after the next answer', async () => {
    const { receiver, webhook_id, answerOne, answerAll, putBack } = await inHand(40);
    await root.webhook.update({ params: { webhook_id }, body: { enabled: false } });
    answerOne();
    await expect.poll(putBack).toBe(7);
    answerAll();
    await expect
      .poll(async () => (await deliveriesOf(webhook_id)).filter(({ state }) => state === 'delivered').length)
      .toBe(33);
    // One was sent in place of the first, before its result was stored.
    expect(receiver.received).toHaveLength(33);
  });
});

describe('D93: deliveries that have ended, of a month', () => {
  it('D93: are not read for those that wait, neither to count nor to list them', async () => {
    const { webhook_id } = await addWebhook(app, await receive(), { types: ['crash.*'] });
    const later = new Date(app.clock.now().getTime() + 86_400_000);
    await sql`
      insert into webhook_deliveries (webhook_id, delivery_id, type, position, state, next_try_on)
      select ${webhook_id}, gen_random_uuid(), 'group.created', case when n > 1 then n end,
        case when n <= 3 then 'waiting' else 'delivered' end, case when n <= 3 then ${later}::timestamptz end
      from generate_series(1, 5000) n`.execute(app.db);
    await sql`analyze webhook_deliveries`.execute(app.db);
    const counted = await rowsRead(app.db, 'webhook_deliveries', (db) => findWebhook(db, webhook_id, 'all'));
    expect(counted.found?.waiting).toBe(3);
    expect(counted.read).toBeLessThan(20);
    const page = { state: 'waiting', after: undefined, limit: 2 } as const;
    const listed = await rowsRead(app.db, 'webhook_deliveries', (db) => listDeliveries(db, webhook_id, page));
    const all = (await deliveriesOf(webhook_id, 'waiting')).map(({ delivery_id }) => delivery_id);
    expect(all).toEqual([...all].sort().reverse());
    expect(listed.found.map(({ delivery_id }) => delivery_id)).toEqual(all.slice(0, 2));
    expect(listed.read).toBeLessThan(20);
  });
});

describe('D93: test deliveries', () => {
  it('D71: a full page of deliveries has no X-Next if it is the last one', async () => {
    const { webhook_id } = await addWebhook(app, await receive());
    const params = { webhook_id };
    for (let n = 0; n < 2; n += 1) expect((await root.webhook.test({ params })).status).toBe(200);
    const ids = (await deliveriesOf(webhook_id)).map(({ delivery_id }) => delivery_id);
    const page = async (limit: number, after?: string) => {
      const query = { limit, ...(after !== undefined && { after }) };
      const { headers } = await root.webhook.listDeliveries({ params, query });
      return headers.get('x-next');
    };
    expect([ids.length, await page(2)]).toEqual([2, null]);
    expect([await page(1), await page(1, ids[0])]).toEqual([ids[0], null]);
  });

  it('D93: of those that wait for a hanging receiver the ten newest stay', async () => {
    const receiver = await receive(() => undefined);
    const { webhook_id } = await addWebhook(app, receiver);
    for (let n = 0; n < 15; n += 1) {
      if (n === 10) app.clock.advance(60_001);
      expect((await root.webhook.test({ params: { webhook_id } })).status).toBe(200);
    }
    expect((await deliveriesOf(webhook_id)).filter(({ state }) => state === 'waiting').length).toBe(10);
  });
});

describe('D93: turns', () => {
  /** A webhook to which nothing is sent by itself, of a new application. */
  async function quiet() {
    const { callback: url } = await receive();
    const { webhook } = app.client((await makeToken(app, 'dyn', 0, uuidOf(app.root))).jwt);
    const create = () => ok(webhook.create({ body: { url, types: ['crash.*'] } }));
    return { ...(await create()), webhook, create };
  }
  const asMany = async (count: number, ask: (n: number) => Promise<{ readonly status: number }>) => {
    const answers: number[] = [];
    for (let n = 0; n < count; n += 1) answers.push((await ask(n)).status);
    return answers;
  };
  const times = (count: number, status: number) => Array<number>(count).fill(status);

  it('D93: a webhook can have 30 tests and retries in a minute', async () => {
    const receiver = await receive();
    const { webhook_id } = await addWebhook(app, receiver);
    const test = () => root.webhook.test({ params: { webhook_id } });
    const statuses = (await Promise.all(Array.from({ length: 32 }, test))).map(({ status }) => status);
    expect(statuses.sort()).toEqual([...Array(30).fill(200), 429, 429]);
    const [{ delivery_id } = { delivery_id: '' }] = await deliveriesOf(webhook_id);
    const retry = () => root.webhook.retry({ params: { webhook_id, delivery_id } });
    const refused = await retry();
    expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
    const seconds = Number(refused.headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(60);
    app.clock.advance(60_001);
    expect((await retry()).status).toBe(200);
  });

  it('D93: attack: all webhooks of an application 100, though it deletes them and makes others', async () => {
    const { callback: url } = await receive();
    const client = app.client((await makeToken(app, 'dyn', 0, uuidOf(app.root))).jwt);
    const answers: number[] = [];
    for (let n = 0; n < 4; n += 1) {
      const params = await ok(client.webhook.create({ body: { url, types: ['crash.*'] } }));
      const test = () => client.webhook.test({ params });
      answers.push(...(await Promise.all(Array.from({ length: 26 }, test))).map(({ status }) => status));
      await ok(client.webhook.delete({ params }));
    }
    expect(answers.sort()).toEqual([...Array(100).fill(200), ...Array(4).fill(429)]);
  });

  it('D93: a webhook can have 30 new URLs in a minute; other changes, and what changes nothing, are free', async () => {
    const { url, webhook_id, webhook } = await quiet();
    const params = { webhook_id };
    const to = (n: number) => webhook.update({ params, body: { url: `${url}&${n}` } });
    expect(await asMany(DELIVERY_QUOTA.each, to)).toEqual(times(DELIVERY_QUOTA.each, 200));
    const refused = await to(DELIVERY_QUOTA.each);
    expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
    expect((await webhook.test({ params })).status).toBe(429);
    const present = `${url}&${DELIVERY_QUOTA.each - 1}`;
    const free = await webhook.update({ params, body: { url: present, ordered: true } });
    expect(free).toMatchObject({ status: 200, body: { url: present, ordered: true } });
    app.clock.advance(60_001);
    expect((await to(DELIVERY_QUOTA.each)).status).toBe(200);
  });

  it('D93: a webhook can be enabled again 30 times in a minute, and disabled at any time', async () => {
    const { webhook_id, webhook } = await quiet();
    const toggle = (n: number) => webhook.update({ params: { webhook_id }, body: { enabled: n % 2 === 1 } });
    const answers = await asMany(2 * DELIVERY_QUOTA.each + 2, toggle);
    expect(answers).toEqual([...times(2 * DELIVERY_QUOTA.each + 1, 200), 429]);
  });

  it('D93: a replay takes five turns: six in a minute, and none where fewer are left, which stay', async () => {
    const { webhook_id, position, webhook } = await quiet();
    const params = { webhook_id };
    const replay = () => webhook.replay({ params, body: { after: position } });
    expect(await asMany(6, replay)).toEqual(times(6, 200));
    const events = async () =>
      (await allEvents(app.db)).filter(({ targets }) => targets[0]?.id === webhook_id).length;
    const told = await events();
    const refused = await replay();
    expect(refused).toMatchObject({
      status: 429,
      body: { code: 'rate_limited', detail: expect.stringContaining('a replay takes 5') },
    });
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(await events()).toBe(told);
    app.clock.advance(60_001);
    const left = REPLAY_COST - 1;
    const test = () => webhook.test({ params });
    const used = await asMany(DELIVERY_QUOTA.each - left, test);
    expect([...used, (await replay()).status]).toEqual([...times(DELIVERY_QUOTA.each - left, 200), 429]);
    expect(await asMany(left + 1, test)).toEqual([...times(left, 200), 429]);
  });

  it('D93: attack: all webhooks of an application twenty replays, though it deletes them and makes others', async () => {
    const { position: after, webhook, create } = await quiet();
    const answers = await asMany(DELIVERY_QUOTA.all / REPLAY_COST + 1, async () => {
      const params = await create();
      const answer = await webhook.replay({ params, body: { after } });
      await ok(webhook.delete({ params }));
      return answer;
    });
    expect(answers).toEqual([...times(DELIVERY_QUOTA.all / REPLAY_COST, 200), 429]);
  });
});
