import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type App, createApp } from '../../server/app.ts';
import { createGate, type Gate } from '../../server/http/gate.ts';
import { type Listening, listen } from '../../server/http/listen.ts';
import { createLog } from '../../server/observability/log.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { untilWaiting } from '../harness/meanwhile.ts';
import { send } from '../harness/send.ts';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
});
afterAll(() => test.stop());

/** The service once more on the test's database, as a process opens it. */
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

/** Keeps every request waiting at its first statement, until `letGo`. */
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
  beforeEach(() => gate.open(app.createHttp(gate.messages)));

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

  it('answers with 503 what takes longer than the limit, and gives it up quietly', async () => {
    // Where it is not a test, Express prints what it is left with.
    vi.stubEnv('NODE_ENV', 'production');
    gate.open(app.createHttp(gate.messages));
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
    // The handler goes on with what it waited for, without a database and without anybody to answer.
    await vi.waitUntil(() => logged.some((entry) => entry.includes('"status":503')));
    await sleep(100);
    await expectNoCrash();
    expect(printed.mock.calls).toEqual([]);
    vi.unstubAllEnvs();
    printed.mockRestore();
  });

  it('keeps no connection of a client that has its answer', async () => {
    expect((await get('/token', { connection: 'keep-alive' })).status).toBe(200);
    await holdUp();
    const answer = get('/token', { connection: 'keep-alive' });
    await untilWaiting(locker, 1);
    const stopping = http.stop(60_000);
    await letGo();
    expect(await answer).toMatchObject({ status: 200, headers: { connection: 'close' } });
    await stopping;
  });

  it('forgets a client that hangs up in the middle of an answer', async () => {
    const socket = connect(http.port, '127.0.0.1');
    socket.write('GET /docs HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
    await new Promise((resolve) => socket.once('data', resolve));
    socket.destroy();
    await http.stop(60_000);
  });
});

describe('the gate before the service', () => {
  it('answers 503 until it is opened, and that the process is up', async () => {
    for (const path of ['/readyz', '/token', '/docs', '/nothing']) {
      expect(await get(path), path).toMatchObject({
        status: 503,
        headers: { 'retry-after': '5', 'content-type': 'application/json; charset=utf-8' },
        json: { detail: 'The service is starting.', code: 'service_starting' },
      });
    }
    expect(await get('/healthz')).toMatchObject({ status: 200, json: { status: 'ok' } });
    gate.open(app.createHttp(gate.messages));
    expect((await get('/readyz')).status).toBe(200);
    expect((await get('/token')).status).toBe(200);
  });

  it('is not ready any more once it drains, and goes on serving, a connection for each answer', async () => {
    gate.open(app.createHttp(gate.messages));
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

  it('D8: is ready while its database is late, as it was before, for that is not gone', async () => {
    gate.open(app.createHttp(gate.messages));
    expect((await get('/readyz')).status).toBe(200);
    await locker.query('begin');
    await locker.query('lock table kysely_migration');
    expect((await get('/readyz')).status).toBe(200);
    await letGo();
  });
});
