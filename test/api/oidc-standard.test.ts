import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { compactVerify, createLocalJWKSet, decodeJwt, decodeProtectedHeader } from 'jose';
import * as openid from 'openid-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { letIn } from '../fixtures/registry.ts';
import { BASE_URL, startTestApp, type TestApp } from '../harness/app.ts';
import { Browser } from '../harness/browser.ts';
import {
  addRelyingParty,
  postForm,
  REDIRECT_URI,
  type RelyingParty,
  relyingParty,
} from '../harness/relying-party.ts';
import { send } from '../harness/send.ts';

const CORPORATION = 98_000_011;
const MEMBER = 2_112_000_049;

let app: TestApp;
let party: RelyingParty;
const browserOf = () => new Browser(app, { choice: { characterId: MEMBER } });
const getJson = async (path: string) =>
  (await fetch(app.url + path)).json() as Promise<Record<string, unknown>>;

beforeAll(async () => {
  app = await startTestApp();
  await letIn(app, { corporations: [CORPORATION] });
  party = await addRelyingParty(app);
});
afterAll(() => app.stop());

/** The parameters with which a browser returns. */
async function answerTo(more: Record<string, string>, drop: readonly string[] = []) {
  const { url, state } = await party.begin(more);
  for (const name of drop) url.searchParams.delete(name);
  const landed = await browserOf().go(url);
  return { ...landed, state, error: landed.url.searchParams.get('error') };
}

