import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addHome, addMember } from '../fixtures/users.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { type DatabaseProxy, startProxy } from '../harness/proxy.ts';
import { send } from '../harness/send.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
  await addHome(app);
});
afterAll(() => app.stop());

const text = () => app.app.services.metrics.registry.metrics();

/** The value of a series; undefined when it does not exist. */
async function value(series: string): Promise<number | undefined> {
  const line = (await text()).split('\n').find((each) => each.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
}

const requests = (method: string, route: string, status: number) =>
  value(
    `castellan_http_request_duration_seconds_count{method="${method}",route="${route}",status="${status}"}`,
  );

describe('the metrics', () => {
  it('count requests by the template of their path, never by the path, and by status', async () => {
    const caller = await addMember(app, 2_120_000_001);
    const path = `/user/${encodeURIComponent(caller.name)}`;
    await send(app, 'GET', path, { token: caller.jwt });
    await send(app, 'GET', '/user/Nobody', { token: caller.jwt });
    await send(app, 'GET', path);
    await send(app, 'GET', '/healthz');
    await send(app, 'GET', '/a/path/of/the-clients-own/making', { token: caller.jwt });
    await expect.poll(() => requests('GET', 'none', 404)).toBe(1);
    expect(await requests('GET', '/user/:character_name', 200)).toBe(1);
    expect(await requests('GET', '/user/:character_name', 404)).toBe(1);
    expect(await requests('GET', '/user/:character_name', 401)).toBe(1);
    expect(await requests('GET', '/healthz', 200)).toBe(1);
    expect(await value('castellan_http_requests_in_progress')).toBe(0);
    for (const secret of [caller.name, 'making', caller.jwt]) expect(await text()).not.toContain(secret);
  });

  it('count requests of OpenID Connect by their endpoint', async () => {
    for (const [method, path, route] of [
      ['GET', '/.well-known/openid-configuration', '/.well-known/openid-configuration'],
      ['GET', '/oidc/userinfo', '/oidc/userinfo'],
      ['POST', '/oidc/token', '/oidc/token'],
      ['GET', '/oidc/interaction/of-the-clients-own-making/login', '/oidc/interaction/:uid/login'],
      ['PUT', '/oidc/token', 'none'],
    ] as const) {
      const { status } = await send(app, method, path);
      await expect.poll(() => requests(method, route, status), { message: path }).toBe(1);
    }
    expect(await text()).not.toContain('making');
  });

  it('measure statements, and the number of connections', async () => {
    const selects = 'castellan_database_statement_duration_seconds_count{verb="select"}';
    const before = (await value(selects)) ?? 0;
    await send(app, 'GET', '/token', { token: app.root });
    expect(await value(selects)).toBeGreaterThan(before);
    expect(await value('castellan_database_connections{state="busy"}')).toBeGreaterThanOrEqual(0);
    expect(await value('castellan_database_waiting')).toBe(0);
  });

  it('count hits of the provider’s cache, and answers of the provider', async () => {
    const caller = await addMember(app, 2_120_000_002);
    const ask = () => send(app, 'GET', '/ext/universe/systems/30000142', { token: caller.jwt });
    const cache = (outcome: string) => value(`castellan_provider_cache_total{outcome="${outcome}"}`);
    await ask();
    const [asked = 0, fresh = 0] = [await cache('asked'), await cache('fresh')];
    expect(asked).toBeGreaterThan(0);
    await ask();
    expect([await cache('asked'), await cache('fresh')]).toEqual([asked, fresh + 1]);
    expect(await value('castellan_provider_request_duration_seconds_count{status="2xx"}')).toBeGreaterThan(0);
  });

  it('count sign-ins by outcome', async () => {
    await send(app, 'GET', '/callback/ext?state=unknown&code=x');
    expect(await value('castellan_sign_ins_total{outcome="bad-request"}')).toBe(1);
  });

  it('contain the age of the sync, and the number of waiting jobs', async () => {
    expect(await value('castellan_sync_age_seconds')).toBeUndefined();
    expect(await value('castellan_crash_reports')).toBe(0);
  });
});

it('the metrics can be read while the database is unavailable, without those that come from it', async () => {
  let proxy: DatabaseProxy | undefined;
  const other = await startTestApp({
    databaseBy: async (url) => {
      proxy = await startProxy(url);
      return proxy.url;
    },
  });
  try {
    await proxy?.cut();
    const read = await other.app.services.metrics.registry.metrics();
    expect(read).toMatch(/^castellan_database_waiting \d+$/m);
    expect(read).not.toMatch(/^castellan_crash_reports \d/m);
  } finally {
    await proxy?.mend();
    await other.stop();
  }
});

it('the metrics do not count the statements by which they are read as waiting', async () => {
  const replicated = await startTestApp({
    env: { DATABASE_REPLICA_URL: 'postgres://castellan@127.0.0.1:9/castellan' },
  });
  try {
    const read = await replicated.app.services.metrics.registry.metrics();
    expect(read).toMatch(/^castellan_replica_in_use 0$/m);
    expect(read).toMatch(/^castellan_database_waiting 0$/m);
  } finally {
    await replicated.stop();
  }
});
