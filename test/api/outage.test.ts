import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { onServer } from '../harness/postgres.ts';
import { type DatabaseProxy, startProxy } from '../harness/proxy.ts';
import { send } from '../harness/send.ts';

let app: TestApp;
let proxy: DatabaseProxy;

beforeAll(async () => {
  app = await startTestApp({
    databaseBy: async (url) => {
      proxy = await startProxy(url);
      return proxy.url;
    },
  });
});
afterEach(() => proxy.mend());
afterAll(() => app.stop());

const LOST = {
  status: 503,
  headers: { 'retry-after': expect.stringMatching(/^\d+$/) },
  json: { detail: 'The database cannot be reached at the moment.', code: 'database_unavailable' },
};

const ask = () => app.client(app.root).user.list();

async function expectLost(): Promise<void> {
  const { status, body, headers } = await ask();
  expect({ status, body }).toEqual({ status: LOST.status, body: LOST.json });
  expect(headers.get('retry-after')).toMatch(/^\d+$/);
}

describe('D8: the database cannot be reached', () => {
  it('503 with Retry-After while it is unavailable, and 200 at the first request afterwards', async () => {
    expect((await ask()).status).toBe(200);
    await proxy.cut();
    for (let round = 0; round < 3; round += 1) await expectLost();
    await proxy.mend();
    expect((await ask()).status).toBe(200);
  });

  it('many concurrent requests, interrupted: each is answered 200 or 503', async () => {
    const answers = Array.from({ length: 64 }, ask);
    await Promise.race(answers);
    await proxy.cut();
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([]);
    await proxy.mend();
    expect((await ask()).status).toBe(200);
  });

  it('readyz fails, healthz does not, as the process is up', async () => {
    expect(await send(app, 'GET', '/readyz')).toMatchObject({ status: 200, json: { status: 'ready' } });
    await proxy.cut();
    expect(await send(app, 'GET', '/readyz')).toMatchObject(LOST);
    expect(await send(app, 'GET', '/healthz')).toMatchObject({ status: 200, json: { status: 'ok' } });
    await proxy.mend();
    expect((await send(app, 'GET', '/readyz')).status).toBe(200);
  });

  it('the signature of a token is still verified first', async () => {
    await proxy.cut();
    expect((await app.client().user.list()).status).toBe(401);
    expect((await app.client(`${app.root}x`).user.list()).status).toBe(401);
  });

  it('the report goes to the log instead, without the token', async () => {
    await proxy.cut();
    const before = app.logged.length;
    const answer = await ask();
    const lines = app.logged.slice(before).map((line) => JSON.parse(line));
    const id = answer.headers.get('x-request-id');
    expect(lines).toContainEqual(
      expect.objectContaining({
        level: 'error',
        request_id: id,
        err: expect.objectContaining({ stack: expect.any(String) }),
      }),
    );
    expect(JSON.stringify(lines)).not.toContain(app.root.split('.')[1]);
    await proxy.mend();
    const reports = await app.client(app.root).crash.list();
    expect(reports).toMatchObject({ status: 200, body: [] });
  });

  it('each connection that the server ends (pg_terminate_backend) fails at most one request', async () => {
    const name = new URL(app.databaseUrl).pathname.slice(1);
    await Promise.all(Array.from({ length: 8 }, ask));
    await onServer(
      app.databaseUrl,
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
    );
    const statuses = (await Promise.all(Array.from({ length: 16 }, ask))).map(({ status }) => status);
    expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([]);
    expect((await ask()).status).toBe(200);
  });

  // A pooler tries again by itself, a moment later.
  const itself = it.skipIf(process.env.TEST_POOLER_URL !== undefined);
  itself(
    'a database that refuses connections (allow_connections false) is not reachable either',
    async () => {
      const name = new URL(app.databaseUrl).pathname.slice(1);
      await onServer(
        app.databaseUrl,
        `alter database ${name} allow_connections false`,
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
      );
      await expectLost();
      await expectLost();
      await onServer(app.databaseUrl, `alter database ${name} allow_connections true`);
      expect((await ask()).status).toBe(200);
    },
  );
});