describe('OpenID Connect Discovery 1.0', () => {
  let metadata: Record<string, unknown>;
  beforeAll(async () => {
    metadata = await getJson('/.well-known/openid-configuration');
  });

  it('4: it is JSON at the well-known path, for every origin', async () => {
    const answer = await fetch(`${app.url}/.well-known/openid-configuration`, {
      headers: { origin: 'https://wiki.example' },
    });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
  });

  it('3: the issuer is BASE_URL, whatever host and scheme a request has', async () => {
    const answer = await send(app, 'GET', '/.well-known/openid-configuration', {
      headers: {
        host: 'localhost',
        'x-forwarded-host': 'evil.example',
        'x-forwarded-proto': 'http',
        forwarded: 'host=evil.example',
      },
    });
    expect(answer.text).not.toContain('evil.example');
    expect(answer.text).not.toContain('localhost');
    expect(answer.json).toEqual(metadata);
  });

  it.each(['/.well-known/openid-configuration', '/oidc/logout', '/oidc/auth?client_id=none'])(
    '3: nor does the host in a request line get into the answer of %s',
    async (path) => {
      const answerTo = async (target: string) => {
        const sent = request(app.url, { path: target }).end();
        const [answer] = (await once(sent, 'response')) as [IncomingMessage];
        // Forms have a secret of their own.
        return [answer.statusCode, (await text(answer)).replace(/value="[^"]*"/g, '')];
      };
      const usual = await answerTo(path);
      for (const origin of ['http://evil.example', 'HTTPS://evil.example:8443', 'http://a:b@evil.example']) {
        expect(await answerTo(origin + path)).toEqual(usual);
      }
    },
  );

  it('D80: the key set contains the signing keys, without private parts', async () => {
    const { keys } = (await getJson('/.well-known/jwks.json')) as { keys: Record<string, unknown>[] };
    expect(keys.map(({ kty, alg }) => [kty, alg])).toEqual([
      ['OKP', 'EdDSA'],
      ['RSA', 'RS256'],
    ]);
    for (const key of keys) {
      expect(key).toMatchObject({ use: 'sig', kid: expect.any(String) });
      expect(Object.keys(key)).not.toEqual(
        expect.arrayContaining([expect.stringMatching(/^(d|p|q|dp|dq|qi)$/)]),
      );
    }
    expect(new Set(keys.map(({ kid }) => kid)).size).toBe(keys.length);
  });
});

describe('OpenID Connect Core 1.0, 3.1.2: authorization', () => {
  it('3.1.2.1: GET and POST have the same effect', async () => {
    const { url, ...begun } = await party.begin();
    const browser = browserOf();
    const landed = await browser.go(url.origin + url.pathname, Object.fromEntries(url.searchParams));
    expect((await party.redeem({ url, ...begun }, landed.url)).claims()?.sub).toBe(String(MEMBER));
  });

  it('3.1.2.1: the scope openid makes it a request of OpenID Connect: without it there is no ID token', async () => {
    const { url, verifier } = await party.begin({ scope: 'profile' });
    const landed = await browserOf().go(url);
    const code = landed.url.searchParams.get('code') ?? '';
    if (code !== '') {
      const { json } = await redeem(code, verifier);
      expect(json.id_token).toBeUndefined();
    } else expect(landed.url.searchParams.get('error')).toBeTruthy();
  });

  it('3.1.2.2: unknown parameters are ignored', async () => {
    expect((await answerTo({ colour: 'red' })).error).toBeNull();
  });

  it('3.1.2.2: unknown scopes are ignored', async () => {
    expect((await answerTo({ scope: 'openid colours' })).error).toBeNull();
  });

  it.each([
    ['an unknown response type', { response_type: 'code id_token' }, 'unsupported_response_type'],
    ['a response type of the implicit flow', { response_type: 'id_token' }, 'unsupported_response_type'],
    ['prompt=none with another', { prompt: 'none login' }, 'invalid_request'],
    ['an unknown prompt', { prompt: 'dance' }, 'invalid_request'],
    ['a max_age that is none', { max_age: '-1' }, 'invalid_request'],
    ['a request object', { request: 'eyJhbGciOiJub25lIn0.e30.' }, 'request_not_supported'],
    ['a request by reference', { request_uri: 'https://wiki.example/request' }, 'request_uri_not_supported'],
    ['dynamic registration', { registration: '{}' }, 'registration_not_supported'],
    ['an ID token as hint that is none', { id_token_hint: 'nonsense' }, 'invalid_request'],
  ])('3.1.2.6: %s is told to the application, with its state', async (_, more, error) => {
    const answer = await answerTo(more);
    expect(answer.url.origin + answer.url.pathname).toBe(REDIRECT_URI);
    const given = Object.fromEntries(new URLSearchParams(answer.url.search || answer.url.hash.slice(1)));
    expect(given).toMatchObject({ error, state: answer.state });
    expect(given.code).toBeUndefined();
  });

  it('3.1.2.5: state comes back as it was sent, whatever it is', async () => {
    const state = 'ä & <b> %20 "quoted" +';
    const landed = await browserOf().go((await party.begin({ state })).url);
    expect(landed.url.searchParams.get('state')).toBe(state);
  });

  it('response modes: query by default, also fragment and form_post', async () => {
    expect((await answerTo({})).url.searchParams.get('code')).toBeTruthy();
    const { url } = await answerTo({ response_mode: 'fragment' });
    expect(new URLSearchParams(url.hash.slice(1)).get('code')).toBeTruthy();
    const browser = browserOf();
    await party.signIn(browser);
    const posted = await browser.ask((await party.begin({ response_mode: 'form_post' })).url);
    const html = await posted.text();
    expect(html).toContain(`action="${REDIRECT_URI}"`);
    const policy = posted.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("form-action 'self' https:");
    expect(policy).toMatch(/script-src 'sha256-[\w+/=]+'/);
  });

  it('a HEAD request of a link starts nothing: 405', async () => {
    const { url } = await party.begin();
    for (const path of [url.pathname + url.search, '/oidc/logout', '/oidc/interaction/x']) {
      const answer = await fetch(app.url + path, { method: 'HEAD' });
      expect(answer.status, path).toBe(405);
      expect(answer.headers.get('allow'), path).not.toContain('HEAD');
    }
  });

  it('OPTIONS of such a path is a 405 that names no HEAD', async () => {
    for (const path of ['/callback/ext', '/oidc/auth', '/oidc/interaction/x']) {
      const answer = await fetch(app.url + path, { method: 'OPTIONS' });
      expect([path, answer.status]).toEqual([path, 405]);
      expect(answer.headers.get('allow'), path).toMatch(/^GET(, POST)?$/);
    }
  });

  it('a HEAD request for the claims of a user answers as GET does, without them', async () => {
    const answer = await fetch(`${app.url}/oidc/userinfo`, { method: 'HEAD' });
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, expect.any(String)]);
  });

  it('D3: an unknown path is a 404, a wrong method a 405', async () => {
    for (const path of [
      '/oidc',
      '/oidc/reg',
      '/oidc/device',
      '/oidc/request',
      '/oidc/jwks',
      '/auth',
      '/token/introspection',
    ])
      expect((await fetch(app.url + path)).status, path).toBe(404);
    const wrong = await fetch(`${app.url}/oidc/token`);
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'POST']);
  });
});

