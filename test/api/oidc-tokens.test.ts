import { generateKeyPairSync } from 'node:crypto';
import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from 'jose';
import { sql } from 'kysely';
import * as openid from 'openid-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApi } from '../../server/api.ts';
import { createApp } from '../../server/app.ts';
import { listen } from '../../server/http/listen.ts';
import { createHttp } from '../../server/http/server.ts';
import { createLog } from '../../server/observability/log.ts';
import { oidcProtocol } from '../../server/oidc/protocol.routes.ts';
import { letIn } from '../fixtures/registry.ts';
import { BASE_URL, startTestApp, type TestApp } from '../harness/app.ts';
import { Browser } from '../harness/browser.ts';
import { meanwhile } from '../harness/meanwhile.ts';
import { addRelyingParty, REDIRECT_URI, type RelyingParty } from '../harness/relying-party.ts';

const CORPORATION = 98_000_011;
const MEMBER = 2_112_000_049;
const LEAVING = 2_112_000_055;
const FORM = 'application/x-www-form-urlencoded';

let app: TestApp;
let party: RelyingParty;
let publicParty: RelyingParty;
let browser: Browser;

beforeAll(async () => {
  app = await startTestApp();
  await letIn(app, { corporations: [CORPORATION] });
  party = await addRelyingParty(app, { backchannel_logout_uri: 'http://127.0.0.1:9/out' });
  publicParty = await addRelyingParty(app, { public: true });
  browser = new Browser(app, { choice: { characterId: MEMBER } });
  await party.signIn(browser);
});
afterAll(() => app.stop());

interface Sent {
  readonly headers?: Record<string, string>;
  /** As it goes over the wire, or fields of a form. */
  readonly body?: string | Record<string, string>;
  readonly at?: string;
}

/** A request as a program sends it that has no library. */
async function post(path: string, { headers = {}, body = '', at = app.url }: Sent) {
  const text = typeof body === 'string' ? body : new URLSearchParams(body).toString();
  const answer = await fetch(at + path, {
    method: 'POST',
    headers: { 'content-type': FORM, ...headers },
    body: text,
  });
  const got = await answer.text();
  const json = (got.startsWith('{') ? JSON.parse(got) : {}) as Record<string, unknown>;
  return { status: answer.status, headers: answer.headers, json, error: json.error };
}

const basic = (id: string, secret: string) => ({ authorization: `Basic ${btoa(`${id}:${secret}`)}` });
const credentialsOf = ({ client }: RelyingParty): Record<string, string> => ({
  client_id: client.client_id,
  ...(client.client_secret !== undefined && { client_secret: client.client_secret }),
});

/** A code, with the fields that redeem it; the client not among them. */
async function fresh(at = party, more?: Record<string, string>) {
  const { landed, verifier } = await at.visit(browser, more);
  const code = landed.url.searchParams.get('code') ?? '';
  expect(code).not.toBe('');
  return { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI, code_verifier: verifier };
}

const refresh = (at: RelyingParty, refresh_token: unknown, more: Record<string, string> = {}) =>
  post('/oidc/token', {
    body: {
      ...credentialsOf(at),
      ...{ grant_type: 'refresh_token', refresh_token: String(refresh_token), ...more },
    },
  });

const userinfo = (headers: Record<string, string>, body?: string) =>
  fetch(`${app.url}/oidc/userinfo`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { ...headers, ...(body !== undefined && { 'content-type': FORM }) },
    ...(body !== undefined && { body }),
  });

const claimsOf = (json: Record<string, unknown>) => decodeJwt(String(json.id_token));

