import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { PutCoalition } from '../../contract/coalition.ts';
import { ok } from '../../sdk/src/index.ts';
import { statementsOf } from '../fixtures/grants.ts';
import {
  addCoalition,
  addHome,
  addMember,
  addOrganizations,
  HOME,
  makeToken,
  uuidOf,
} from '../fixtures/users.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { type DatabaseProxy, startProxy } from '../harness/proxy.ts';
import { type Got, type Problem, type Sent, send } from '../harness/send.ts';

const LIMIT = 20;
const CALLBACK = '/callback/ext?code=a&state=b';
/** Of a corporation that nobody lets in. */
const STRANGER = 2_112_000_028;

/** Settings for a proxy on this machine, which appends the client to X-Forwarded-For. */
let app: TestApp;
/** Without a limit. */
let free: TestApp;
let people = 2_120_000_001;

beforeAll(async () => {
  app = await startTestApp({ env: { RATE_LIMIT: String(LIMIT), TRUSTED_PROXIES: '127.0.0.1' } });
  await addHome(app);
  free = await startTestApp();
});
beforeEach(() => app.clock.advance(60_000));
afterAll(async () => {
  await app.stop();
  await free.stop();
});

/** An address that no other test uses. */
let addresses = 0;
const newAddress = () => `203.0.113.${++addresses}`;
const from = (address: string, sent: Sent = {}): Sent => ({
  ...sent,
  headers: { ...sent.headers, 'x-forwarded-for': address },
});
const ask = (sent?: Sent, path = '/token') => send(app, 'GET', path, sent);
const newMember = () => addMember(app, people++);

async function times<T>(count: number, work: (n: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, n) => work(n)));
}

