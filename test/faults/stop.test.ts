import { connect } from 'node:net';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { ok } from '../../sdk/src/index.ts';
import { createApi } from '../../server/api.ts';
import { type App, createApp } from '../../server/app.ts';
import { createGate, type Gate } from '../../server/http/gate.ts';
import { type Listening, listen } from '../../server/http/listen.ts';
import { createLog } from '../../server/observability/log.ts';
import { letIn } from '../fixtures/registry.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { untilBehind, untilWaiting } from '../harness/meanwhile.ts';
import { startProxy } from '../harness/proxy.ts';
import { startReceiver } from '../harness/receiver.ts';
import { send } from '../harness/send.ts';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
});
afterAll(() => test.stop());

/** Another instance of the service on the test's database, opened as a process does. */
let gate: Gate;
let http: Listening;
let app: App;
let url: string;
let logged: string[];
let locker: pg.Client;

beforeEach(async () => {
  logged = [];
  const log = createLog('info', { write: (line) => logged.push(line) });
  gate = createGate();
  http = await listen(gate, '127.0.0.1', 0);
  url = `http://127.0.0.1:${http.port}`;
  app = await createApp(test.app.services.settings, { log, worker: false });
  locker = new pg.Client({ connectionString: test.databaseUrl });
  await locker.connect();
});
afterEach(async () => {
  await locker.end();
  await http.stop(0);
  await app.close();
});

/** Blocks every request at its first statement until `letGo`. */
async function holdUp(): Promise<void> {
  await locker.query('begin');
  await locker.query('lock table tokens');
}
const letGo = () => locker.query('rollback');

async function stopProcess(within: number): Promise<void> {
  await http.stop(within);
  await app.close();
}

const get = (path: string, headers = {}) => send({ url }, 'GET', path, { token: test.root, headers });

async function expectNoCrash(): Promise<void> {
  expect(logged.filter((line) => /"level":"error"|uncaught|destroyed/.test(line))).toEqual([]);
  expect(await test.db.selectFrom('crash_reports').selectAll().execute()).toEqual([]);
}

