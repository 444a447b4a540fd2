import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { request } from 'undici';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { operations } from '../../contract/openapi.ts';
import { ok } from '../../sdk/src/index.ts';
import { consoleRouters } from '../../server/console/console.routes.ts';
import { type Listening, listen } from '../../server/http/listen.ts';
import { createHttp } from '../../server/http/server.ts';
import { tokensOfOtherKeys } from '../../server/token/token.queries.ts';
import { allEvents } from '../fixtures/events.ts';
import { letIn } from '../fixtures/registry.ts';
import { BASE_URL, startTestApp, type TestApp } from '../harness/app.ts';

const ALLIANCE = 99_000_001;
const MEMBER = 2_112_000_028;
const INDEX = `<!doctype html><meta name="castellan-prefix" content="__PREFIX__">
<link rel="icon" href="./favicon.svg"><script type="module" nonce="__NONCE__" src="./assets/index-abc.js"></script>`;
const SCRIPT = `console.log('${'long '.repeat(200)}');`;
const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

let app: TestApp;
let folder: string;
beforeAll(async () => {
  app = await startTestApp();
  await letIn(app, { alliances: [ALLIANCE] });
  folder = await mkdtemp(join(tmpdir(), 'castellan-console-'));
  await mkdir(join(folder, 'assets'));
  await mkdir(join(folder, '.vite'));
  await writeFile(join(folder, 'index.html'), INDEX);
  await writeFile(join(folder, 'assets/index-abc.js'), SCRIPT);
  await writeFile(join(folder, 'assets/index-abc.js.br'), brotliCompressSync(SCRIPT));
  await writeFile(join(folder, 'assets/index-abc.js.gz'), gzipSync(SCRIPT));
  await writeFile(join(folder, 'favicon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
  await writeFile(join(folder, '.vite/manifest.json'), '{}');
});
afterAll(async () => {
  await app?.stop();
  await rm(folder, { recursive: true, force: true });
});

const running: Listening[] = [];
afterEach(async () => {
  for (const http of running.splice(0)) await http.stop(1_000);
});

/** Serves a console that was built into the folder, with the whole handling of requests. */
async function serve(of: TestApp = app, built: string | null = folder, change: object = {}): Promise<string> {
  const services = { ...of.app.services, settings: { ...of.app.services.settings, ...change } };
  const routers = new Map(consoleRouters(services, built ?? undefined));
  const http = await listen(
    createHttp(services, routers, async () => 'f'.repeat(24)),
    '127.0.0.1',
    0,
  );
  running.push(http);
  return `http://127.0.0.1:${http.port}`;
}

const get = (url: string, headers: Record<string, string> = {}) => request(url, { headers });

async function begin(url: string, body: object = {}) {
  const answer = await fetch(`${url}/console/sign-in`, { method: 'POST', body: JSON.stringify(body) });
  return { status: answer.status, body: (await answer.json()) as { login_url: string; state_code: string } };
}

const consoleTokens = () =>
  app.db.selectFrom('tokens').selectAll().where('comments', '=', 'the console of this service').execute();

describe('D130: the files of the console', () => {
  it.each([
    ['is a warning', true, 'warn'],
    ['is told', false, 'info'],
  ])('where they are missing, that there is no console %s (production: %s)', (_, production, level) => {
    const { settings } = app.app.services;
    const said: unknown[] = [];
    const log = { info: () => said.push('info'), warn: () => said.push('warn') };
    const services = { ...app.app.services, settings: { ...settings, production }, log };
    expect(consoleRouters(services as never, undefined)).toEqual([]);
    expect(said).toEqual([level]);
  });

  it('every address below /console/ is its page, with a nonce of its own, and nothing else may run', async () => {
    const url = await serve();
    const nonces = new Set<string>();
    for (const path of ['/console/', '/console/groups', '/console/user/Ada%20Vale', '/console/signed-in']) {
      const { statusCode, headers, body } = await get(url + path, BROWSER);
      const policy = String(headers['content-security-policy']);
      const nonce = /'nonce-([^']+)'/.exec(policy)?.[1] ?? '';
      const html = await body.text();
      nonces.add(nonce);
      expect(statusCode).toBe(200);
      expect(html).toContain(`nonce="${nonce}"`);
      expect(policy).toContain("default-src 'none'");
      expect(policy).not.toContain('unsafe');
      expect(headers).toMatchObject({
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
      });
    }
    expect(nonces.size).toBe(4);
  });

  it('the metrics count all of them as one route, and wrong methods there', async () => {
    const url = await serve();
    const count = async () => {
      const text = await app.app.services.metrics.registry.metrics();
      const series = /^castellan_http_request_duration_seconds_count\{.*route="\/console\/\*".*\} (\d+)$/gm;
      return [...text.matchAll(series)].reduce((sum, [, each]) => sum + Number(each), 0);
    };
    const before = await count();
    for (const path of ['/console/', '/console/user/Ada', '/console/favicon.svg', '/console/assets/none.js'])
      await (await get(url + path, BROWSER)).body.dump();
    await (await request(`${url}/console/`, { method: 'PUT' })).body.dump();
    await expect.poll(async () => (await count()) - before).toBe(5);
  });

  it('files whose names change with their content may be cached for ever', async () => {
    const url = await serve();
    const plain = await get(`${url}/console/assets/index-abc.js`);
    expect(await plain.body.text()).toBe(SCRIPT);
    expect(plain.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'Accept-Encoding',
    });
    const icon = await get(`${url}/console/favicon.svg`);
    expect(icon.headers).toMatchObject({ 'cache-control': 'public, max-age=86400' });
  });

  it.each([
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['identity', null],
  ])('who accepts %s gets a file as %s', async (accepted, coding) => {
    const answer = await fetch(`${await serve()}/console/assets/index-abc.js`, {
      headers: { 'accept-encoding': accepted },
    });
    expect(answer.headers.get('content-encoding')).toBe(coding);
    expect(await answer.text()).toBe(SCRIPT);
    const bytes = Number(answer.headers.get('content-length'));
    if (coding === null) expect(bytes).toBe(SCRIPT.length);
    else expect(bytes).toBeLessThan(SCRIPT.length / 2);
  });

  it.each(['assets/index-old.js', 'assets/index-abc.js.br', 'assets/%2e%2e%2fpackage.json', 'assets/'])(
    'a file that is not there is no page: %s',
    async (path) => {
      const { statusCode, body } = await get(`${await serve()}/console/${path}`, BROWSER);
      expect(statusCode).toBe(404);
      expect(await body.json()).toMatchObject({ code: 'path_unknown' });
    },
  );

  it.each([
    ['/console/groups', 'GET, HEAD'],
    ['/console/sign-in', 'GET, HEAD, POST'],
  ])('D3: PUT %s is a 405 with Allow: %s', async (path, allow) => {
    const answer = await fetch(`${await serve()}${path}`, { method: 'PUT' });
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe(allow);
  });

  it('with a path prefix that a proxy strips, everything is loaded from below that prefix', async () => {
    const url = await serve(app, folder, { baseUrl: 'https://alliance.example/gate' });
    const html = await (await get(`${url}/console/`)).body.text();
    expect(html).toContain('src="/gate/console/assets/index-abc.js"');
    expect(html).toContain('content="/gate"');
    const entrance = await get(`${url}/`, BROWSER);
    expect(entrance.headers.location).toBe('/gate/console/');
  });
});

