import * as openid from 'openid-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadIdTokenKeys } from '../../server/keys/id-token-keys.ts';
import { letIn } from '../fixtures/registry.ts';
import { BASE_URL, startTestApp, type TestApp } from '../harness/app.ts';
import { Browser, type Landed } from '../harness/browser.ts';
import { addRelyingParty, REDIRECT_URI, type RelyingParty } from '../harness/relying-party.ts';

const ALLIANCE = 99_000_001;
const CORPORATION = 98_000_011;
const [MEMBER, OTHER] = [2_112_000_049, 2_112_000_028];
const ORIGIN = { origin: 'https://wiki.example' };

let app: TestApp;
let party: RelyingParty;
const browserOf = (characterId: number = MEMBER) => new Browser(app, { choice: { characterId } });
const asksTheGame = ({ visited }: Browser) =>
  visited.filter((url) => url.startsWith(app.provider.ssoUrl)).length;

beforeAll(async () => {
  app = await startTestApp();
  await letIn(app, { alliances: [ALLIANCE], corporations: [CORPORATION] });
  party = await addRelyingParty(app);
});
afterAll(() => app.stop());

/** What the application is told, in whichever part of its address. */
const toldIn = ({ url }: Landed) =>
  Object.fromEntries(new URLSearchParams(url.hash === '' ? url.search : url.hash.slice(1)));

async function answerTo(browser: Browser, more: Record<string, string>, at = party) {
  return toldIn((await at.visit(browser, more)).landed);
}

/** A request whose query a test writes itself. */
async function asked(change: (query: URLSearchParams) => void, browser = browserOf()): Promise<Landed> {
  const { url } = await party.begin();
  change(url.searchParams);
  return browser.go(url);
}