describe('a stop while requests are in flight', () => {
  beforeEach(() => gate.open(createApi(app.services, gate.messages)));

  it.each([
    ['GET /token', ''],
    ['POST /group', '{"group_name":"Late","description":""}'],
  ])('waits for the handler of %s, whose client has gone, and nothing crashes', async (line, body) => {
    await holdUp();
    const socket = connect(http.port, '127.0.0.1');
    socket.write(
      `${line} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${test.root}\r\n` +
        `Content-Length: ${body.length}\r\n\r\n${body}`,
    );
    await untilWaiting(locker, 1);
    socket.destroy();
    const stopping = stopProcess(15_000).then(() => 'stopped');
    expect(await Promise.race([stopping, sleep(500).then(() => 'waits')])).toBe('waits');
    await letGo();
    expect(await stopping).toBe('stopped');
    await expectNoCrash();
  });

  it('answers requests beyond the time limit with 503, and ends them without an error', async () => {
    // Outside tests Express prints errors that reach it.
    vi.stubEnv('NODE_ENV', 'production');
    gate.open(createApi(app.services, gate.messages));
    const printed = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    await holdUp();
    const answer = get('/token');
    await untilWaiting(locker, 1);
    await stopProcess(100);
    expect(await answer).toMatchObject({
      status: 503,
      headers: { connection: 'close', 'retry-after': '5', 'x-request-id': expect.any(String) },
      json: { detail: 'The service is stopping.', code: 'service_stopping' },
    });
    await letGo();
    // The handler continues without a database and without a client.
    await expect.poll(() => logged.some((entry) => entry.includes('"status":503'))).toBe(true);
    await sleep(100);
    await expectNoCrash();
    expect(printed.mock.calls).toEqual([]);
    vi.unstubAllEnvs();
    printed.mockRestore();
  });

  it('D8: a dry run that the end of the jobs cuts off is answered with 503, and is no crash', async () => {
    const { faults } = test.provider;
    // One in the registry at least, so that the game is asked.
    await letIn(test, { corporations: [98_000_011] });
    faults.add('api', { kind: 'hang' });
    const before = test.provider.requests.length;
    const path = '/system/job/refresh-organizations?dry_run=true';
    const answer = send({ url }, 'POST', path, { token: test.root });
    await expect.poll(() => test.provider.requests.length, { timeout: 20_000 }).toBeGreaterThan(before);
    await app.endJobs();
    expect(await answer).toMatchObject({
      status: 503,
      headers: { 'retry-after': '5' },
      json: { detail: 'The service is stopping.', code: 'service_stopping' },
    });
    faults.clear();
    await expectNoCrash();
  });

  it('leaves those alone that have been answered so, whatever comes of them', async () => {
    const rejected = vi.fn();
    process.on('unhandledRejection', rejected);
    // Unforeseen, so that a crash report is stored.
    await locker.query('alter table coalitions rename to coalitions_away');
    await locker.query('begin');
    await locker.query('lock table kysely_migration, crash_reports');
    const late = send({ url }, 'GET', '/readyz');
    await untilWaiting(locker, 1);
    const crashed = get('/coalition');
    await untilWaiting(locker, 2);
    await http.stop(100);
    for (const answer of [late, crashed])
      expect((await answer).json).toMatchObject({ code: 'service_stopping' });
    await letGo();
    await locker.query('alter table coalitions_away rename to coalitions');
    await app.close();
    await setImmediate();
    process.off('unhandledRejection', rejected);
    expect(rejected.mock.calls).toEqual([]);
  });

  it('closes the connections of clients that have their answers', async () => {
    expect((await get('/token', { connection: 'keep-alive' })).status).toBe(200);
    await holdUp();
    const answer = get('/token', { connection: 'keep-alive' });
    await untilWaiting(locker, 1);
    const stopping = http.stop(60_000);
    await letGo();
    expect(await answer).toMatchObject({ status: 200, headers: { connection: 'close' } });
    await stopping;
  });

  it('does not wait for a client that disconnects during an answer', async () => {
    const socket = connect(http.port, '127.0.0.1');
    socket.write('GET /docs HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
    await new Promise((resolve) => socket.once('data', resolve));
    socket.destroy();
    await http.stop(60_000);
  });
});

it('a stop ends the jobs at once, not only when silent receivers of webhooks have had their time', async () => {
  const receiver = await startReceiver();
  const worker = await createApp(test.app.services.settings, {
    log: createLog('silent'),
    clock: test.clock,
    worker: true,
    // A slow machine is no outage.
    database: { watched: false, connectedWithin: 60_000 },
  });
  /** Whether the jobs had been told to end when the request to the receiver was given up. */
  const told: boolean[] = [];
  receiver.answer = (response) =>
    void response.once('close', () => told.push(worker.services.queue.stopping.aborted));
  try {
    const client = test.client(test.root);
    await ok(client.webhook.create({ body: { url: receiver.callback, types: ['group.created'] } }));
    await ok(client.group.create({ body: { group_name: 'Nobody hears of it' } }));
    await expect.poll(() => receiver.received.length).toBe(1);
    await worker.close();
    await expect.poll(() => told).toEqual([true]);
  } finally {
    await worker.close();
    await receiver.stop();
  }
});

describe('a stop ends within 12 seconds, too, while PostgreSQL is frozen', () => {
  it.each([
    ['and is watched', {}],
    ['and is not watched, as behind a pooler', { watched: false, connectedWithin: 60_000 }],
  ])('%s', async (_, database) => {
    const proxy = await startProxy(test.databaseUrl);
    const { settings } = test.app.services;
    // Holds up the statements that seal events and look for deliveries, so that they are under way.
    await locker.query('begin');
    await locker.query("select pg_advisory_xact_lock(hashtext('seals of events'))");
    await locker.query('lock table webhook_deliveries');
    const frozen = await createApp(
      { ...settings, databaseUrl: proxy.url },
      { log: createLog('silent'), worker: true, database },
    );
    await untilBehind(locker, 2);
    proxy.freeze();
    await letGo();
    // As the queue polls.
    void frozen.services.queue.boss.fetch('sync-users');
    const began = performance.now();
    await frozen.close();
    expect(performance.now() - began).toBeLessThan(11_500);
    await proxy.cut();
  });
});

describe('the gate before the service', () => {
  it('answers 503 until it is opened, but /healthz succeeds', async () => {
    for (const path of ['/readyz', '/token', '/docs', '/nothing']) {
      expect(await get(path), path).toMatchObject({
        status: 503,
        headers: { 'retry-after': '5', 'content-type': 'application/json' },
        json: { detail: 'The service is starting.', code: 'service_starting' },
      });
    }
    expect(await get('/healthz')).toMatchObject({ status: 200, json: { status: 'ok' } });
    gate.open(createApi(app.services, gate.messages));
    expect((await get('/readyz')).status).toBe(200);
    expect((await get('/token')).status).toBe(200);
  });

  it('while draining it is not ready, but answers requests, closing the connection after each', async () => {
    gate.open(createApi(app.services, gate.messages));
    expect((await get('/token', { connection: 'keep-alive' })).headers.connection).toBe('keep-alive');
    await gate.drain(0);
    expect(await get('/readyz?verbose')).toMatchObject({
      status: 503,
      json: { detail: 'The service is stopping.', code: 'service_stopping' },
    });
    for (const path of ['/token', '/healthz']) {
      expect(await get(path, { connection: 'keep-alive' })).toMatchObject({
        status: 200,
        headers: { connection: 'close' },
      });
    }
  });

  it('D8: stays ready while its database is slow, because it is not unavailable', async () => {
    gate.open(createApi(app.services, gate.messages));
    expect((await get('/readyz')).status).toBe(200);
    await locker.query('begin');
    await locker.query('lock table kysely_migration');
    expect((await get('/readyz')).status).toBe(200);
    await letGo();
  });
});
