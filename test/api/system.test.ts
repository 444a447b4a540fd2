import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { openApiDocument } from '../../contract/openapi.ts';
import { readSettings } from '../../server/config/settings.ts';
import { openApiYaml } from '../../server/http/openapi-yaml.ts';
import { describeVersion } from '../../server/http/version.ts';
import { redactSettings } from '../../server/system/configuration.ts';
import { addHome, addMember } from '../fixtures/users.ts';
import { BASE_URL, startTestApp, type TestApp } from '../harness/app.ts';
import { ROOT } from '../harness/instance.ts';
import { send } from '../harness/send.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp({
    env: {
      VOICE_URL: 'ts3query://serveradmin:v0iceCanary@voice.example:10011/?server_id=1',
      TRUSTED_PROXIES: '127.0.0.1, 10.0.0.0/8',
    },
  });
  await addHome(app);
});
afterAll(() => app.stop());

const HIDDEN = '**********';

describe('D51: GET /system/configuration', () => {
  it('is the active configuration as nested JSON, every secret hidden', async () => {
    const { status, text, json } = await send<Record<string, unknown>>(app, 'GET', '/system/configuration', {
      token: app.root,
    });
    expect(status).toBe(200);
    expect(json).toMatchObject({
      base_url: BASE_URL,
      production: false,
      sso: { url: `${app.provider.ssoUrl}/`, client_id: 'castellan-test', client_secret: HIDDEN },
      ext_api: { scope_prefix: 'esi-' },
      token_signing_keys: HIDDEN,
      encryption_keys: HIDDEN,
      voice: { url: `ts3query://serveradmin:${HIDDEN}@voice.example:10011/?server_id=1` },
      trusted_proxies: ['127.0.0.1', '10.0.0.0/8'],
    });
    const { sso, tokenSigningKeys, encryptionKeys } = app.app.services.settings;
    for (const secret of [
      'v0iceCanary',
      sso.clientSecret,
      ...(tokenSigningKeys?.keys ?? []).map(({ d }) => d as string),
      ...(encryptionKeys ?? []).map(({ key }) => key.toString('base64')),
    ]) {
      expect(secret.length).toBeGreaterThan(8);
      expect(text.includes(secret)).toBe(false);
    }
  });

  it('contains every setting, and hides passwords within URLs', () => {
    const read = readSettings({
      DATABASE_URL:
        'postgres://castellan:pa%40ss-canary@db.example/castellan?sslpassword=more-canary&sslmode=require',
    });
    const settings = { ...read, sso: { ...read.sso, url: 'https://user:sso-canary@login.example' } };
    const shown = redactSettings(settings);
    expect(Object.keys(shown)).toHaveLength(Object.keys(settings).length);
    expect(JSON.stringify(shown)).not.toContain('canary');
    expect(shown).toMatchObject({
      database_url: `postgres://castellan:${HIDDEN}@db.example/castellan?sslpassword=${HIDDEN}&sslmode=require`,
      token_signing_keys: null,
      encryption_keys: null,
      cors_origins: null,
      voice: { url: null },
    });
  });

  it('D15: needs level 10', async () => {
    const nine = await addMember(app, 2_120_000_001, 9);
    expect((await app.client(nine.jwt).system.configuration()).status).toBe(403);
  });
});

describe('without a token (decisions §1)', () => {
  it('GET /healthz and /readyz', async () => {
    expect(await send(app, 'GET', '/healthz')).toMatchObject({ status: 200, json: { status: 'ok' } });
    expect(await send(app, 'GET', '/readyz')).toMatchObject({ status: 200, json: { status: 'ready' } });
  });

  it('/readyz: a database that lacks a migration is not ready', async () => {
    const table = 'kysely_migration' as 'tokens';
    const applied = await app.db.selectFrom(table).selectAll().execute();
    await app.db.deleteFrom(table).execute();
    expect(await send(app, 'GET', '/readyz')).toMatchObject({
      status: 503,
      headers: { 'retry-after': expect.stringMatching(/^\d+$/) },
      json: { detail: expect.stringContaining('migration'), code: 'database_not_migrated' },
    });
    await app.db.insertInto(table).values(applied).execute();
    expect((await send(app, 'GET', '/readyz')).status).toBe(200);
  });

  it('GET /openapi.json and /openapi.yaml are the same document, of this instance', async () => {
    const json = await send<{ openapi: string; servers: unknown }>(app, 'GET', '/openapi.json');
    const yaml = await send(app, 'GET', '/openapi.yaml');
    expect(json.headers['content-type']).toBe('application/json');
    expect(yaml.headers['content-type']).toBe('application/yaml; charset=utf-8');
    expect(json.json.openapi).toMatch(/^3\.1\./);
    expect(json.json.servers).toEqual([expect.objectContaining({ url: BASE_URL })]);
    expect(parse(yaml.text)).toEqual(json.json);
    expect(yaml.text === openApiYaml(openApiDocument(BASE_URL))).toBe(true);
  });

  it('GET /.well-known/jwks.json may be cached for a while', async () => {
    const { headers, text } = await send(app, 'GET', '/.well-known/jwks.json');
    expect(headers['cache-control']).toBe('public, max-age=300');
    expect(text).not.toContain('"d"');
  });
});