const redeem = (code: string, code_verifier: string, more: Record<string, string> = {}) =>
  postForm(app, '/oidc/token', {
    ...{ grant_type: 'authorization_code', code, code_verifier, redirect_uri: REDIRECT_URI },
    ...{ client_id: party.client.client_id, client_secret: party.client.client_secret ?? '', ...more },
  });

async function freshCode(more?: Record<string, string>) {
  const { landed, ...begun } = await party.visit(browserOf(), more);
  return { ...begun, code: landed.url.searchParams.get('code') ?? '' };
}

describe('OpenID Connect Core 1.0, 3.1.3: tokens', () => {
  it('3.1.3.3: answers are JSON that must not be stored, of type Bearer', async () => {
    const { code, verifier } = await freshCode();
    const { status, json, headers } = await redeem(code, verifier);
    expect(status).toBe(200);
    expect(json).toMatchObject({ token_type: 'Bearer', expires_in: 600, scope: 'openid profile groups' });
    expect(headers.get('cache-control')).toContain('no-store');
    expect(headers.get('content-type')).toMatch(/^application\/json/);
  });

  it('3.1.3.2: the client authenticates by Basic, or in the body', async () => {
    for (const auth of [
      openid.ClientSecretBasic(party.client.client_secret),
      openid.ClientSecretPost(party.client.client_secret),
    ]) {
      const other = await relyingParty(app, party.client, { auth });
      expect((await other.signIn(browserOf())).claims()?.sub).toBe(String(MEMBER));
    }
  });

  it.each([
    ['no grant type', { grant_type: '' }, 'invalid_request'],
    ['the password grant', { grant_type: 'password' }, 'unsupported_grant_type'],
    ['client credentials', { grant_type: 'client_credentials' }, 'unsupported_grant_type'],
    ['no code', { code: '' }, 'invalid_request'],
    ['a code that nobody gave', { code: 'made-up' }, 'invalid_grant'],
    ['no redirect URI', { redirect_uri: '' }, 'invalid_request'],
  ])('3.1.3.4: %s is refused', async (_, more, error) => {
    const { code, verifier } = await freshCode();
    const answer = await redeem(code, verifier, more);
    expect([answer.status, answer.json.error]).toEqual([400, error]);
  });
});

describe('OpenID Connect Core 1.0, 2: the ID token', () => {
  it('2: iss, sub, aud, exp, iat, nonce and sid; nothing that was not requested', async () => {
    const listening = await addRelyingParty(app, { backchannel_logout_uri: 'http://127.0.0.1:9/out' });
    const tokens = await listening.signIn(browserOf());
    const claims = decodeJwt(tokens.id_token ?? '');
    const { sid, ...usual } = claims;
    expect(usual).toEqual({
      iss: BASE_URL,
      sub: String(MEMBER),
      aud: listening.client.client_id,
      iat: expect.any(Number),
      exp: (claims.iat ?? 0) + 3600,
      nonce: expect.any(String),
    });
    expect(sid).toEqual(expect.any(String));
  });

  it.each(['RS256', 'EdDSA'] as const)('15.1: signed with %s by a key of the key set', async (algorithm) => {
    const client = await addRelyingParty(app, { id_token_signed_response_alg: algorithm });
    const { id_token = '' } = await client.signIn(browserOf());
    expect(decodeProtectedHeader(id_token)).toMatchObject({ alg: algorithm, kid: expect.any(String) });
    const keys = (await getJson('/.well-known/jwks.json')) as never;
    await compactVerify(id_token, createLocalJWKSet(keys));
  });

  it('11: offline_access gives a refresh token, nothing else does', async () => {
    expect((await party.signIn(browserOf())).refresh_token).toBeUndefined();
    const offline = await party.signIn(browserOf(), { scope: 'openid offline_access' });
    expect(offline.refresh_token).toEqual(expect.any(String));
    const narrower = await openid.refreshTokenGrant(party.config, offline.refresh_token ?? '', {
      scope: 'openid',
    });
    expect(narrower.scope).toBe('openid');
    await expect(
      openid.refreshTokenGrant(party.config, narrower.refresh_token ?? '', { scope: 'openid groups' }),
    ).rejects.toMatchObject({ error: 'invalid_scope' });
  });
});