/** Sends this many requests concurrently; returns the number of answers by status. */
async function statuses(count: number, work: (n: number) => Promise<Got<Problem>>) {
  const answers = await times(count, work);
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

describe('D60: each token has RATE_LIMIT requests a minute', () => {
  it('the next one is a 429 with Retry-After, RateLimit headers and detail', async () => {
    const client = app.client((await newMember()).jwt);
    const first = await client.token.current();
    expect(first.status).toBe(200);
    for (const [name, value] of [
      ['limit', '20'],
      ['remaining', '19'],
      ['policy', '20;w=60'],
    ] as const)
      expect(first.headers.get(`ratelimit-${name}`)).toBe(value);
    expect(first.headers.get('ratelimit-reset')).toMatch(/^(60|5\d)$/);
    for (let n = 1; n < LIMIT; n += 1) expect((await client.token.current()).status).toBe(200);
    const refused = await client.token.current();
    expect(refused).toMatchObject({
      status: 429,
      body: { detail: 'Too many requests: this token may make 20 a minute.', code: 'rate_limited' },
    });
    expect(refused.headers.get('ratelimit-remaining')).toBe('0');
    const retryAfter = Number(refused.headers.get('retry-after'));
    expect(retryAfter).toBe(Number(refused.headers.get('ratelimit-reset')));
    expect(retryAfter).toBeGreaterThan(0);
    app.clock.advance(retryAfter * 1_000);
    expect((await client.token.current()).status).toBe(200);
  });

  it('concurrently or one after the other, from any address, without effect on other tokens', async () => {
    const [one, two] = [await newMember(), await newMember()];
    const asked = (token: string) => statuses(LIMIT + 5, () => ask(from(newAddress(), { token })));
    expect(await asked(one.jwt)).toEqual({ 200: LIMIT, 429: 5 });
    expect(await asked(two.jwt)).toEqual({ 200: LIMIT, 429: 5 });
  });

  it('a dynamic app token has ten times as many', async () => {
    const { jwt: token } = await makeToken(app, 'dyn', 0, uuidOf(app.root));
    // Refused because of its kind, but charged to the token, as that is valid.
    expect(await statuses(10 * LIMIT + 5, () => ask({ token }))).toEqual({ 401: 10 * LIMIT, 429: 5 });
  });

  it('a permanent token has as many as a user token', async () => {
    const { jwt: token } = await makeToken(app, 'per', 0, uuidOf(app.root));
    expect(await statuses(LIMIT + 5, () => ask({ token }))).toEqual({ 200: LIMIT, 429: 5 });
  });

  const params = { group_id: '0123456789abcdef01234567' };
  const left = async ({ jwt: token }: { readonly jwt: string }) =>
    Number((await ask({ token })).headers['ratelimit-remaining']);

  it('of the ids in a write 100 beyond 1,000 count as a request', async () => {
    const member = await newMember();
    const add_members = Array.from({ length: 1_401 }, () => 'x');
    expect((await app.client(member.jwt).group.update({ params, body: { add_members } })).status).toBe(403);
    expect(await left(member)).toBe(LIMIT - 1 - 5 - 1);
  });

  it.each([
    ['of text 512 bytes beyond 1 KiB', { description: 'ä'.repeat(1_537) }, 5],
    ['names are text, too, and not counted twice', { add_members: Array(1_001).fill('xx') }, 2],
    ['a third of the limit at the most', { description: '\u{20000}'.repeat(4_000) }, 6],
  ])('in a write count as a request: %s', async (_, body, more) => {
    const member = await newMember();
    expect((await app.client(member.jwt).group.update({ params, body })).status).toBe(403);
    expect(await left(member)).toBe(LIMIT - 1 - more - 1);
  });

  it('of the events that a write causes 100 beyond 1,000 count as a request, once it is done', async () => {
    const [alliance, corporation, coalition_id] = [99_100_002, 98_100_002, 'c1'.repeat(12)];
    await addOrganizations(app, [{ alliance, corporations: [corporation] }]);
    await app.db
      .insertInto('coalition_alliances')
      .values({ coalition_id: HOME.coalition, alliance_id: alliance })
      .execute();
    await addCoalition(app, coalition_id, { alliances: [HOME.alliance, alliance] });
    await sql`
      insert into users (character_id, character_name, name_key, corporation_id)
      select 2130000000 + n, 'Ally ' || n, 'ally ' || n, ${corporation} from generate_series(1, 1401) n`.execute(
      app.db,
    );
    const leader = await addMember(app, people++, 7);
    const { update } = app.client(leader.jwt).coalition;
    const change = (body: PutCoalition) => update({ params: { coalition_id }, body });
    expect((await change({ remove_member_alliances: [alliance] })).status).toBe(200);
    expect(await left(leader)).toBe(LIMIT - 1 - 5 - 1);
    expect((await change({ ticker: 'FEW' })).status).toBe(200);
    expect(await left(leader)).toBe(LIMIT - 1 - 5 - 1 - 2);
  });

  it('an owner of a group cannot fill the events with text: whoever has fewer left than a write counts for gets a 429', async () => {
    const usual = await startTestApp({ env: { RATE_LIMIT: '600' } });
    await addHome(usual);
    const [owner, other] = [await addMember(usual, people++), await addMember(usual, people++)];
    const describing = async ({ jwt, name }: typeof owner, characters: number) => {
      const root = usual.client(usual.root).group;
      const { group_id } = await ok(root.create({ body: { group_name: name } }));
      await ok(root.update({ params: { group_id }, body: { owner: name } }));
      return async (n: number) => {
        const body = { description: String.fromCodePoint(0x20000 + n).repeat(characters) };
        return usual.client(jwt).group.update({ params: { group_id }, body });
      };
    };
    const describe = await describing(owner, 4_000);
    const answers = await times(25, describe);
    const refused = answers.filter(({ status }) => status === 429);
    expect(answers.length - refused.length).toBe(Math.floor(600 / 31));
    expect(refused[0]?.body).toMatchObject({ code: 'rate_limited' });
    expect(refused[0]?.headers.get('retry-after')).toMatch(/^(60|5\d)$/);
    const asUsual = await times(25, await describing(other, 250));
    expect(asUsual.map(({ status }) => status)).toEqual(Array(25).fill(200));
    await usual.stop();
  });

  it('unknown paths and wrong methods are counted, too', async () => {
    const { jwt: token } = await newMember();
    expect(await statuses(LIMIT / 2, () => ask({ token }, '/nothing'))).toEqual({ 404: LIMIT / 2 });
    expect(await statuses(LIMIT / 2, () => send(app, 'DELETE', '/user', { token }))).toEqual({
      405: LIMIT / 2,
    });
    expect((await ask({ token })).status).toBe(429);
  });

  it('429 comes before the body and the record are looked at', async () => {
    const { jwt: token } = await newMember();
    await times(LIMIT, () => ask({ token }));
    expect((await send(app, 'PUT', '/user/1', { token, body: '{' })).status).toBe(429);
    expect((await ask({ token }, '/user/%zz')).status).toBe(429);
  });
});

describe('D60: a request costs no statement', () => {
  it('100 requests within the usual limit send what they send without one, and a few statements for blocks', async () => {
    const usual = await startTestApp({ env: { RATE_LIMIT: '' } });
    // Otherwise it would be loaded in the background, and its statements counted as those of a request.
    for (const each of [usual, free]) await each.app.services.document.current();
    const [counted, uncounted] = await Promise.all(
      [usual, free].map((each) =>
        statementsOf(each, async () => {
          for (let n = 0; n < 100; n += 1) await send(each, 'GET', '/token', { token: each.root });
        }),
      ),
    );
    // Old windows are deleted by a timer.
    const blocks = counted?.filter((sql) => sql.includes('insert into rate_windows'));
    expect(blocks?.length).toBeLessThan(10);
    expect(counted?.filter((sql) => !sql.includes('rate_windows'))).toEqual(uncounted);
    expect(uncounted?.filter((sql) => sql.includes('may_log_in'))).toHaveLength(100);
    await usual.stop();
  });

  it('a block is leased while the caller is read, so an unresponsive database delays a request only once', async () => {
    const { jwt: token, uuid } = await newMember();
    const before = app.statements.length;
    const lookedUp = () => app.statements.slice(before).some((text) => text.includes('may_log_in'));
    const answer = await app.db.transaction().execute(async (tx) => {
      await sql`lock table rate_windows`.execute(tx);
      const asked = ask({ token });
      // Before the lease fails, which half a minute of waiting would make it do.
      await expect.poll(lookedUp, { timeout: 15_000 }).toBe(true);
      return { asked };
    });
    expect(await answer.asked).toMatchObject({ status: 200, json: { uuid } });
  });

  it('a token or address that has used up its limit is refused without the database', async () => {
    const { jwt: token } = await newMember();
    const address = newAddress();
    await times(LIMIT + 5, () => ask({ token }));
    await times(LIMIT + 5, () => ask(from(address)));
    const sent = await statementsOf(app, async () => {
      expect(await statuses(50, () => ask({ token }))).toEqual({ 429: 50 });
      expect(await statuses(50, () => ask(from(address)))).toEqual({ 429: 50 });
      expect(await statuses(50, () => ask(from(address, { token: 'a.b.c' })))).toEqual({ 429: 50 });
    });
    expect(sent.filter((sql) => !sql.includes('rate_windows'))).toEqual([]);
  });
});

describe('D60: without a usable token the address is charged', () => {
  const TOO_MANY = 'Too many requests without a usable token: this address may make 20 a minute.';

  const revoked = async () => {
    const { jwt, uuid } = await newMember();
    await app.db.deleteFrom('tokens').where('uuid', '=', uuid).execute();
    return jwt;
  };
  const expired = async () => {
    const { jwt, uuid } = await newMember();
    await app.db
      .updateTable('tokens')
      .set({ expires_on: new Date(0) })
      .where('uuid', '=', uuid)
      .execute();
    return jwt;
  };
  const locked = async () => {
    const { jwt, id } = await newMember();
    await app.db.updateTable('users').set({ corporation_id: null }).where('character_id', '=', id).execute();
    return jwt;
  };
  it.each<[string, () => Promise<Sent>]>([
    ['a missing header', async () => ({})],
    ['a malformed header', async () => ({ headers: { authorization: 'Basic dXNlcjpwYXNz' } })],
    ['something that is no JWT', async () => ({ token: 'a.b.c' })],
    ['a bad signature', async () => ({ token: `${(await newMember()).jwt.slice(0, -8)}AAAAAAAA` })],
    ['a revoked token', async () => ({ token: await revoked() })],
    ['an expired token', async () => ({ token: await expired() })],
    ['a token whose owner may not log in', async () => ({ token: await locked() })],
  ])('%s: 429 after RATE_LIMIT requests', async (_, make) => {
    const address = newAddress();
    const sent = await make();
    expect(await statuses(LIMIT, () => ask(from(address, sent)))).toEqual({ 401: LIMIT });
    const refused = await ask(from(address, sent));
    expect(refused.status).toBe(429);
    expect(refused.headers).toMatchObject({ 'ratelimit-limit': '20', 'ratelimit-remaining': '0' });
    expect(refused.headers['retry-after']).toMatch(/^\d+$/);
    // From another address the fault of the token is answered, unless the token itself was charged.
    expect([401, 429]).toContain((await ask(from(newAddress(), sent))).status);
    expect((await ask(from(newAddress()))).status).toBe(401);
  });

  it('700 different invalid tokens get a 429 after 20', async () => {
    const address = newAddress();
    const [head, body] = app.root.split('.');
    const bad = (n: number) => `${head}.${body}.${Buffer.alloc(64, n % 256).toString('base64url')}`;
    const answers = await times(700, (n) => ask(from(address, { token: bad(n) })));
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(LIMIT);
    expect(answers.find(({ status }) => status === 429)?.json).toEqual({
      detail: TOO_MANY,
      code: 'rate_limited',
    });
  });

  it('all kinds of requests count together, including paths without a token', async () => {
    const address = newAddress();
    const seen = [];
    for (let n = 0; n < LIMIT / 4; n += 1) {
      for (const [path, sent] of [
        ['/token', {}],
        ['/user', { token: 'a.b.c' }],
        ['/openapi.json', {}],
        ['/nothing', {}],
      ] as const)
        seen.push((await ask(from(address, sent), path)).status);
    }
    expect(new Set(seen)).toEqual(new Set([401, 200, 404]));
    for (const path of [
      '/token',
      '/docs',
      '/docs/page.mjs',
      '/docs/guides/access',
      '/.well-known/jwks.json',
      '/openapi.yaml',
      '/nothing',
    ])
      expect((await ask(from(address), path)).status).toBe(429);
  });

  it('a revoked token buys nothing at paths that need none', async () => {
    const address = newAddress();
    const open = [CALLBACK, '/oidc/auth', '/version', '/docs', '/openapi.json', '/nothing'];
    for (const [n, path] of open.entries()) {
      const { headers } = await ask(from(address, { token: await revoked() }), path);
      expect([path, headers['ratelimit-remaining']]).toEqual([path, String(LIMIT - 1 - n)]);
    }
    await times(LIMIT, () => ask(from(address)));
    for (const path of open) {
      const refused = await ask(from(address, { token: await revoked() }), path);
      expect([path, refused.status]).toEqual([path, 429]);
      expect(refused.text).toContain(TOO_MANY);
    }
  });

  it('a valid token is accepted from an address that has used up its limit', async () => {
    const address = newAddress();
    const [known, unknown] = [await newMember(), await newMember()];
    await ask(from(address, { token: known.jwt }));
    await times(LIMIT + 5, () => ask(from(address)));
    expect((await ask(from(address))).status).toBe(429);
    for (const { jwt: token } of [known, unknown]) {
      expect(await ask(from(address, { token }))).toMatchObject({
        status: 200,
        headers: { 'ratelimit-remaining': expect.stringMatching(/^1\d$/) },
      });
      expect((await ask(from(address, { token }), '/openapi.json')).status).toBe(200);
    }
  });

  it('requests with valid tokens are not charged to it', async () => {
    const address = newAddress();
    const members = await times(3, newMember);
    for (const { jwt: token } of members)
      expect(await statuses(LIMIT, () => ask(from(address, { token })))).toEqual({ 200: LIMIT });
    expect((await ask(from(address))).headers['ratelimit-remaining']).toBe('19');
  });

  it('health checks are exempt', async () => {
    const address = newAddress();
    await times(LIMIT + 5, () => ask(from(address)));
    for (const path of ['/healthz', '/readyz']) {
      expect(await statuses(LIMIT + 5, () => ask(from(address), path))).toEqual({ 200: LIMIT + 5 });
      expect((await ask(from(address), path)).headers).not.toHaveProperty('ratelimit-limit');
    }
  });

  it('D2: the callback of the provider answers with a page', async () => {
    const address = newAddress();
    expect(await statuses(LIMIT, () => ask(from(address), CALLBACK))).toEqual({ 400: LIMIT });
    const refused = await ask(from(address), CALLBACK);
    expect(refused.status).toBe(429);
    expect(refused.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'retry-after': expect.stringMatching(/^\d+$/),
    });
    expect(refused.text).toContain(TOO_MANY);
  });
});