describe('D130: the console does not interfere with the API', () => {
  it('/ redirects browsers to it, and is a 404 for programs', async () => {
    const url = await serve();
    const browser = await get(`${url}/`, BROWSER);
    expect([browser.statusCode, browser.headers.location]).toEqual([302, '/console/']);
    for (const accept of ['*/*', 'application/json', '']) {
      const program = await get(`${url}/`, { accept });
      expect(program.statusCode, accept).toBe(404);
      expect(await program.body.json()).toMatchObject({ code: 'path_unknown' });
    }
  });

  it('no operation of the API has a path below it, and the API answers browsers like all other clients', async () => {
    for (const { route } of operations()) expect(route.path).not.toMatch(/^\/(console(\/|$)|$)/);
    const { statusCode, body } = await get(`${app.url}/user`, BROWSER);
    expect(statusCode).toBe(401);
    expect(await body.json()).toMatchObject({ code: 'token_missing' });
  });

  it.each([
    ['was not built', false, {}],
    ['is turned off', true, { console: false }],
  ])('where it %s, its paths are unknown', async (_, built, change) => {
    const url = await serve(app, built ? folder : null, change);
    for (const path of ['/', '/console/', '/console/assets/index-abc.js']) {
      expect((await get(url + path, BROWSER)).statusCode, path).toBe(404);
    }
    expect((await begin(url)).status).toBe(404);
  });
});