describe('RFC 6749, 2.3: the client authenticates', () => {
  it('2.3.1: by Basic, whose parts are encoded as in a form first, letter by letter if somebody likes', async () => {
    const { client_id, client_secret } = credentialsOf(party) as { client_id: string; client_secret: string };
    const encoded = (text: string) =>
      [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
    for (const headers of [
      basic(client_id, client_secret),
      basic(encoded(client_id), encoded(client_secret)),
      { authorization: basic(client_id, client_secret).authorization.replace('Basic', 'bAsIc') },
    ]) {
      expect((await post('/oidc/token', { headers, body: await fresh() })).status).toBe(200);
    }
  });

  it('2.3: in one way, not in two, and never in the address', async () => {
    const { client_id, client_secret } = credentialsOf(party) as { client_id: string; client_secret: string };
    const fields = await fresh();
    const headers = basic(client_id, client_secret);
    const other = publicParty.client.client_id;
    for (const [sent, error] of [
      [{ headers, body: { ...fields, client_secret } }, 'invalid_request'],
      [{ headers, body: { ...fields, client_id: other } }, 'invalid_request'],
      [{ headers: { authorization: 'Basic ====' }, body: fields }, 'invalid_request'],
      [{ headers: basic(client_id, '%zz'), body: fields }, 'invalid_request'],
      [{ headers: { authorization: 'Bearer x' }, body: fields }, 'invalid_request'],
    ] as [Sent, string][]) {
      const answer = await post('/oidc/token', sent);
      expect([answer.status, answer.error], JSON.stringify(sent)).toEqual([400, error]);
    }
    const address = `/oidc/token?${new URLSearchParams({ client_id, client_secret })}`;
    expect(await post(address, { body: fields })).toMatchObject({ status: 401, error: 'invalid_client' });
    expect((await post('/oidc/token', { headers, body: { ...fields, client_id } })).status).toBe(200);
  });

  it('5.2: who does not gets 401, invalid_client, and how to', async () => {
    const { client_id } = party.client;
    const fields = await fresh();
    for (const path of ['/oidc/token', '/oidc/introspection', '/oidc/revocation']) {
      for (const sent of [
        { headers: basic(client_id, 'wrong'), body: { ...fields, token: 'x' } },
        { headers: basic('f'.repeat(24), 'wrong'), body: { ...fields, token: 'x' } },
        { body: { ...fields, token: 'x', client_id, client_secret: 'wrong' } },
        { body: { ...fields, token: 'x', client_id } },
        { body: { ...fields, token: 'x' } },
        {},
        {
          body: { ...fields, token: 'x', client_id: publicParty.client.client_id, client_secret: 'made-up' },
        },
      ]) {
        const { status, error, headers } = await post(path, sent);
        expect([path, status, error]).toEqual([path, 401, 'invalid_client']);
        expect(headers.get('www-authenticate')).toMatch(/^Basic realm="https:/);
      }
    }
  });
});

describe('RFC 6749, 3.2 and 5: the token endpoint', () => {
  it('5.1, 5.2: answers and errors are JSON that no cache keeps, whatever the program accepts', async () => {
    // What the HTTP client of Java's standard library sends of its own accord.
    const accept = 'text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2';
    const fields = { ...credentialsOf(party), token: 'x' };
    for (const [path, body, expected] of [
      ['/oidc/token', { ...(await fresh()), ...fields }, 200],
      ['/oidc/token', { ...fields, grant_type: 'authorization_code', code: 'x', redirect_uri: 'x' }, 400],
      ['/oidc/token', { ...fields, client_secret: 'x' }, 401],
      ['/oidc/introspection', { ...fields, client_secret: 'x' }, 401],
      ['/oidc/revocation', { ...fields, client_secret: 'x' }, 401],
      ['/oidc/userinfo', { access_token: 'x' }, 401],
    ] as [string, Record<string, string>, number][]) {
      const { status, headers, json } = await post(path, { headers: { accept }, body });
      expect([path, status]).toEqual([path, expected]);
      expect(headers.get('content-type')).toMatch(/^application\/json/);
      expect(headers.get('cache-control')).toContain('no-store');
      expect(json[status === 200 ? 'access_token' : 'error']).toEqual(expect.any(String));
      if (path === '/oidc/token') expect(headers.get('pragma')).toBe('no-cache');
    }
  });

  it('3.2: nothing twice; what is empty or unknown does not count; forms alone', async () => {
    const fields: Record<string, string> = { ...(await fresh()), ...credentialsOf(party) };
    for (const [name, value] of Object.entries(fields)) {
      for (const second of [value, 'another']) {
        const twice = new URLSearchParams(fields);
        twice.append(name, second);
        const answer = await post('/oidc/token', { body: twice.toString() });
        expect([name, answer.status, answer.error]).toEqual([name, 400, 'invalid_request']);
      }
    }
    const json = { headers: { 'content-type': 'application/json' }, body: JSON.stringify(fields) };
    expect((await post('/oidc/token', json)).error).toBe('invalid_request');
    const huge = { ...fields, more: 'x'.repeat(60_000) };
    expect((await post('/oidc/token', { body: huge })).error).toBe('invalid_request');
    const odd = { ...fields, colour: 'red', scope: '', refresh_token: '', resource: 'https://x.example' };
    expect((await post('/oidc/token', { body: odd })).status).toBe(200);
  });

  it('5.2: where the user is deleted while tokens are issued, the code is an invalid_grant', async () => {
    const leaving = new Browser(app, { choice: { characterId: LEAVING } });
    const { landed, verifier } = await party.visit(leaving);
    const code = landed.url.searchParams.get('code') ?? '';
    const fields = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI };
    const body = { ...credentialsOf(party), ...fields, code_verifier: verifier };
    const answer = await meanwhile(
      app,
      'select from users where character_id = $1 for update',
      [LEAVING],
      () => post('/oidc/token', { body }),
      (other) => other.query('delete from users where character_id = $1', [LEAVING]),
    );
    expect([answer.status, answer.error]).toEqual([400, 'invalid_grant']);
  });

  it('10.10: codes and tokens cannot be guessed: 43 letters of 64, 256 bits', async () => {
    const fields = await fresh(party, { scope: 'openid offline_access' });
    const { json } = await post('/oidc/token', { body: { ...fields, ...credentialsOf(party) } });
    for (const secret of [fields.code, json.access_token, json.refresh_token]) {
      expect(secret).toMatch(/^[\w-]{43}$/);
    }
  });
});

describe('RFC 7636 and RFC 9700: PKCE', () => {
  it('4.1, 4.6: a verifier has 43 to 128 letters of those allowed, and is the one of this sign-in', async () => {
    const stolen = await fresh();
    for (const code_verifier of [
      ...[stolen.code_verifier.slice(1, 43), 'x'.repeat(129), `${'x'.repeat(43)}+`, `${'x'.repeat(42)} `],
      ...[openid.randomPKCECodeVerifier(), (await fresh()).code_verifier],
    ]) {
      const answer = await post('/oidc/token', {
        body: { ...stolen, ...credentialsOf(party), code_verifier },
      });
      expect(answer.status).toBe(400);
      expect(answer.error).toMatch(/^invalid_(grant|request)$/);
    }
  });

  it('RFC 9700, 2.1.1: a verifier without a challenge before is refused (downgrade)', async () => {
    const { url } = await party.begin();
    for (const name of ['code_challenge', 'code_challenge_method']) url.searchParams.delete(name);
    const landed = await browser.go(url);
    const fields = {
      ...{ grant_type: 'authorization_code', redirect_uri: REDIRECT_URI, ...credentialsOf(party) },
      code: landed.url.searchParams.get('code') ?? '',
    };
    const code_verifier = openid.randomPKCECodeVerifier();
    expect((await post('/oidc/token', { body: { ...fields, code_verifier } })).error).toBe('invalid_grant');
    // A confidential client may do without, as D80 has it.
    expect((await post('/oidc/token', { body: fields })).status).toBe(200);
  });

  it('4.2: a challenge without a method would be plain: refused', async () => {
    const { url } = await party.begin();
    url.searchParams.delete('code_challenge_method');
    expect((await browser.go(url)).url.searchParams.get('error')).toBe('invalid_request');
  });
});

describe('OpenID Connect Core 1.0, 2 and 12: ID tokens', () => {
  it('3.1.3.7: nonce comes back as it was sent, or not at all; auth_time where it was asked for', async () => {
    const nonce = 'n-0S6 "ä" <b> &amp; +%20';
    const body = { ...(await fresh(party, { nonce, max_age: '3600' })), ...credentialsOf(party) };
    const claims = claimsOf((await post('/oidc/token', { body })).json);
    expect(claims).toMatchObject({ nonce, aud: party.client.client_id, auth_time: expect.any(Number) });
    expect(claims.sub).toMatch(/^[!-~]{1,255}$/);
    const { url, verifier } = await party.begin();
    url.searchParams.delete('nonce');
    const code = (await browser.go(url)).url.searchParams.get('code') ?? '';
    const { json } = await post('/oidc/token', { body: { ...body, code, code_verifier: verifier } });
    expect(Object.keys(claimsOf(json)).sort()).toEqual(['aud', 'exp', 'iat', 'iss', 'sid', 'sub']);
  });

  it('12.2: a refreshed ID token tells of the same sign-in; 6: a refresh token keeps its scope', async () => {
    const scope = 'openid profile offline_access';
    const body = { ...(await fresh(party, { scope, max_age: '3600' })), ...credentialsOf(party) };
    const { json: first } = await post('/oidc/token', { body });
    const { json: narrow } = await refresh(party, first.refresh_token, { scope: 'openid' });
    expect(narrow.scope).toBe('openid');
    const { json: next } = await refresh(party, narrow.refresh_token);
    expect(String(next.scope).split(' ').sort()).toEqual(scope.split(' ').sort());
    const { iat, exp, ...same } = claimsOf(first);
    for (const { iat: later, exp: end, ...claims } of [claimsOf(narrow), claimsOf(next)]) {
      expect(claims).toEqual(same);
      expect(later).toBeGreaterThanOrEqual(iat ?? 0);
      expect((end ?? 0) - (later ?? 0)).toBe((exp ?? 0) - (iat ?? 0));
    }
    const more = await refresh(party, next.refresh_token, { scope: `${scope} groups` });
    expect(more.error).toBe('invalid_scope');
    const unproven = { ...credentialsOf(party), client_secret: 'wrong', grant_type: 'refresh_token' };
    const stolen = { ...unproven, refresh_token: String(next.refresh_token) };
    expect((await post('/oidc/token', { body: stolen })).error).toBe('invalid_client');
    expect((await refresh(party, next.refresh_token)).status).toBe(200);
  });

  it('RFC 9700, 2.2.2: the refresh tokens of a public client are used once, too', async () => {
    const body = await fresh(publicParty, { scope: 'openid offline_access' });
    const { json: first } = await post('/oidc/token', { body: { ...body, ...credentialsOf(publicParty) } });
    const { json: second } = await refresh(publicParty, first.refresh_token);
    expect((await refresh(publicParty, first.refresh_token)).error).toBe('invalid_grant');
    expect((await refresh(publicParty, second.refresh_token)).error).toBe('invalid_grant');
    expect((await userinfo({ authorization: `Bearer ${second.access_token}` })).status).toBe(401);
  });

  it('10.1.1: while keys rotate, ID tokens of either key verify, and do as hints, at every process', async () => {
    const { settings } = app.app.services;
    const { keys, rsaKeys = [] } = settings.tokenSigningKeys;
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' });
    const added = { ...rsa, kid: 'rsa-new' } as (typeof rsaKeys)[number];
    const start = async (order: readonly (typeof rsaKeys)[number][]) => {
      const tokenSigningKeys = { keys, rsaKeys: order };
      const log = createLog('silent');
      const other = await createApp(
        { ...settings, tokenSigningKeys },
        { log, clock: app.clock, worker: false },
      );
      const http = await listen(createApi(other.services), '127.0.0.1', 0);
      const stop = async () => {
        await http.stop(1_000);
        await other.close();
      };
      return { url: `http://127.0.0.1:${http.port}`, stop };
    };
    const processes = [await start([...rsaKeys, added]), await start([added, ...rsaKeys])];
    const tokens: string[] = [];
    for (const { url: at } of processes) {
      browser.at = at;
      const body = { ...(await fresh()), ...credentialsOf(party) };
      tokens.push(String((await post('/oidc/token', { at, body })).json.id_token));
    }
    expect(tokens.map((token) => decodeProtectedHeader(token).kid)).toEqual([rsaKeys[0]?.kid, 'rsa-new']);
    // In the end the former key cannot sign any more.
    const former = rsaKeys.map(({ kty, kid, n, e }) => ({ kty, kid, n, e }));
    processes.push(await start([added, ...former]));
    for (const { url: at } of processes) {
      const set = (await (await fetch(`${at}/.well-known/jwks.json`)).json()) as JSONWebKeySet;
      browser.at = at;
      for (const token of tokens) {
        await jwtVerify(token, createLocalJWKSet(set), { issuer: BASE_URL });
        const { landed } = await party.visit(browser, { prompt: 'none', id_token_hint: token });
        expect(landed.url.searchParams.get('code')).toBeTruthy();
        const leaving = await browser.go(`${BASE_URL}/oidc/logout?id_token_hint=${token}`);
        expect(leaving.html).toContain('Only of Wiki');
      }
    }
    browser.at = app.url;
    for (const { stop } of processes) await stop();
  });
});

describe('OpenID Connect Core 1.0, 5.3, and RFC 6750: userinfo', () => {
  it('5.3.2: sub is that of the ID token; the token comes in a header or a form, in one of them', async () => {
    const { json } = await post('/oidc/token', { body: { ...(await fresh()), ...credentialsOf(party) } });
    const [token, { sub }] = [String(json.access_token), claimsOf(json)];
    for (const answer of [
      await userinfo({ authorization: `Bearer ${token}` }),
      await userinfo({ authorization: `bearer ${token}` }, ''),
      await userinfo({}, `access_token=${token}`),
    ]) {
      expect(answer.status).toBe(200);
      expect(answer.headers.get('cache-control')).toContain('no-store');
      expect(await answer.json()).toMatchObject({ sub });
    }
    const both = await userinfo({ authorization: `Bearer ${token}` }, `access_token=${token}`);
    expect([both.status, await both.json()]).toMatchObject([400, { error: 'invalid_request' }]);
    const twice = await userinfo({}, `access_token=${token}&access_token=${token}`);
    expect(twice.status).toBeGreaterThanOrEqual(400);
  });

  it('3.1: errors say what is wrong; without a token the scheme alone', async () => {
    const none = await userinfo({});
    expect([none.status, none.headers.get('www-authenticate')]).toEqual([401, `Bearer realm="${BASE_URL}"`]);
    const scope = 'openid offline_access';
    const { code, ...fields } = await fresh(party, { scope });
    const { json } = await post('/oidc/token', { body: { code, ...fields, ...credentialsOf(party) } });
    const { landed, verifier } = await party.visit(browser, { scope: 'profile', nonce: '' });
    const bare = landed.url.searchParams.get('code') ?? '';
    const body = { ...fields, ...credentialsOf(party), code: bare, code_verifier: verifier };
    const { json: unscoped } = await post('/oidc/token', { body });
    expect(unscoped).not.toHaveProperty('id_token');
    for (const [token, status, error] of [
      ['made-up', 401, 'invalid_token'],
      [json.refresh_token, 401, 'invalid_token'],
      [json.id_token, 401, 'invalid_token'],
      [(await fresh()).code, 401, 'invalid_token'],
      [unscoped.access_token, 403, 'insufficient_scope'],
    ] as [string, number, string][]) {
      const answer = await userinfo({ authorization: `Bearer ${token}` });
      expect([answer.status, await answer.json()]).toMatchObject([status, { error }]);
      expect(answer.headers.get('www-authenticate')).toContain(
        `Bearer realm="${BASE_URL}", error="${error}"`,
      );
    }
  });
});

describe('RFC 7662 and RFC 7009: introspection and revocation', () => {
  const ask = (at: RelyingParty, path: string, token: unknown, hint = 'access_token') =>
    post(path, { body: { ...credentialsOf(at), token: String(token), token_type_hint: hint } });
  const tokensOf = async (at: RelyingParty) =>
    (
      await post('/oidc/token', {
        body: { ...(await fresh(at, { scope: 'openid offline_access' })), ...credentialsOf(at) },
      })
    ).json;

  it('7662, 2.1, 2.2: what is no token of an application is inactive and nothing more, a JWT too', async () => {
    const { access_token, refresh_token, id_token } = await tokensOf(party);
    for (const hint of ['access_token', 'refresh_token', 'pigeon']) {
      for (const token of [access_token, refresh_token]) {
        const { json, headers } = await ask(party, '/oidc/introspection', token, hint);
        expect(json).toMatchObject({ active: true, sub: String(MEMBER), client_id: party.client.client_id });
        expect(headers.get('cache-control')).toContain('no-store');
      }
    }
    const other = await tokensOf(publicParty);
    // D84: an application with a secret, which protects an API of its own, may introspect tokens of others.
    const { json: others } = await ask(party, '/oidc/introspection', other.access_token);
    expect(others).toMatchObject({ active: true, client_id: publicParty.client.client_id });
    for (const token of [id_token, app.root, 'made-up', (await fresh()).code]) {
      const { status, json } = await ask(party, '/oidc/introspection', token);
      expect([status, json]).toEqual([200, { active: false }]);
    }
    expect((await post('/oidc/introspection', { body: credentialsOf(party) })).error).toBe('invalid_request');
  });

  it('7662, 2.1: a public client proves nothing, so it learns of its own tokens alone', async () => {
    const [own, others] = [await tokensOf(publicParty), await tokensOf(party)];
    const { json } = await ask(publicParty, '/oidc/introspection', own.access_token);
    expect(json).toMatchObject({ active: true, client_id: publicParty.client.client_id });
    const answer = await ask(publicParty, '/oidc/introspection', others.access_token);
    expect([answer.status, answer.json]).toEqual([200, { active: false }]);
  });

  it('D84: a token of an application that lets the user in no more is inactive, whoever asks', async () => {
    const { access_token } = await tokensOf(publicParty);
    const { client_id } = publicParty.client;
    // In the database alone: an update by the API deletes the token.
    const restrict = (restricted: boolean) =>
      app.db.updateTable('oidc_clients').set({ restricted }).where('client_id', '=', client_id).execute();
    await restrict(true);
    expect((await ask(party, '/oidc/introspection', access_token)).json).toEqual({ active: false });
    await restrict(false);
    expect((await ask(party, '/oidc/introspection', access_token)).json).toMatchObject({ active: true });
  });

  it('D84: a token whose application is deleted while another one asks is judged as it was before', async () => {
    const leaving = await addRelyingParty(app);
    const { access_token } = await tokensOf(leaving);
    const { client_id } = leaving.client;
    let judging: unknown;
    const db = app.db.withPlugin({
      transformQuery({ node, queryId }) {
        if (JSON.stringify(node).includes('select from users u join oidc_clients')) judging = queryId;
        return node;
      },
      async transformResult({ result, queryId }) {
        if (queryId === judging)
          await app.db.deleteFrom('oidc_clients').where('client_id', '=', client_id).execute();
        return result;
      },
    });
    const services = { ...app.app.services, db };
    const routers = new Map([['oidc', oidcProtocol(services)]]);
    const http = await listen(
      createHttp(services, routers, async () => 'crash'),
      '127.0.0.1',
      0,
    );
    const at = `http://127.0.0.1:${http.port}`;
    const body = { ...credentialsOf(party), token: String(access_token) };
    expect(await post('/oidc/introspection', { at, body })).toMatchObject({
      status: 200,
      json: { active: true, sub: String(MEMBER), client_id },
    });
    expect((await post('/oidc/introspection', { at, body })).json).toEqual({ active: false });
    await http.stop(1_000);
  });

  it('7009, 2.2: the empty answer is not said to be a text, which some clients refuse', async () => {
    const { access_token } = await tokensOf(party);
    const { status, headers } = await ask(party, '/oidc/revocation', access_token);
    expect([status, headers.get('content-length'), headers.get('content-type')]).toEqual([
      200,
      '0',
      'application/json',
    ]);
  });

  it.each(['access_token', 'refresh_token'] as const)(
    '7009, 2.2.1: the %s is revoked by the retry after a 503, with all of its grant',
    async (kind) => {
      const tokens = await tokensOf(party);
      await sql`create function fails() returns trigger language plpgsql as
        $$begin raise exception 'not deleted' using errcode = '57P01'; end$$`.execute(app.db);
      await sql
        .raw(`create trigger fails before delete on oidc_artifacts for each row
        when (old.model = '${kind === 'access_token' ? 'RefreshToken' : 'AccessToken'}') execute function fails()`)
        .execute(app.db);
      const failed = await post('/oidc/revocation', {
        body: { ...credentialsOf(party), token: String(tokens[kind]) },
      });
      await sql`drop function fails cascade`.execute(app.db);
      expect(failed.status).toBe(503);
      expect((await ask(party, '/oidc/revocation', tokens[kind])).status).toBe(200);
      for (const token of [tokens.access_token, tokens.refresh_token])
        expect((await ask(party, '/oidc/introspection', token)).json).toEqual({ active: false });
    },
  );

  it('7009, 2.1: an application revokes what is its own, by any hint; another one is told that it may not', async () => {
    for (const at of [party, publicParty]) {
      for (const [kind, hint] of [
        ['access_token', 'refresh_token'],
        ['refresh_token', 'access_token'],
      ] as const) {
        const tokens = await tokensOf(at);
        const authorization = `Bearer ${tokens.access_token}`;
        const other = at === party ? publicParty : party;
        const refused = await ask(other, '/oidc/revocation', tokens[kind]);
        // Who proves nothing is told nothing either.
        expect(refused.status).toBe(other === party ? 400 : 200);
        expect((await userinfo({ authorization })).status).toBe(200);
        expect((await ask(at, '/oidc/revocation', tokens[kind], hint)).status).toBe(200);
        expect((await userinfo({ authorization })).status).toBe(401);
        expect((await refresh(at, tokens.refresh_token)).error).toBe('invalid_grant');
      }
    }
    const fields = await fresh();
    expect((await ask(party, '/oidc/revocation', fields.code)).status).toBe(200);
    expect((await ask(party, '/oidc/revocation', 'made-up')).status).toBe(200);
    expect((await post('/oidc/revocation', { body: credentialsOf(party) })).error).toBe('invalid_request');
    expect((await post('/oidc/token', { body: { ...fields, ...credentialsOf(party) } })).status).toBe(200);
  });
});