describe('D60: the client’s address with TRUSTED_PROXIES', () => {
  const spend = (header: (n: number) => string) =>
    statuses(LIMIT + 5, (n) => ask({ headers: { 'x-forwarded-for': header(n) } }));
  const ENDED = { 401: LIMIT, 429: 5 };
  const UNTOUCHED = { 401: LIMIT + 5 };

  it('entries before that of the trusted proxy are ignored', async () => {
    const address = newAddress();
    expect(await spend((n) => `198.51.100.${n}, ${address}`)).toEqual(ENDED);
  });

  it('each address that the trusted proxy reports has its own limit', async () => {
    expect(await spend((n) => `198.51.100.${n}`)).toEqual(UNTOUCHED);
  });

  it('an IPv4 address mapped into IPv6 is that IPv4 address, with a port or without', async () => {
    const address = newAddress();
    const forms = [address, `::ffff:${address}`, `${address}:4915`, `[::ffff:${address}]:443`];
    expect(await spend((n) => forms[n % 4] as string)).toEqual(ENDED);
  });

  it('IPv6 addresses are counted by their /64', async () => {
    expect(await spend((n) => `2001:db8:0:1:${n}::${n}`)).toEqual(ENDED);
    expect(await spend((n) => `2001:DB8:${n}::1`)).toEqual(UNTOUCHED);
  });

  it('with an invalid address the proxy itself is charged', async () => {
    expect(await spend((n) => `unknown-${n}`)).toEqual(ENDED);
  });

  it('X-Forwarded-For is ignored without a trusted proxy', async () => {
    const open = await startTestApp({ env: { RATE_LIMIT: String(LIMIT) } });
    const headers = (n: number) => ({
      'x-forwarded-for': `198.51.100.${n}`,
      'x-real-ip': `198.51.100.${n}`,
      forwarded: `for=198.51.100.${n}`,
    });
    expect(await statuses(LIMIT + 5, (n) => send(open, 'GET', '/token', { headers: headers(n) }))).toEqual(
      ENDED,
    );
    await open.stop();
  });

  it('the log contains the address of each request, never a spoofed one', async () => {
    const address = newAddress();
    const logged = async (header: string) => {
      const { headers } = await ask({ headers: { 'x-forwarded-for': header } }, '/healthz');
      const lines = () => app.logged.map((line) => JSON.parse(line));
      const ours = () => lines().find((line) => line.request_id === headers['x-request-id']);
      await expect.poll(ours).toBeDefined();
      return ours().address;
    };
    expect(await logged(`198.51.100.1, ${address}`)).toBe(address);
    expect(await logged(`::ffff:${address}`)).toBe(address);
    expect(await logged('2001:DB8:0:0::1')).toBe('2001:db8::1');
    expect(await logged('"}, evil')).toBe('127.0.0.1');
  });
});

