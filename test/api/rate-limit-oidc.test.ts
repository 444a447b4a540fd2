import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { statementsOf } from '../fixtures/grants.ts';
import { letIn } from '../fixtures/registry.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { Browser } from '../harness/browser.ts';
import { addRelyingParty, type RelyingParty } from '../harness/relying-party.ts';
import { send } from '../harness/send.ts';

const LIMIT = 20;
const MEMBER = 2_112_000_049;
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

let app: TestApp;
let party: RelyingParty;
let browser: Browser;

beforeAll(async () => {
  app = await startTestApp({ env: { RATE_LIMIT: String(LIMIT), TRUSTED_PROXIES: '127.0.0.1' } });
  await letIn(app, { corporations: [98_000_011] });
  party = await addRelyingParty(app);
  browser = new Browser(app, { choice: { characterId: MEMBER } });
});
beforeEach(() => app.clock.advance(60_000));
afterAll(() => app.stop());

/** An address that no other test uses. */
let addresses = 0;
const newAddress = () => {
  addresses += 1;
  return `198.18.${addresses >> 8}.${addresses & 255}`;
};
const newToken = async () => (await party.signIn(browser)).access_token;

const introspect = (address: string, authorization?: string) =>
  send(app, 'POST', '/oidc/introspection', {
    headers: { ...FORM, 'x-forwarded-for': address, ...(authorization && { authorization }) },
    body: 'token=made-up',
  });
const userinfo = (address: string, token?: string) =>
  send(app, 'GET', '/oidc/userinfo', { token, headers: { 'x-forwarded-for': address } });
const basic = (secret = party.client.client_secret ?? '') =>
  `Basic ${btoa(`${party.client.client_id}:${secret}`)}`;

/** Sends this many requests concurrently; returns the number of answers by status. */
async function statuses(count: number, ask: (n: number) => Promise<{ readonly status: number }>) {
  const counts: Record<number, number> = {};
  for (const { status } of await Promise.all(Array.from({ length: count }, (_, n) => ask(n))))
    counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}
const remaining = async (answer: ReturnType<typeof send>) => (await answer).headers['ratelimit-remaining'];

it('D60: an application with a secret has ten times RATE_LIMIT, and is not charged to its address', async () => {
  const address = newAddress();
  expect((await introspect(address, basic())).status).toBe(200);
  expect(await statuses(10 * LIMIT + 5, () => introspect(address, basic()))).toEqual({
    200: 10 * LIMIT - 1,
    429: 6,
  });
  const refused = await introspect(newAddress(), basic());
  expect(refused).toMatchObject({
    status: 429,
    json: { detail: 'Too many requests: this application may make 200 a minute.', code: 'rate_limited' },
  });
  expect(await remaining(introspect(address))).toBe(String(LIMIT - 1));
});

it('D60: its limit is one, however it writes its secret, and it is let in where the address has none left', async () => {
  const [one, two] = [newAddress(), newAddress()];
  const [first = '', ...rest] = party.client.client_secret ?? '';
  const other = basic(`%${first.charCodeAt(0).toString(16)}${rest.join('')}`);
  for (const header of [basic(), other]) await introspect(one, header);
  await statuses(LIMIT + 5, () => introspect(two));
  expect((await introspect(two)).status).toBe(429);
  const left = Number(await remaining(introspect(two, basic())));
  expect(Number(await remaining(introspect(two, other)))).toBe(left - 1);
});

it('D60: attack: an application that writes its secret in another way each time has no more for it', async () => {
  const secret = [...(party.client.client_secret ?? '')].map((c) => [c, `%${c.charCodeAt(0).toString(16)}`]);
  const spelt = (n: number) => basic(secret.map((ways, place) => ways[(n >> place) & 1]).join(''));
  expect(await statuses(10 * LIMIT + 5, (n) => introspect(newAddress(), spelt(n)))).toEqual({
    200: 10 * LIMIT,
    429: 5,
  });
});

