import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { deliverEvent } from '../../server/sign-in/call-application.ts';
import { letIn } from '../fixtures/registry.ts';
import { makeToken, uuidOf } from '../fixtures/users.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { type Receiver, startReceiver } from '../harness/receiver.ts';

const MEMBER = 2_112_000_049;

/** Hosts of this machine or its network in every spelling; a receiver listens on `PORT`. */
const PRIVATE_HOSTS = [
  '127.0.0.1',
  '127.9.9.9',
  '127.1',
  '2130706433',
  '0x7f000001',
  '0177.0.0.1',
  '127.0.0.1.',
  '0.0.0.0',
  '10.1.2.3',
  '172.16.0.1',
  '192.168.1.1',
  '169.254.169.254',
  '100.64.0.1',
  '100.127.255.254',
  '255.255.255.255',
  '224.0.0.1',
  '168.63.129.16',
  '100.100.100.200',
  '192.0.0.192',
  '198.18.0.1',
  '203.0.113.1',
  '[fd00:ec2::254]',
  '[::ffff:168.63.129.16]',
  '[64:ff9b::a9fe:a9fe]',
  '[::1]',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[::ffff:10.0.0.1]',
  '[::127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b:1::a00:1]',
  '[2002:7f00:1::]',
  '[2001:0:7f00:1::]',
  '[fe80::1]',
  '[fec0::1]',
  '[fc00::1]',
  '[fd12:3456::1]',
  '[ff02::1]',
  'localhost',
  'LOCALHOST',
] as const;

describe('D29: callbacks to addresses that are not public', () => {
  let app: TestApp;
  let receiver: Receiver;

  beforeAll(async () => {
    app = await startTestApp({ env: { CALLBACK_ALLOW_PRIVATE: 'false' } });
    receiver = await startReceiver();
    await letIn(app, { corporations: [98_000_011] });
    // Inserted directly, as after a sign-in through an app token that was made when the host was allowed.
    await app.signIn(MEMBER, { dyn: (await makeToken(app, 'dyn', 0, uuidOf(app.root))).jwt });
  });
  beforeEach(() => {
    receiver.received.length = 0;
  });
  afterAll(async () => {
    await app.stop();
    await receiver.stop();
  });

  const urlOf = (host: string) => `http://${host}:${receiver.port}/in`;

  it.each(PRIVATE_HOSTS)('%s is refused when the token is made', async (host) => {
    for (const create of ['createDynamic', 'createPermanent'] as const) {
      const answer = await app.client(app.root).token[create]({ body: { callback: urlOf(host) } });
      expect(answer.status).toBe(422);
      expect(answer.body).toMatchObject({ detail: [{ loc: ['body', 'callback'] }] });
    }
    const made = await app.db
      .selectFrom('tokens')
      .select('uuid')
      .where('callback', '=', urlOf(host))
      .execute();
    expect(made).toEqual([]);
  });

  it.each(PRIVATE_HOSTS)('%s is refused when the call is made, without a retry', async (host) => {
    const app_token = await makeToken(app, 'dyn', 0, uuidOf(app.root));
    await app.db
      .updateTable('tokens')
      .set({ callback: urlOf(host) })
      .where('uuid', '=', app_token.uuid)
      .execute();
    const { uuid } = await makeToken(app, 'use', MEMBER, app_token.uuid);
    const before = app.logged.length;
    expect(await deliverEvent(app.app.services, uuid, 'code')).toBe('done');
    expect(receiver.received).toEqual([]);
    expect(JSON.parse(app.logged[before] ?? '{}')).toMatchObject({
      token: uuid,
      reason: 'The URL leads to an address that is not public.',
      again: false,
    });
  });

  it.each(['8.8.8.8', '[2606:4700::1111]', 'does-not-resolve.invalid'])(
    '%s may be a callback',
    async (host) => {
      const { status } = await app
        .client(app.root)
        .token.createDynamic({ body: { callback: `https://${host}/in` } });
      expect(status).toBe(200);
    },
  );

  it('a name that does not resolve when the call is made is tried again', async () => {
    const app_token = await makeToken(app, 'dyn', 0, uuidOf(app.root));
    await app.db
      .updateTable('tokens')
      .set({ callback: 'http://does-not-resolve.invalid/in' })
      .where('uuid', '=', app_token.uuid)
      .execute();
    const { uuid } = await makeToken(app, 'use', MEMBER, app_token.uuid);
    expect(await deliverEvent(app.app.services, uuid, 'code')).toBe('again');
  });
});

describe('D29: CALLBACK_ALLOW_PRIVATE=true', () => {
  it('lets an application on this machine be called, by address and by name', async () => {
    const app = await startTestApp({ env: { CALLBACK_ALLOW_PRIVATE: 'true' } });
    const receiver = await startReceiver();
    await letIn(app, { corporations: [98_000_011] });
    for (const host of ['127.0.0.1', 'localhost']) {
      const dyn = await app.dynamicToken(`http://${host}:${receiver.port}/in`);
      const { token } = await app.signIn(MEMBER, { dyn });
      expect(await deliverEvent(app.app.services, uuidOf(token), 'code')).toBe('done');
    }
    expect(receiver.received).toHaveLength(2);
    await app.stop();
    await receiver.stop();
  });
});

describe('D93: webhooks lead to public addresses alone', () => {
  let app: TestApp;
  let receiver: Receiver;

  beforeAll(async () => {
    app = await startTestApp({ env: { CALLBACK_ALLOW_PRIVATE: 'false' }, worker: true });
    receiver = await startReceiver();
  });
  afterAll(async () => {
    await app.stop();
    await receiver.stop();
  });

  it('D93: refused when they are made or changed, whatever the spelling', async () => {
    const { webhook } = app.client(app.root);
    const made = await webhook.create({ body: { url: 'https://8.8.8.8/in', types: ['crash.*'] } });
    if (made.status !== 200) throw new Error(`${made.status}`);
    for (const host of PRIVATE_HOSTS) {
      const url = `http://${host}:${receiver.port}/in`;
      const params = { webhook_id: made.body.webhook_id };
      for (const answer of [
        await webhook.create({ body: { url, types: ['crash.*'] } }),
        await webhook.update({ params, body: { url } }),
      ]) {
        expect(answer, host).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', 'url'] }] } });
      }
    }
  });

  it('D93: refused when they are called, with a visible fault', async () => {
    const { webhook } = app.client(app.root);
    const made = await webhook.create({ body: { url: 'https://8.8.8.8/in', types: ['crash.*'] } });
    if (made.status !== 200) throw new Error(`${made.status}`);
    const { webhook_id } = made.body;
    for (const host of ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]']) {
      const url = `http://${host}:${receiver.port}/in`;
      await app.db.updateTable('webhooks').set({ url }).where('webhook_id', '=', webhook_id).execute();
      const sent = await webhook.test({ params: { webhook_id } });
      if (sent.status !== 200) throw new Error(`${sent.status}`);
      const { delivery_id } = sent.body;
      await expect
        .poll(async () => {
          const { body } = await webhook.listDeliveries({ params: { webhook_id } });
          return Array.isArray(body) && body.find((delivery) => delivery.delivery_id === delivery_id);
        })
        .toMatchObject({ state: 'failed', fault: 'The URL leads to an address that is not public.' });
    }
    expect(receiver.received).toEqual([]);
  });
});