describe('D60: RATE_LIMIT', () => {
  it('is counted by each process alone while the database is unavailable', async () => {
    let proxy: DatabaseProxy | undefined;
    const alone = await startTestApp({
      env: { RATE_LIMIT: String(LIMIT) },
      databaseBy: async (url) => {
        proxy = await startProxy(url);
        return proxy.url;
      },
    });
    const asked = (sent: Sent) => statuses(LIMIT, () => send(alone, 'GET', '/token', sent));
    await proxy?.cut();
    expect(await asked({ token: alone.root })).toEqual({ 503: LIMIT });
    expect(await asked({})).toEqual({ 401: LIMIT });
    expect(await asked({ token: alone.root })).toEqual({ 429: LIMIT });
    await proxy?.mend();
    alone.clock.advance(5_000);
    expect(await asked({ token: alone.root })).toEqual({ 200: LIMIT });
    await alone.stop();
  });

  it('0 sets no limit, and answers have no headers of it', async () => {
    const answers = await times(700, () => send(free, 'GET', '/token'));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]));
    expect(answers[0]?.headers).not.toHaveProperty('ratelimit-limit');
  });

  it('refused requests are counted for Prometheus', async () => {
    const counted = async () => {
      const text = await app.app.services.metrics.registry.metrics();
      const of = (by: string) =>
        Number(
          new RegExp(`castellan_rate_limited_requests_total{counted_by="${by}"} (\\d+)`).exec(text)?.[1] ?? 0,
        );
      return { token: of('token'), address: of('address') };
    };
    const before = await counted();
    const { jwt: token } = await newMember();
    const address = newAddress();
    await times(LIMIT + 3, () => ask({ token }));
    await times(LIMIT + 5, () => ask(from(address)));
    const after = await counted();
    expect([after.token - before.token, after.address - before.address]).toEqual([3, 5]);
  });
});