it('D60, D84: a 429 after the work is done uses up no refresh token', async () => {
  const { refresh_token = '' } = await party.signIn(browser, { scope: 'openid offline_access' });
  await statuses(10 * LIMIT + 5, () => introspect(newAddress(), basic()));
  const secret = [...(party.client.client_secret ?? '')].map((c) => `%${c.charCodeAt(0).toString(16)}`);
  // Not known as the application's yet, as at a process that has just started.
  const headers = { ...FORM, 'x-forwarded-for': newAddress(), authorization: basic(secret.join('')) };
  const body = new URLSearchParams({ grant_type: 'refresh_token', refresh_token }).toString();
  const refresh = () => send(app, 'POST', '/oidc/token', { headers, body });
  expect(await refresh()).toMatchObject({ status: 429, json: { code: 'rate_limited' } });
  app.clock.advance(60_000);
  expect((await refresh()).status).toBe(200);
});

it('D60: each access token has RATE_LIMIT, and is not charged to its address', async () => {
  const tokens = [await newToken(), await newToken()];
  app.clock.advance(60_000);
  const address = newAddress();
  for (const token of tokens) {
    expect((await userinfo(address, token)).status).toBe(200);
    expect(await statuses(LIMIT + 5, () => userinfo(address, token))).toEqual({ 200: LIMIT - 1, 429: 6 });
  }
  expect(await remaining(userinfo(address))).toBe(String(LIMIT - 1));
});

it.each([
  ['secrets of an application', (n: number, address: string) => introspect(address, basic(`wrong-${n}`))],
  ['access tokens', (n: number, address: string) => userinfo(address, `made-up-${n}`)],
])('D60: 700 different wrong %s get a 429 after 20, and cost no more lookups', async (_, ask) => {
  const address = newAddress();
  const windows = async () =>
    (await sql`select from rate_windows where key like 'oidc:%'`.execute(app.db)).rows.length;
  const before = await windows();
  const sent = await statementsOf(app, async () => {
    expect(await statuses(700, (n) => ask(n, address))).toEqual({ 401: LIMIT, 429: 700 - LIMIT });
  });
  expect(sent.filter((sql) => !sql.includes('rate_windows')).length).toBeLessThanOrEqual(3 * LIMIT);
  // Old windows may have been deleted meanwhile.
  expect(await windows()).toBeLessThanOrEqual(before);
  // Nor is the application charged whose id they name.
  const good = newAddress();
  await introspect(good, basic());
  expect(await remaining(introspect(good, basic()))).toMatch(/^19\d$/);
});

it('D60: a credential that ended is charged to the address, which gets a 429 instead of the 401', async () => {
  const token = await newToken();
  app.clock.advance(60_000);
  const address = newAddress();
  expect((await userinfo(address, token)).status).toBe(200);
  await statuses(LIMIT + 5, () => userinfo(address));
  expect((await userinfo(address, token)).status).toBe(200);
  const revoking = { headers: { ...FORM, authorization: basic() }, body: `token=${token}` };
  expect((await send(app, 'POST', '/oidc/revocation', revoking)).status).toBe(200);
  const refused = await userinfo(address, token);
  expect(refused).toMatchObject({ status: 429, json: { code: 'rate_limited' } });
  expect(refused.headers).toHaveProperty('retry-after');
  expect(refused.headers).not.toHaveProperty('www-authenticate');
  const elsewhere = newAddress();
  expect(await userinfo(elsewhere, token)).toMatchObject({
    status: 401,
    headers: { 'ratelimit-remaining': String(LIMIT - 1) },
  });
});

it('D60: an answer that proves nothing about the credential is charged to the address', async () => {
  const address = newAddress();
  expect(await statuses(LIMIT + 5, (n) => introspect(address, `Bearer made-up-${n}`))).toEqual({
    400: LIMIT,
    429: 5,
  });
});

it.each([
  ['auth', 303],
  ['logout', 200],
])(
  'D60: of the query of /oidc/%s, which is stored, 512 characters beyond 1 KiB count as a request of its address, with a token, too',
  async (endpoint, status) => {
    for (const length of [10, 2_000]) {
      const { url } = await party.begin({ login_hint: 'x'.repeat(length) });
      const path = `/oidc/${endpoint}${url.search}`;
      const each = 1 + Math.max(0, Math.ceil((path.length - 1024) / 512));
      expect(each > 1).toBe(length > 1_000);
      const allowed = Math.floor(LIMIT / each);
      const headers = { 'x-forwarded-for': newAddress() };
      for (let n = 0; n <= allowed; n += 1) {
        const answer = await send(app, 'GET', path, { token: app.root, headers });
        expect(answer.status).toBe(n < allowed ? status : 429);
      }
    }
  },
);