describe('OpenID Connect Core 1.0, 5.3: userinfo', () => {
  it('the token is not taken from the query, where logs would have it', async () => {
    const { access_token } = await party.signIn(browserOf());
    const answer = await fetch(`${app.url}/oidc/userinfo?access_token=${access_token}`);
    expect(answer.status).toBe(400);
  });
});

describe('RFC 7636: PKCE', () => {
  it('4.6: the right verifier gets tokens, once', async () => {
    const { code, verifier } = await freshCode();
    expect((await redeem(code, verifier)).status).toBe(200);
  });

  it('4.4.1: a challenge of the wrong length is refused', async () => {
    expect((await answerTo({ code_challenge: 'short' })).error).toBe('invalid_request');
  });
});

describe('RFC 7662: introspection', () => {
  it('introspection tells a live token, and nothing of any other', async () => {
    const tokens = await party.signIn(browserOf());
    expect(await openid.tokenIntrospection(party.config, tokens.access_token)).toMatchObject({
      active: true,
      sub: String(MEMBER),
      client_id: party.client.client_id,
      iss: BASE_URL,
      scope: 'openid profile groups',
      token_type: 'Bearer',
      exp: expect.any(Number),
    });
    expect(await openid.tokenIntrospection(party.config, 'made-up')).toEqual({ active: false });
  });
});

describe('D60: rate limits', () => {
  it('D60: requests of an address are limited; browsers get a page', async () => {
    const limited = await startTestApp({ env: { RATE_LIMIT: '5' } });
    const ask = (path: string) =>
      fetch(limited.url + path, { headers: { 'x-forwarded-for': '198.51.100.7' } });
    const statuses: number[] = [];
    for (let n = 0; n < 6; n += 1) statuses.push((await ask('/.well-known/openid-configuration')).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
    const page = await ask('/oidc/auth?client_id=x');
    expect(page.status).toBe(429);
    expect(page.headers.get('content-type')).toMatch(/^text\/html/);
    expect((await fetch(`${limited.url}/oidc/token`, { method: 'POST' })).status).toBe(429);
    await limited.stop();
  });
});

describe('BASE_URL with a path', () => {
  it('D61: all URLs are below it, and it works behind a proxy that strips the path', async () => {
    const deep = await startTestApp({ env: { BASE_URL: 'https://castellan.test/deep/er' } });
    await letIn(deep, { corporations: [CORPORATION] });
    const metadata = (await (await fetch(`${deep.url}/.well-known/openid-configuration`)).json()) as Record<
      string,
      string
    >;
    expect(metadata).toMatchObject({
      issuer: 'https://castellan.test/deep/er',
      authorization_endpoint: 'https://castellan.test/deep/er/oidc/auth',
      jwks_uri: 'https://castellan.test/deep/er/.well-known/jwks.json',
    });
    // The test's application uses the path, which a proxy would strip.
    const at = { ...deep, url: deep.url };
    const there = await addRelyingParty(at, {}, 'https://castellan.test/deep/er');
    const browser = new Browser(deep, {
      choice: { characterId: MEMBER },
      base: 'https://castellan.test/deep/er',
    });
    const tokens = await there.signIn(browser, {});
    expect(tokens.claims()).toMatchObject({ iss: 'https://castellan.test/deep/er', sub: String(MEMBER) });
    expect((await there.signIn(browser)).claims()?.sub).toBe(String(MEMBER));
    expect(browser.visited.filter((url) => url.startsWith(deep.provider.ssoUrl))).toHaveLength(1);
    expect(browser.cookies.length).toBeGreaterThan(2);
    for (const { name, path, attributes } of browser.cookies) {
      expect([name, path]).toEqual([
        name,
        expect.stringMatching(name.startsWith('__Host-') ? /^\/$/ : /^\/deep\/er\//),
      ]);
      expect(attributes.toLowerCase(), name).toMatch(/secure/);
    }
    await deep.stop();
  });
});