describe('OpenID Connect Discovery 1.0', () => {
  it('3: the metadata says exactly what is offered', async () => {
    const metadata = (await (await fetch(`${app.url}/.well-known/openid-configuration`)).json()) as Record<
      string,
      unknown
    >;
    expect(metadata).toEqual({
      issuer: BASE_URL,
      authorization_endpoint: `${BASE_URL}/oidc/auth`,
      token_endpoint: `${BASE_URL}/oidc/token`,
      userinfo_endpoint: `${BASE_URL}/oidc/userinfo`,
      introspection_endpoint: `${BASE_URL}/oidc/introspection`,
      revocation_endpoint: `${BASE_URL}/oidc/revocation`,
      end_session_endpoint: `${BASE_URL}/oidc/logout`,
      jwks_uri: `${BASE_URL}/.well-known/jwks.json`,
      response_types_supported: ['code'],
      response_modes_supported: ['form_post', 'fragment', 'query'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256', 'EdDSA'],
      scopes_supported: ['openid', 'offline_access', 'profile', 'groups'],
      claim_types_supported: ['normal'],
      claims_supported: expect.arrayContaining(['sub', 'iss', 'auth_time', 'sid', 'name', 'groups']),
      code_challenge_methods_supported: ['S256'],
      prompt_values_supported: ['none', 'login', 'consent', 'select_account'],
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
      revocation_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
      introspection_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
      authorization_response_iss_parameter_supported: true,
      claims_parameter_supported: false,
      request_uri_parameter_supported: false,
      backchannel_logout_supported: true,
      backchannel_logout_session_supported: true,
    });
    const addresses = Object.entries(metadata).filter(([name]) => /(_endpoint|_uri)$/.test(name));
    for (const [name, address] of addresses) {
      const { status } = await fetch(String(address).replace(BASE_URL, app.url), { redirect: 'manual' });
      expect([name, status], name).not.toEqual([name, 404]);
    }
  });

  it('RFC 9700, 2.6: scripts of every origin may ask where programs ask, and nowhere else', async () => {
    const asking = { ...ORIGIN, 'access-control-request-headers': 'authorization,content-type' };
    for (const [method, path] of [
      ['GET', '/.well-known/openid-configuration'],
      ['GET', '/.well-known/jwks.json'],
      ['POST', '/oidc/token'],
      ['GET', '/oidc/userinfo'],
      ['POST', '/oidc/revocation'],
    ] as const) {
      const headers = { ...asking, 'access-control-request-method': method };
      const preflight = await fetch(app.url + path, { method: 'OPTIONS', headers });
      expect([path, preflight.status]).toEqual([path, 204]);
      const allowed = preflight.headers.get('access-control-allow-headers')?.toLowerCase();
      expect(allowed).toMatch(/authorization,content-type/);
      for (const answer of [preflight, await fetch(app.url + path, { method, headers: ORIGIN })]) {
        expect(answer.headers.get('access-control-allow-origin'), path).toBe('*');
        expect(answer.headers.get('access-control-allow-credentials'), path).toBeNull();
      }
    }
    for (const path of ['/oidc/auth', '/oidc/logout', '/oidc/interaction/x', '/oidc/auth/x']) {
      for (const method of ['GET', 'OPTIONS']) {
        const headers = { ...asking, 'access-control-request-method': 'GET' };
        const answer = await fetch(app.url + path, { method, headers, redirect: 'manual' });
        expect(answer.headers.get('access-control-allow-origin'), path).toBeNull();
      }
    }
  });
});

describe('OpenID Connect Core 1.0, 3.1.2.1: prompts', () => {
  it('prompt=none asks nobody: what is missing is an error', async () => {
    const asking = await addRelyingParty(app, { first_party: false });
    const browser = browserOf();
    expect(await answerTo(browser, { prompt: 'none' }, asking)).toMatchObject({ error: 'login_required' });
    await party.signIn(browser);
    expect(await answerTo(browser, { prompt: 'none' }, asking)).toMatchObject({ error: 'consent_required' });
    for (const more of [{ max_age: '0' }, { id_token_hint: await hint(OTHER) }]) {
      expect(await answerTo(browser, { prompt: 'none', ...more })).toMatchObject({ error: 'login_required' });
    }
    expect(asksTheGame(browser)).toBe(1);
  });

  it('prompt=login and max_age=0 ask the game again; auth_time is of then, and in the ID token', async () => {
    const browser = browserOf();
    const times: unknown[] = [];
    for (const more of [{}, { prompt: 'login' }, { max_age: '0' }] as Record<string, string>[]) {
      times.push((await party.signIn(browser, more)).claims()?.auth_time);
      app.clock.advance(1_000);
    }
    const last = Math.floor(app.clock.now().getTime() / 1000) - 1;
    expect(times).toEqual([undefined, last - 1, last]);
    expect(asksTheGame(browser)).toBe(3);
  });

  it('prompt=select_account lets the player choose, with a session and without, and asks once', async () => {
    const browser = browserOf();
    const choosing = { prompt: 'select_account' };
    expect((await party.signIn(browser, choosing)).claims()?.sub).toBe(String(MEMBER));
    expect(asksTheGame(browser)).toBe(1);
    browser.choice = { characterId: OTHER };
    expect((await party.signIn(browser, choosing)).claims()?.sub).toBe(String(OTHER));
    expect(asksTheGame(browser)).toBe(2);
    // Together with the others.
    const asking = await addRelyingParty(app, { first_party: false });
    const all = { prompt: 'login select_account consent' };
    expect((await asking.signIn(browser, all)).claims()?.sub).toBe(String(OTHER));
    expect(asksTheGame(browser)).toBe(3);
  });

  it('id_token_hint: who is asked for signs in, or it is login_required', async () => {
    const browser = browserOf();
    const id_token_hint = await hint(OTHER);
    expect(await answerTo(browser, { id_token_hint })).toMatchObject({ error: 'login_required' });
    expect(asksTheGame(browser)).toBe(1);
    browser.choice = { characterId: OTHER };
    expect((await party.signIn(browser, { id_token_hint })).claims()?.sub).toBe(String(OTHER));
    expect((await party.signIn(browser, { id_token_hint, prompt: 'none' })).claims()?.sub).toBe(
      String(OTHER),
    );
  });

  it('id_token_hint: one that has expired does, one of another application or issuer does not', async () => {
    const browser = browserOf();
    await party.signIn(browser);
    const wrong = { error: 'invalid_request' };
    expect(
      await answerTo(browser, { id_token_hint: await hint(MEMBER, { exp: 1_700_000_000 }) }),
    ).toHaveProperty('code');
    const others = [
      await hint(MEMBER, { aud: 'f'.repeat(24) }),
      await hint(MEMBER, {}, 'https://evil.example'),
    ];
    for (const id_token_hint of others)
      expect(await answerTo(browser, { id_token_hint })).toMatchObject(wrong);
    const [, payload] = (await hint(MEMBER)).split('.');
    const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${payload}.`;
    expect(await answerTo(browser, { id_token_hint: unsigned })).toMatchObject(wrong);
  });

  it('15.1: what is not supported is no error, and claimed by nobody', async () => {
    const tokens = await party.signIn(browserOf(), {
      display: 'touch',
      ui_locales: 'de fr-CA',
      claims_locales: 'de',
      acr_values: 'gold silver',
      login_hint: 'somebody@example.com',
      claims: '{"id_token":{"name":{"essential":true},"acr":{"essential":true,"values":["gold"]}}}',
    });
    expect(tokens.claims()).not.toHaveProperty('acr');
    expect(tokens.claims()).not.toHaveProperty('name');
  });

  /** An ID token as the service signs it. */
  async function hint(sub: number, claims: object = {}, issuer = BASE_URL): Promise<string> {
    const now = Math.floor(Date.now() / 1000);
    const keys = await loadIdTokenKeys(app.app.services.settings.tokenSigningKeys, issuer);
    return keys.sign('RS256', 'JWT', {
      ...{ sub: String(sub), aud: party.client.client_id, iat: now - 3_600, exp: now + 3_600 },
      ...claims,
    });
  }
});

describe('RFC 6749, 3 and 4.1: requests and answers', () => {
  it('3.3: a request without a scope that is known is an invalid_scope, before anybody signs in', async () => {
    const browser = browserOf();
    for (const scope of [undefined, '', 'colours', 'colours shapes']) {
      const landed = await asked((query) => {
        query.delete('nonce');
        if (scope === undefined) query.delete('scope');
        else query.set('scope', scope);
      }, browser);
      expect(toldIn(landed), String(scope)).toMatchObject({ error: 'invalid_scope', iss: BASE_URL });
    }
    expect(asksTheGame(browser)).toBe(0);
  });

  it('3.1: no parameter may be there twice; which URI or client was meant, nobody guesses', async () => {
    const browser = browserOf();
    await party.signIn(browser);
    const { url } = await party.begin({ response_mode: 'query', prompt: 'login', max_age: '9' });
    for (const [name, value] of url.searchParams) {
      const twice = new URL(url);
      twice.searchParams.append(name, value);
      const landed = await browser.go(twice);
      const told = toldIn(landed);
      expect(told, name).not.toHaveProperty('code');
      if (name === 'client_id' || name === 'redirect_uri') {
        expect([name, landed.page?.status]).toEqual([name, 400]);
      } else expect(told, name).toMatchObject({ error: 'invalid_request', iss: BASE_URL });
      if (name === 'state') expect(told).not.toHaveProperty('state');
    }
    const smuggled = await asked((query) => query.append('redirect_uri', 'https://evil.example/'), browser);
    expect(smuggled.url.origin).toBe(BASE_URL);
    // A form has its parameters in its body alone.
    const { url: form } = await party.begin();
    const posted = await browser.ask(
      new URL(`${BASE_URL}/oidc/auth?redirect_uri=https://evil.example/`),
      form.searchParams,
    );
    const next = new URL(posted.headers.get('location') ?? '', BASE_URL);
    expect(next.searchParams.getAll('redirect_uri')).toEqual([REDIRECT_URI]);
  });

  it('3.1: an empty parameter counts as none', async () => {
    const landed = await asked((query) => {
      for (const name of ['nonce', 'prompt', 'max_age', 'id_token_hint', 'state', 'request'])
        query.set(name, '');
    });
    expect(Object.keys(toldIn(landed)).sort()).toEqual(['code', 'iss']);
    expect(toldIn(await asked((query) => query.set('response_type', '')))).toMatchObject({
      error: 'invalid_request',
    });
  });

  it('4.1.2.1: where client or redirect URI is wrong nobody is sent anywhere, whatever else is wrong', async () => {
    const browser = browserOf();
    for (const wrong of [
      { client_id: '' },
      { client_id: 'f'.repeat(24) },
      { client_id: "' or 1=1 --" },
      { redirect_uri: '' },
      { redirect_uri: 'https://evil.example/' },
      { redirect_uri: 'javascript:alert(1)' },
      { redirect_uri: `${REDIRECT_URI}#@evil.example` },
    ]) {
      for (const more of [
        {},
        { response_type: 'token' },
        { scope: '' },
        { prompt: 'none' },
        { request: 'x' },
      ]) {
        const landed = await asked((query) => {
          for (const [name, value] of Object.entries({ ...more, ...wrong })) query.set(name, value);
        }, browser);
        expect([landed.url.origin, landed.page?.status], JSON.stringify(wrong)).toEqual([BASE_URL, 400]);
      }
    }
    expect(asksTheGame(browser)).toBe(0);
  });

  it('3.1.2: the query of a redirect URI stays; the answer comes beside it', async () => {
    const redirect = 'https://wiki.example/back?page=Main%20Hall&x=1';
    const keeping = await addRelyingParty(app, { redirect_uris: [redirect] });
    const { landed } = await keeping.visit(browserOf());
    expect(Object.fromEntries(landed.url.searchParams)).toEqual({
      ...{ page: 'Main Hall', x: '1', iss: BASE_URL },
      ...{ code: expect.any(String), state: expect.any(String) },
    });
  });

  it('RFC 9207, 2: answers and errors name the issuer, in every response mode; state comes along', async () => {
    const browser = browserOf();
    for (const response_mode of ['query', 'fragment', 'form_post']) {
      for (const more of [{}, { prompt: 'none login' }]) {
        const { url, state } = await party.begin({ response_mode, ...more });
        const landed = response_mode === 'form_post' ? undefined : await browser.go(url);
        const told = landed === undefined ? await posted(browser, url) : toldIn(landed);
        const what = 'prompt' in more ? { error: 'invalid_request' } : { code: expect.any(String) };
        expect(told, response_mode).toMatchObject({ ...what, state, iss: BASE_URL });
        if (landed !== undefined) expect(landed.url.hash === '').toBe(response_mode === 'query');
      }
    }
    expect(toldIn(await asked((query) => query.set('response_mode', 'pigeon')))).toMatchObject({
      error: 'unsupported_response_mode',
    });
  });

  it('10.14: what a request brings along is text on every page, never markup', async () => {
    const browser = browserOf();
    await party.signIn(browser);
    const hostile = `"><script>alert(1)</script>`;
    const { url } = await party.begin({ response_mode: 'form_post', state: hostile });
    const form = await (await browser.ask(url)).text();
    expect(form).toContain('&lt;script&gt;alert(1)');
    const pages = [
      form,
      (await asked((query) => query.set('client_id', hostile))).html,
      (await browser.go(`${BASE_URL}/oidc/logout?id_token_hint=${encodeURIComponent(hostile)}`)).html,
      (await browser.go(`${BASE_URL}/oidc/interaction/${encodeURIComponent(hostile)}`)).html,
    ];
    for (const html of pages) expect(html).not.toContain('<script>alert');
  });

  it('RFC 9700, 4.12: every redirect is a 303, which brings no form along', async () => {
    const asking = await addRelyingParty(app, {
      first_party: false,
      post_logout_redirect_uris: ['https://wiki.example/bye'],
    });
    const browser = browserOf();
    const statuses = new Set<number>();
    const ask = browser.ask.bind(browser);
    browser.ask = async (...given) => {
      const answer = await ask(...given);
      if (answer.headers.has('location')) statuses.add(answer.status);
      return answer;
    };
    const { url } = await asking.begin();
    const consent = await browser.go(url.origin + url.pathname, Object.fromEntries(url.searchParams));
    const back = await browser.press(consent);
    expect(back.url.searchParams.get('code')).toBeTruthy();
    const leaving = openid.buildEndSessionUrl(asking.config, {
      post_logout_redirect_uri: 'https://wiki.example/bye',
    });
    const { url: bye } = await browser.press(await browser.go(leaving), 'logout');
    expect(bye.href).toBe('https://wiki.example/bye');
    // The callback of the game is a plain GET, whose answer is an address alone.
    expect([...statuses].filter((status) => status !== 302)).toEqual([303]);
    expect([...statuses]).not.toContain(307);
  });

  /** The fields of the form that a page sends to the application by itself. */
  async function posted(browser: Browser, url: URL): Promise<Record<string, string>> {
    const html = await (await browser.ask(url)).text();
    expect(html).toContain(`action="${REDIRECT_URI}"`);
    const fields = [...html.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)];
    return Object.fromEntries(fields.map(([, name = '', value = '']) => [name, value]));
  }
});
