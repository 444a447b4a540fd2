import fc from 'fast-check';
import { Pool } from 'undici';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { OIDC_ENDPOINTS } from '../../contract/oidc.ts';
import { letIn } from '../fixtures/registry.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { Browser } from '../harness/browser.ts';
import { addRelyingParty, REDIRECT_URI, type RelyingParty } from '../harness/relying-party.ts';

const ALLIANCE = 99_000_001;
const CORPORATION = 98_000_011;
const MEMBER = 2_112_000_049;
const REQUESTS = 640;
const AT_ONCE = 8;

let app: TestApp;
let party: RelyingParty;
let pool: Pool;
/** What is right in some request, by parameter. */
let known: Readonly<Record<string, readonly string[]>>;
/** Values of cookies, and of the header `Authorization`, that a browser or an application may send. */
let cookies: readonly string[];
let credentials: readonly string[];
/** Interactions that are under way. */
let uids: readonly string[];

beforeAll(async () => {
  app = await startTestApp();
  await letIn(app, { alliances: [ALLIANCE], corporations: [CORPORATION] });
  party = await addRelyingParty(app, { first_party: false });
  pool = new Pool(app.url, { connections: AT_ONCE });
  const tokens = await party.signIn(new Browser(app, { choice: { characterId: MEMBER } }), {
    scope: 'openid profile groups offline_access',
    prompt: 'consent',
  });
  const { client_id, client_secret = '' } = party.client;
  const waiting = new Browser(app, { choice: { characterId: MEMBER } });
  const begun = await party.begin();
  const { landed, verifier } = await party.visit(new Browser(app, { choice: { characterId: MEMBER } }));
  // Waits for consent.
  const paused = await waiting.go(begun.url);
  uids = [...paused.html.matchAll(/interaction\/([\w-]+)/g)].map(([, uid]) => uid ?? '');
  cookies = [waiting.cookies.map(({ name, value }) => `${name}=${value}`).join('; ')];
  const basic = Buffer.from(`${client_id}:${client_secret}`).toString('base64');
  credentials = [
    `Basic ${basic}`,
    `Bearer ${tokens.access_token}`,
    'Basic',
    'Bearer a\u00ff',
    'Basic JTAwOg==',
  ];
  known = {
    ...{ client_id: [client_id], client_secret: [client_secret], redirect_uri: [REDIRECT_URI] },
    ...{ response_type: ['code'], response_mode: ['query', 'form_post', 'fragment'] },
    ...{ scope: ['openid profile groups', 'openid offline_access'], prompt: ['none', 'login', 'consent'] },
    ...{
      code_challenge: [begun.url.searchParams.get('code_challenge') ?? ''],
      code_challenge_method: ['S256'],
    },
    ...{ state: ['state'], nonce: ['nonce'], max_age: ['0', '3600', '-1', '1e9'], display: ['popup'] },
    ...{
      grant_type: ['authorization_code', 'refresh_token'],
      code: [landed.url.searchParams.get('code') ?? ''],
    },
    ...{ code_verifier: [verifier], refresh_token: [tokens.refresh_token ?? ''] },
    ...{ token: [tokens.access_token, tokens.refresh_token ?? '', tokens.id_token ?? ''] },
    ...{ token_type_hint: ['access_token', 'refresh_token', 'id_token'] },
    ...{ id_token_hint: [tokens.id_token ?? ''], post_logout_redirect_uri: [REDIRECT_URI] },
    ...{ logout_hint: ['somebody'], ui_locales: ['en'], login_hint: ['x'], acr_values: ['1'], xsrf: ['x'] },
    ...{ claims: ['{"userinfo":{"groups":null}}', '{"id_token":[]}'], request: ['a.b.c'], logout: ['yes'] },
    ...{ request_uri: ['urn:x', 'http://127.0.0.1:9/'], resource: ['urn:x'], assertion: ['a.b.c'] },
    ...{ client_assertion: ['a.b.c'], client_assertion_type: ['urn:x'], access_token: [tokens.access_token] },
  };
});
afterAll(async () => {
  await pool.close();
  await app.stop();
});

const METHOD = 'code_challenge_method';

const STRANGE = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  '%00',
  '%',
  'null',
  '[]',
  '{}',
  '{"__proto__":{}}',
  '0',
  '-1',
  '9'.repeat(30),
  '🚀',
  'x'.repeat(1_900),
  'javascript:alert(1)',
  'http://[',
  'a b\r\nSet-Cookie: x=1',
];

