import { randomUUID } from 'node:crypto';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { deliverSignIn } from '../../jobs/deliver-sign-in.ts';
import { deliverEvent } from '../../server/sign-in/call-application.ts';
import { letIn } from '../fixtures/registry.ts';
import { uuidOf } from '../fixtures/users.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { type Receiver, startReceiver } from '../harness/receiver.ts';
import { expectPage, startLogin, TITLES, trySignIn, userTokenOf } from '../harness/sign-in.ts';

const MEMBER = 2_112_000_049;
const DAY = 86_400_000;

interface Event {
  readonly token: string;
  readonly state_code: string;
  readonly attempt: number;
}

describe('D29: the sign-in event', () => {
  let app: TestApp;
  let receiver: Receiver;
  let dyn: string;

  beforeAll(async () => {
    app = await startTestApp();
    receiver = await startReceiver();
    dyn = await app.dynamicToken(receiver.callback);
    await letIn(app, { corporations: [98_000_011] });
  });
  beforeEach(async () => {
    receiver.answer = 204;
    receiver.received.length = 0;
    await app.app.services.queue.boss.clearStorage();
  });
  afterEach(() => vi.restoreAllMocks());
  afterAll(async () => {
    await app.stop();
    await receiver.stop();
  });

  /** The waiting jobs in the queue. */
  async function waiting(): Promise<{ data: Event; pause: number }[]> {
    const { rows } = await sql<{ data: Event; pause: number }>`
      select data, extract(epoch from start_after - created_on)::float as pause from pgboss.job
      where name = 'deliver-sign-in' and state = 'created' order by created_on`.execute(app.db);
    return rows;
  }
  /** Signs in; returns the user token and the waiting event. */
  async function signIn(token = dyn): Promise<{ userToken: string; event: Event }> {
    const userToken = userTokenOf(await trySignIn(app, { characterId: MEMBER }, { dyn: token }));
    const job = (await waiting()).find(({ data }) => data.token === uuidOf(userToken));
    if (job === undefined) throw new Error('no event waits');
    return { userToken, event: job.data };
  }
  /** Sends an event as a worker that has fetched its job. */
  async function deliver(event: Event): Promise<string> {
    const id = randomUUID();
    await sql`
      insert into pgboss.job (id, name, data, state)
      values (${id}, 'deliver-sign-in', ${JSON.stringify(event)}::jsonb, 'active')`.execute(app.db);
    await deliverSignIn(app.app.services, event, { id });
    return id;
  }

  it('is a GET of the app token’s callback with the header and both parameters', async () => {
    const { event, userToken } = await signIn();
    await deliver(event);
    expect(receiver.received).toHaveLength(1);
    const [{ method, url, query, headers } = fail()] = receiver.received;
    expect(method).toBe('GET');
    expect(headers['castellan-event']).toBe('sign-in');
    expect(url).toBe(`/signed-in?keep=%20this&state_code=${event.state_code}&user_token=${userToken}`);
    expect([...query.keys()]).toEqual(['keep', 'state_code', 'user_token']);
    expect(headers.authorization).toBeUndefined();
  });

  it('sends the same JWT as the redirect, signed again byte for byte, and it is accepted', async () => {
    const { event, userToken } = await signIn();
    const sign = vi.spyOn(app.app.services.keys, 'sign');
    await deliver(event);
    expect(sign).toHaveBeenCalledTimes(1);
    const sent = receiver.received[0]?.query.get('user_token') ?? '';
    expect(sent).toBe(userToken);
    expect((await app.client(sent).token.current()).status).toBe(200);
  });

  it('waits as a durable job whose payload holds ids only, no JWT', async () => {
    const { event, userToken } = await signIn();
    expect(event).toEqual({ token: uuidOf(userToken), state_code: expect.any(String), attempt: 0 });
    const { rows } = await sql<{ row: string }>`select job::text as row from pgboss.job`.execute(app.db);
    expect(rows.map(({ row }) => row).join()).not.toMatch(/eyJ/);
  });

  it('is written in the transaction that makes the token: rolled back with it, it is never sent', async () => {
    const { queue } = app.app.services;
    const send = queue.send.bind(queue);
    vi.spyOn(queue, 'send').mockImplementationOnce(async (...job) => {
      await send(...job);
      throw new Error('after the event was written');
    });
    const { login_url } = await startLogin(app, { dyn });
    const tokens = () => app.db.selectFrom('tokens').select('uuid').orderBy('uuid').execute();
    const before = await tokens();
    await expectPage(await app.browse(login_url, { characterId: MEMBER }), 500, TITLES.failure);
    expect(await waiting()).toEqual([]);
    expect(await tokens()).toEqual(before);
  });

  it('a sign-in that cannot write its event does not succeed', async () => {
    vi.spyOn(app.app.services.queue, 'send').mockRejectedValueOnce(new Error('the queue is broken'));
    const { login_url } = await startLogin(app, { dyn });
    await expectPage(await app.browse(login_url, { characterId: MEMBER }), 500, TITLES.failure);
    expect((await app.browse(login_url, { characterId: MEMBER })).status).toBe(302);
  });

  it('one event for one sign-in, none for a refused one', async () => {
    await trySignIn(app, { characterId: 2_112_000_028 }, { dyn });
    await trySignIn(app, { cancel: true }, { dyn });
    expect(await waiting()).toEqual([]);
    await signIn();
    expect(await waiting()).toHaveLength(1);
  });

  it.each([200, 201, 204, 299, 301, 302, 307, 308])('%s: delivered', async (status) => {
    const { event } = await signIn();
    const others = await waiting();
    receiver.answer = (response) => response.writeHead(status, { location: '/elsewhere' }).end();
    await deliver(event);
    // Redirects are not followed.
    expect(receiver.received.map(({ url }) => url.split('?')[0])).toEqual(['/signed-in']);
    expect(await waiting()).toEqual(others);
  });

  it.each([400, 401, 403, 404, 405, 410, 422, 451])('%s: final', async (status) => {
    const { event } = await signIn();
    const others = await waiting();
    receiver.answer = status;
    await deliver(event);
    expect(receiver.received).toHaveLength(1);
    expect(await waiting()).toEqual(others);
  });

  it.each([408, 429, 500, 502, 503, 504, 599])('%s: tried again', async (status) => {
    const { event } = await signIn();
    receiver.answer = status;
    await deliver(event);
    expect((await waiting()).map(({ data }) => data)).toContainEqual({ ...event, attempt: 1 });
  });

  it.each([
    ['a reset', (socket: Socket) => socket.resetAndDestroy()],
    ['an answer that is no HTTP', (socket: Socket) => socket.end('SSH-2.0-nothing here\r\n')],
    ['a connection closed without an answer', (socket: Socket) => socket.end()],
  ])('%s: tried again', async (_, answer) => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => answer(socket));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const { event } = await signIn(await app.dynamicToken(`http://127.0.0.1:${port}/in`));
    await deliver(event);
    expect((await waiting()).map(({ data }) => data)).toContainEqual({ ...event, attempt: 1 });
    server.close();
  });

  it('an application that does not listen: tried again', async () => {
    const { event } = await signIn(await app.dynamicToken('http://127.0.0.1:9/in'));
    await deliver(event);
    expect((await waiting()).map(({ data }) => data)).toContainEqual({ ...event, attempt: 1 });
  });

  it('an application that does not answer within ten seconds: retried', async () => {
    const { event } = await signIn();
    receiver.answer = () => undefined;
    const timeout = vi.spyOn(AbortSignal, 'timeout');
    expect(await deliverEvent(app.app.services, event.token, event.state_code, 300)).toBe('again');
    timeout.mockReturnValueOnce(AbortSignal.abort());
    expect(await deliverEvent(app.app.services, event.token, event.state_code)).toBe('again');
    expect(timeout.mock.calls).toEqual([[300], [10_000]]);
  });

  it('only the status of an endless answer is read', async () => {
    const { event } = await signIn();
    let closed = false;
    receiver.answer = (response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write('x'), 5);
      response.on('close', () => {
        clearInterval(timer);
        closed = true;
      });
    };
    expect(await deliverEvent(app.app.services, event.token, event.state_code)).toBe('done');
    await expect.poll(() => closed).toBe(true);
  });

  it('the pauses grow from 5 seconds to 10 minutes', async () => {
    const { event } = await signIn();
    receiver.answer = 503;
    const pauses: number[] = [];
    for (const attempt of [0, 1, 2, 6, 7, 40]) {
      await app.app.services.queue.boss.clearStorage();
      await deliver({ ...event, attempt });
      const [next = fail()] = await waiting();
      expect(next.data.attempt).toBe(attempt + 1);
      pauses.push(next.pause);
    }
    expect(pauses).toEqual([5, 10, 20, 320, 600, 600]);
  });

  it('a failed try is replaced by the next one, once', async () => {
    const { event } = await signIn();
    await app.app.services.queue.boss.clearStorage();
    receiver.answer = 503;
    const id = await deliver(event);
    expect(await app.app.services.queue.boss.getJobById('deliver-sign-in', id)).toMatchObject({
      state: 'completed',
    });
    const next = await waiting();
    expect(next).toHaveLength(1);
    // A worker that was too slow finds that another one has replaced it.
    await deliverSignIn(app.app.services, event, { id });
    expect(await waiting()).toEqual(next);
  });

  it('an application that is unavailable for an hour is called when it is back, and not again once it has accepted the event', async () => {
    const { event, userToken } = await signIn();
    receiver.answer = 503;
    let [away, next] = [0, event];
    while (away < 3_600) {
      await app.app.services.queue.boss.clearStorage();
      await deliver(next);
      const [job = fail()] = await waiting();
      next = job.data;
      away += job.pause;
      app.clock.advance(job.pause * 1000);
    }
    const tries = receiver.received.length;
    expect(tries).toBeLessThan(20);
    receiver.answer = 204;
    await app.app.services.queue.boss.clearStorage();
    await deliver(next);
    expect(receiver.received).toHaveLength(tries + 1);
    expect(receiver.received.at(-1)?.query.get('user_token')).toBe(userToken);
    expect(await waiting()).toEqual([]);
  });

  describe('nothing is sent', () => {
    const expectSilence = async (event: Event) => {
      const others = await waiting();
      receiver.answer = 503;
      await deliver(event);
      expect(receiver.received).toEqual([]);
      expect(await waiting()).toEqual(others);
    };

    it('once the user token was deleted', async () => {
      const { event, userToken } = await signIn();
      expect((await app.client(userToken).token.logout()).status).toBe(200);
      await expectSilence(event);
    });

    it('once the app token was deleted', async () => {
      const own = await app.dynamicToken(receiver.callback);
      const { event } = await signIn(own);
      await app.client(app.root).token.delete({ query: { uuid: uuidOf(own) } });
      await expectSilence(event);
    });

    it('once the user was deleted', async () => {
      const { event } = await signIn();
      await app.db.deleteFrom('users').where('character_id', '=', MEMBER).execute();
      await expectSilence(event);
    });

    it('once the user token has expired', async () => {
      const { event } = await signIn();
      app.clock.advance(DAY);
      await expectSilence(event);
    });
  });

  it('failures are logged, without token or query', async () => {
    const { event, userToken } = await signIn();
    receiver.answer = 500;
    const before = app.logged.length;
    await deliver(event);
    const lines = app.logged.slice(before);
    expect(JSON.parse(lines[0] ?? '{}')).toMatchObject({
      status: 500,
      again: true,
      callback_host: '127.0.0.1',
    });
    expect(lines.join()).not.toContain(userToken.slice(-20));
    expect(lines.join()).not.toContain(event.state_code);
  });
});