describe('D130: the console signs people in as an application', () => {
  it('with an app token of its own that is never signed, created once however many sign-ins need it at first', async () => {
    const url = await serve();
    const started = await Promise.all(Array.from({ length: 6 }, () => begin(url)));
    expect(started.map(({ status }) => status)).toEqual(Array(6).fill(200));
    const tokens = await consoleTokens();
    expect(tokens).toMatchObject([
      { token_type: 'dyn', owner_id: 0, parent: null, callback: `${BASE_URL}/console/signed-in` },
    ]);
    expect(await tokensOfOtherKeys(app.db, ['another key'], app.clock.now())).not.toContainEqual(
      expect.objectContaining({ uuid: tokens[0]?.uuid }),
    );
  });

  it('it is created again after it was deleted, which ended its sessions', async () => {
    const url = await serve();
    await begin(url);
    const [before] = await consoleTokens();
    const root = app.client(app.root);
    expect((await root.token.delete({ query: { uuid: before?.uuid ?? '' } })).status).toBe(200);
    expect((await begin(url)).status).toBe(200);
    const [after] = await consoleTokens();
    expect(after?.uuid).not.toBe(before?.uuid);
    const created = (await allEvents(app.db)).filter(({ type }) => type === 'token.created');
    expect(created.map(({ targets }) => targets[0]?.id)).toEqual(
      expect.arrayContaining([before?.uuid, after?.uuid]),
    );
  });

  it('the user token has the level of the user, and the state is the one given to the browser', async () => {
    const { body: login } = await begin(await serve());
    const answer = await app.browse(login.login_url, { characterId: MEMBER });
    const back = new URL(answer.headers.get('location') ?? '');
    expect(back.origin + back.pathname).toBe(`${BASE_URL}/console/signed-in`);
    expect(back.searchParams.get('state_code')).toBe(login.state_code);
    const token = back.searchParams.get('user_token') ?? '';
    const me = await app.client(token).token.current();
    expect(me.body).toMatchObject({ token_type: 'use', owner: { character_id: MEMBER, clearance_level: 0 } });
  });

  it('D26: who granted before what is required is let in without granting it again', async () => {
    const scope = 'ext-mail.read_mail.v1';
    const require = (mandatory_ext_scopes: (typeof scope)[]) =>
      app.db
        .updateTable('alliances')
        .set({ mandatory_ext_scopes })
        .where('alliance_id', '=', ALLIANCE)
        .execute();
    const url = await serve();
    const tryIt = async () =>
      (await app.browse((await begin(url)).body.login_url, { characterId: MEMBER })).status;
    try {
      await require([scope]);
      expect(await tryIt()).toBe(403);
      await app.signIn(MEMBER, { scopes: [scope] });
      expect(await tryIt()).toBe(302);
    } finally {
      await require([]);
    }
  });

  it('a sign-in may request the same scopes as any application', async () => {
    const url = await serve();
    const scopes = ['ext-location.read_location.v1'];
    const { body } = await begin(url, { scopes });
    expect(new URL(body.login_url).searchParams.get('scope')).toContain('location');
    expect((await begin(url, { scopes: ['no scope'] })).status).toBe(422);
    expect((await begin(url, { more: 1 })).status).toBe(422);
    expect((await begin(url, { state_code: 'somebody-else' })).status).toBe(404);
  });

  it('a sign-in that was begun elsewhere cannot be taken over by its state, an invitation can', async () => {
    const url = await serve();
    const { body } = await begin(url, {});
    expect((await begin(url, { state_code: body.state_code })).status).toBe(404);
    const [corporation] = await ok(app.client(app.root).corporation.list());
    const { state_code } = await ok(
      app.client(app.root).corporation.createGuestCode({
        params: { corporation_id: corporation?.corporation_id ?? 0 },
      }),
    );
    expect(await begin(url, { state_code })).toMatchObject({ status: 200, body: { state_code } });
  });

  it('D29: the event sent to its own callback starts no session and gets no page', async () => {
    const url = await serve();
    const event = await get(`${url}/console/signed-in?user_token=x`, { 'castellan-event': 'sign-in' });
    expect(event.statusCode).toBe(204);
    expect(await event.body.text()).toBe('');
  });

  it('D60: starting a sign-in counts against the limit of the address', async () => {
    const limited = await startTestApp({ env: { RATE_LIMIT: '3' } });
    try {
      const url = await serve(limited);
      const statuses: number[] = [];
      for (let i = 0; i < 4; i++) statuses.push((await begin(url)).status);
      expect(statuses).toEqual([200, 200, 200, 429]);
    } finally {
      for (const http of running.splice(0)) await http.stop(1_000);
      await limited.stop();
    }
  });
});