it('D60: a code that the provider refuses counts as ten requests, against guessing of codes through the service', async () => {
  const { jwt } = await makeToken(app, 'dyn', 0, uuidOf(app.root));
  const { state_code } = await ok(app.client(jwt).token.startLogin({ body: {} }));
  const address = newAddress();
  const path = `/callback/ext?code=garbage&state=${state_code}`;
  for (const status of [400, 400, 429]) expect((await ask(from(address), path)).status).toBe(status);
  expect((await ask(from(newAddress()), path)).status).toBe(400);
});

it('D60: attack: a refused code counts against the address, whatever token comes with it', async () => {
  const { jwt: token } = await makeToken(app, 'dyn', 0, uuidOf(app.root));
  const address = newAddress();
  const statuses: number[] = [];
  for (let n = 0; n < 3; n += 1) {
    const { state_code } = await ok(app.client(token).token.startLogin({ body: {} }));
    const path = `/callback/ext?code=garbage&state=${state_code}`;
    statuses.push((await ask(from(address, { token }), path)).status);
  }
  expect(statuses).toEqual([400, 400, 429]);
  const { headers } = await ask({ token });
  expect(headers['ratelimit-remaining']).toBe(String(10 * LIMIT - 3 - 1));
});

it('D60: a sign-in of a character that nobody lets in counts as five requests, as an event is kept of it', async () => {
  const { jwt } = await makeToken(app, 'dyn', 0, uuidOf(app.root));
  const { login_url } = await ok(app.client(jwt).token.startLogin({ body: {} }));
  const address = newAddress();
  for (const status of [403, 403, 403, 403, 429]) {
    const { pathname, search } = new URL(await app.provider.authorize(login_url, { characterId: STRANGER }));
    expect((await ask(from(address), pathname + search)).status).toBe(status);
  }
});