interface Sent {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** A request with the parameters of all endpoints, right or strange, given once or more often. */
function requests(): fc.Arbitrary<Sent> {
  const names = [...Object.keys(known), '__proto__', 'constructor', 'x[y]', ''];
  const pair = fc.constantFrom(...names).chain((name) => {
    const right = Object.hasOwn(known, name) ? (known[name] ?? []) : ['x'];
    const value = fc.oneof(
      { weight: 1, arbitrary: fc.constantFrom(...right) },
      { weight: 1, arbitrary: fc.constantFrom(...STRANGE) },
    );
    return value.map((one): [string, string] => [name, one]);
  });
  const first = (...of: string[]) => of.map((name): [string, string] => [name, known[name]?.[0] ?? '']);
  const asking = first(...['client_id', 'redirect_uri', 'response_type', 'scope'], 'code_challenge', METHOD);
  const [redeeming, refreshing] = [first('code', 'redirect_uri', 'code_verifier'), first('refresh_token')];
  const usual = fc.oneof(
    { weight: 6, arbitrary: fc.constant(asking) },
    fc.constant([...redeeming, ['grant_type', 'authorization_code'] as const]),
    fc.constant([...refreshing, ['grant_type', 'refresh_token'] as const]),
    fc.constant(first('token')),
    fc.subarray([...asking, ...redeeming]),
  );
  const { authorization, token, ...others } = OIDC_ENDPOINTS;
  const endpoint = fc.oneof(
    { weight: 3, arbitrary: fc.constant(authorization) },
    { weight: 1, arbitrary: fc.constant(token) },
    { weight: 4, arbitrary: fc.constantFrom(...Object.values(others)) },
  );
  return fc
    .record({
      endpoint,
      which: fc.nat({ max: 9 }),
      uid: fc.constantFrom(...uids, 'nobody', '%00', '%ff', 'a%2Fb', 'x'.repeat(300)),
      usual,
      more: fc.array(pair, { maxLength: 6 }),
      inBody: fc.boolean(),
      type: fc.constantFrom('application/x-www-form-urlencoded', 'application/json', 'text/plain', ''),
      authorization: fc.option(fc.constantFrom(...credentials)),
      cookie: fc.option(fc.constantFrom(...cookies, '_session=x; _interaction=%00', '=', 'a'.repeat(4_000))),
      accept: fc.constantFrom('text/html', 'application/json', '*/*', 'x/y;q=2'),
    })
    .map(({ endpoint, which, uid, usual, more, inBody, type, authorization, cookie, accept }) => {
      const { methods } = endpoint;
      const method = which === 9 ? 'POST' : (methods[which % methods.length] ?? 'GET');
      const form = new URLSearchParams(
        [...usual, ...more].map(([name, value]): [string, string] => [name, value]),
      ).toString();
      const path = endpoint.path.replace(':uid', uid);
      const posted = method === 'POST' && inBody;
      return {
        method,
        path: posted ? path : `${path}?${form}`,
        headers: {
          accept,
          ...(posted && type !== '' && { 'content-type': type }),
          ...(authorization !== null && { authorization }),
          ...(cookie !== null && { cookie }),
        },
        body: posted ? form : null,
      };
    });
}

it('D3: random requests to the endpoints of OpenID Connect are refused or answered, none with a crash', async () => {
  const statuses: Record<string, number> = {};
  const batch = fc.array(requests(), { minLength: AT_ONCE, maxLength: AT_ONCE });
  const property = fc.asyncProperty(batch, async (all) => {
    await Promise.all(
      all.map(async (sent) => {
        const answer = await pool.request(sent);
        const text = await answer.body.text();
        const seen = `${JSON.stringify(sent)} → ${answer.statusCode} ${text.slice(0, 500)}`;
        expect(answer.statusCode, seen).toBeLessThan(500);
        expect(answer.headers['x-request-id'], seen).toBeDefined();
        statuses[answer.statusCode] = (statuses[answer.statusCode] ?? 0) + 1;
      }),
    );
  });
  await fc.assert(property, { numRuns: REQUESTS / AT_ONCE, endOnFailure: true, includeErrorInReport: true });
  for (const status of [200, 303, 400, 401, 405])
    expect(statuses[status] ?? 0, `${status}`).toBeGreaterThan(0);
  expect(await app.db.selectFrom('crash_reports').select('id').execute()).toEqual([]);
});