describe('the log of requests', () => {
  it('contains the whole path, whichever part of the service answers', async () => {
    for (const path of ['/docs', '/healthz', '/user']) {
      const { headers } = await send(app, 'GET', path, { token: app.root });
      const id = headers['x-request-id'];
      const line = () => app.logged.find((one) => one.includes(`"${id}"`) && one.includes('"request"'));
      await expect.poll(line).toBeDefined();
      expect(JSON.parse(line() ?? '{}')).toMatchObject({ method: 'GET', path, status: 200 });
    }
  });
});

describe('GET /docs', () => {
  it('works without the internet: the service itself serves everything that the pages load', async () => {
    for (const path of ['/docs', '/docs/', '/docs/guides/signing-in']) {
      const page = await send(app, 'GET', path);
      expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
      const loaded = [...page.text.matchAll(/(?:src|rel="(?:stylesheet|icon)" href)="([^"]+)"/g)];
      const addresses = loaded
        .map(([, address = '']) => address)
        .filter((address) => !address.startsWith('data:'));
      expect(addresses.length).toBe(2);
      for (const address of addresses) {
        const { status, text } = await send(app, 'GET', address);
        expect([address, status]).toEqual([address, 200]);
        expect(text).not.toMatch(/url\(|@import|^import /);
      }
    }
  });

  it('forbids the browser to load anything from elsewhere, and to run inline scripts', async () => {
    const { headers } = await send(app, 'GET', '/docs');
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/https?:|\*|unsafe/);
  });

  it('sends a page compressed if the client accepts that, and not again to a client that has it', async () => {
    const zipped = await send(app, 'GET', '/docs', { headers: { 'accept-encoding': 'gzip' } });
    expect(zipped.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
    expect(Number(zipped.headers['content-length'])).toBeLessThan(100_000);
    const { etag, ...plain } = (await send(app, 'GET', '/docs')).headers;
    expect(plain['content-encoding']).toBeUndefined();
    const again = await send(app, 'GET', '/docs', { headers: { 'if-none-match': String(etag) } });
    expect([again.status, again.text]).toEqual([304, '']);
    const guide = await send(app, 'GET', '/docs/guides/access');
    const unchanged = { 'if-none-match': String(guide.headers.etag) };
    expect((await send(app, 'GET', '/docs/guides/access', { headers: unchanged })).status).toBe(304);
  });

  it('D2: a missing page is a 404, an invalid range a 416, in JSON', async () => {
    for (const path of [
      '/docs/../package.json',
      '/docs/package.json',
      '/docs/guides/none',
      '/docs/guides/..%2Frules',
    ]) {
      expect([path, await send(app, 'GET', path)]).toMatchObject([
        path,
        { status: 404, json: { detail: 'There is nothing at this path.', code: 'path_unknown' } },
      ]);
    }
    const headers = { range: 'bytes=999999999-' };
    expect(await send(app, 'GET', '/docs/page.css', { headers })).toMatchObject({
      status: 416,
      headers: { 'content-type': 'application/json' },
      json: { detail: expect.any(String) },
    });
  });
});

describe('D62: browsers', () => {
  const origin = 'https://fleet.example';
  const EXPOSED = [
    'X-Pages',
    'X-Next',
    'X-Request-Id',
    'Retry-After',
    'RateLimit-Limit',
    'RateLimit-Remaining',
    'WWW-Authenticate',
  ];

  it('every origin may send requests and read answers, errors too, without credentials', async () => {
    for (const path of ['/token', '/healthz', '/nowhere', '/openapi.json']) {
      const { headers } = await send(app, 'GET', path, { headers: { origin } });
      expect(headers['access-control-allow-origin']).toBe('*');
      expect(headers['access-control-allow-credentials']).toBeUndefined();
      const exposed = String(headers['access-control-expose-headers']).split(/,\s*/);
      expect(exposed).toEqual(expect.arrayContaining(EXPOSED));
    }
  });

  it('answers to what is not readable as HTTP can be read, too', async () => {
    const { status, headers, json } = await send(app, 'GET', `/token?${'a'.repeat(20_480)}`, {
      headers: { origin },
    });
    expect({ status, json }).toMatchObject({ status: 431, json: { code: 'headers_too_large' } });
    expect(headers).toMatchObject({ 'access-control-allow-origin': '*', 'x-request-id': expect.any(String) });
    const exposed = String(headers['access-control-expose-headers']).split(/,\s*/);
    expect(exposed).toEqual(expect.arrayContaining(EXPOSED));
  });

  it('a preflight needs no token, and allows the methods and headers of the API', async () => {
    const answer = await send(app, 'OPTIONS', '/user/2120000001', {
      headers: {
        origin,
        'access-control-request-method': 'PUT',
        'access-control-request-headers': 'authorization,content-type,page',
      },
    });
    expect(answer.status).toBe(204);
    const listed = (name: string) => String(answer.headers[name]).toLowerCase().split(/,\s*/);
    expect(listed('access-control-allow-methods')).toEqual(
      expect.arrayContaining(['get', 'post', 'put', 'delete']),
    );
    expect(listed('access-control-allow-headers').sort()).toEqual([
      'authorization',
      'content-type',
      'page',
      'traceparent',
      'tracestate',
      'x-request-id',
    ]);
    expect(answer.headers['access-control-max-age']).toEqual(expect.any(String));
  });

  it('CORS_ORIGINS restricts it to the listed ones', async () => {
    const narrow = await startTestApp({ env: { CORS_ORIGINS: `${origin}, https://other.example` } });
    try {
      const allowed = async (from: string) =>
        (await send(narrow, 'GET', '/healthz', { headers: { origin: from } })).headers;
      for (const known of [origin, 'https://other.example']) {
        expect(await allowed(known)).toMatchObject({ 'access-control-allow-origin': known, vary: 'Origin' });
      }
      const page = await send(narrow, 'GET', '/docs', { headers: { origin } });
      expect(page.headers.vary).toBe('Origin, Accept-Encoding');
      const unread = await send(narrow, 'GET', `/token?${'a'.repeat(20_480)}`, { headers: { origin } });
      expect([unread.status, unread.headers['access-control-allow-origin']]).toEqual([431, undefined]);
      for (const strange of ['https://evil.example', 'https://fleet.example.evil.example', 'null']) {
        expect((await allowed(strange))['access-control-allow-origin']).toBeUndefined();
      }
    } finally {
      await narrow.stop();
    }
  });
});

describe('D72: GET /version', () => {
  it('answers without a token with the version, and the promise of compatibility', async () => {
    const { status, json, headers } = await send<Record<string, string>>(app, 'GET', '/version');
    expect(status).toBe(200);
    const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
    expect(json).toEqual({
      version,
      commit: expect.stringMatching(/^[0-9a-f]{40}$/),
      contract: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(headers['x-api-version']).toBe(version);
  });

  it('contains the configured commit, and the same contract at every address', async () => {
    const [here, there] = await Promise.all(
      ['https://a.example', 'https://b.example/castellan'].map((url) =>
        describeVersion(openApiDocument(url), '3f786850e387550fdab836ed7e6dc881de23001b'),
      ),
    );
    expect(here).toEqual(there);
    expect(here?.commit).toBe('3f786850e387550fdab836ed7e6dc881de23001b');
    const { paths, ...rest } = openApiDocument();
    const less = await describeVersion({ ...rest, paths: {} }, undefined);
    expect(less.contract).not.toBe(here?.contract);
    expect(Object.keys(paths)).not.toEqual([]);
  });
});