describe('D29: with the worker', () => {
  it('delivers, retries after a failure, and then stops', async () => {
    const app = await startTestApp({ worker: true });
    const receiver = await startReceiver();
    receiver.answer = 503;
    await letIn(app, { corporations: [98_000_011] });
    const dyn = await app.dynamicToken(receiver.callback);
    const { token } = await app.signIn(MEMBER, { dyn });
    const tries = (count: number) =>
      vi.waitFor(() => expect(receiver.received).toHaveLength(count), { timeout: 60_000 });
    await tries(1);
    receiver.answer = 204;
    // Skips the pause before the next try.
    const hurry = sql`update pgboss.job set start_after = now() where name = 'deliver-sign-in' and state = 'created'`;
    await vi.waitFor(async () => expect((await hurry.execute(app.db)).numAffectedRows).toBe(1n), 60_000);
    await tries(2);
    const finished = sql<{ state: string }>`select state from pgboss.job where name = 'deliver-sign-in'`;
    await vi.waitFor(async () => {
      const { rows } = await finished.execute(app.db);
      expect(rows.map(({ state }) => state)).toEqual(['completed', 'completed']);
    }, 60_000);
    expect(receiver.received.map(({ query }) => query.get('user_token'))).toEqual([token, token]);
    await app.stop();
    await receiver.stop();
  });
});

function fail(): never {
  throw new Error('there is none');
}
