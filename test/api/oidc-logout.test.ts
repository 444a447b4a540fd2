import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createLocalJWKSet, decodeJwt, jwtVerify } from 'jose';
import { sql } from 'kysely';
import * as openid from 'openid-client';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ok } from '../../sdk/src/index.ts';
import { endUnwelcomeOf, sweepSessions } from '../../server/session/end-sessions.ts';
import { statementsOf } from '../fixtures/grants.ts';
import { letIn } from '../fixtures/registry.ts';
import { BASE_URL, startTestApp, type TestApp } from '../harness/app.ts';
import { Browser } from '../harness/browser.ts';
import { meanwhile } from '../harness/meanwhile.ts';
import { addRelyingParty, type RelyingParty, signInAtOnce } from '../harness/relying-party.ts';
import { testRun } from '../harness/run.ts';

const CORPORATION = 98_000_011;
const MEMBERS = [2_112_000_049, 2_112_000_055, 2_112_000_070, 2_112_000_078];
const [MEMBER = 0, OTHER = 0] = MEMBERS;

/** An application's endpoint for back-channel logouts. */
interface Listener {
  readonly url: string;
  /** Bodies of the requests so far, and how they came. */
  readonly told: URLSearchParams[];
  readonly ways: string[];
  answer: number;
}

let app: TestApp;
/** Without a worker, so that jobs stay in the queue. */
let quiet: TestApp;
let coalition: string;
let server: Server;
let listener: Listener;
let party: RelyingParty;

beforeAll(async () => {
  app = await startTestApp({ worker: true });
  coalition = await letIn(app, { corporations: [CORPORATION] });
  quiet = await startTestApp();
  await letIn(quiet, { corporations: [CORPORATION] });
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      listener.told.push(new URLSearchParams(body));
      listener.ways.push(`${request.method} ${request.headers['content-type']}`);
      response.writeHead(listener.answer).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/oidc/logout`;
  listener = { url, told: [], ways: [], answer: 200 };
  party = await addRelyingParty(app, {
    backchannel_logout_uri: url,
    post_logout_redirect_uris: ['https://wiki.example/bye'],
  });
});
afterAll(async () => {
  await app.stop();
  await quiet.stop();
  await new Promise((resolve) => server.close(resolve));
});
afterEach(async () => {
  // Notices of one test that are still on their way would be counted in the next.
  await sql`delete from pgboss.job where name = 'send-logout' and state < 'active'`.execute(app.db);
  const atWork = sql`select from pgboss.job where name = 'send-logout' and state = 'active'`;
  await expect.poll(async () => (await atWork.execute(app.db)).rows).toEqual([]);
  listener.told.length = 0;
  listener.ways.length = 0;
  listener.answer = 200;
});

const browserOf = (characterId: number) => new Browser(app, { choice: { characterId } });
const root = () => app.client(app.root);
const sidOf = (tokens: { id_token?: string | undefined }) => decodeJwt(tokens.id_token ?? '').sid;
/** Subject and session id of a logout token. */
const news = () =>
  listener.told.map((body) => {
    const { sub, sid } = decodeJwt(body.get('logout_token') ?? '');
    return { sub, sid };
  });

function endSession(id_token_hint: string, more: Record<string, string> = {}) {
  return openid.buildEndSessionUrl(party.config, { id_token_hint, ...more });
}

describe('D82: a logout page that counts no more', () => {
  const expectTold = ({ page, html }: Awaited<ReturnType<Browser['go']>>) => {
    expect(page?.status).toBe(400);
    expect(html).toContain('This page was used already, or replaced');
  };

  it.each(['pressed twice', 'pressed when its session is over'])('%s: says so', async (how) => {
    const browser = browserOf(MEMBER);
    const tokens = await party.signIn(browser);
    const page = await browser.go(endSession(tokens.id_token ?? ''));
    const late = browserOf(MEMBER);
    late.cookies = [...browser.cookies];
    if (how === 'pressed twice') await browser.press(page, 'logout');
    else await sql`delete from oidc_artifacts where model = 'Session'`.execute(app.db);
    expectTold(await late.press(page, 'logout'));
  });

  it('asked for in another window since: says so', async () => {
    const browser = browserOf(MEMBER);
    await party.signIn(browser);
    const first = await browser.go(`${BASE_URL}/oidc/logout`);
    await browser.go(`${BASE_URL}/oidc/logout`);
    expectTold(await browser.press(first, 'logout'));
  });
});

/** Has every notice fail that is about to be stored, as where the database is stopped. */
async function failToEnqueue() {
  await sql`create function fails() returns trigger language plpgsql as
    $$begin raise exception 'not stored' using errcode = '57P01'; end$$`.execute(app.db);
  await sql`create trigger fails before insert on pgboss.job for each row
    when (new.name = 'send-logout') execute function fails()`.execute(app.db);
}
const enqueueAgain = () => sql`drop function fails cascade`.execute(app.db);

describe('OpenID Connect RP-Initiated Logout 1.0', () => {
  it('2: the user is asked, logged out everywhere, and redirected back with the state', async () => {
    const browser = browserOf(MEMBER);
    const other = await addRelyingParty(app);
    const { id_token = '', access_token } = await party.signIn(browser);
    const elsewhere = await other.signIn(browser);
    const page = await browser.go(
      endSession(id_token, { post_logout_redirect_uri: 'https://wiki.example/bye', state: 'back to <it>' }),
    );
    expect(page.html).toContain('Log out?');
    expect(page.page?.headers.get('content-security-policy')).toContain("form-action 'self' https:;");
    const { url } = await browser.press(page, 'logout');
    expect(url.href).toBe('https://wiki.example/bye?state=back+to+%3Cit%3E');
    const { landed } = await party.visit(browser, { prompt: 'none' });
    expect(landed.url.searchParams.get('error')).toBe('login_required');
    for (const token of [access_token, elsewhere.access_token]) {
      const answer = await fetch(`${app.url}/oidc/userinfo`, {
        headers: { authorization: `Bearer ${token}` },
      });
      expect(answer.status).toBe(401);
    }
  });

  it.each(['logout', undefined])(
    'D81: a redirect URI that was removed while the page was open is not gone to (%s)',
    async (button) => {
      const [bye, stays] = ['https://wiki.example/bye', 'https://wiki.example/out?of=it'];
      const left = await addRelyingParty(app, { post_logout_redirect_uris: [bye, stays] });
      const params = { client_id: left.client.client_id };
      const remove = () =>
        ok(root().oidc.updateClient({ params, body: { post_logout_redirect_uris: [stays] } }));
      const ended = async (post_logout_redirect_uri: string, change: () => Promise<unknown>) => {
        const browser = browserOf(MEMBER);
        const { id_token = '' } = await left.signIn(browser);
        const asked = { post_logout_redirect_uri, state: 'a', id_token_hint: id_token };
        const page = await browser.go(openid.buildEndSessionUrl(left.config, asked));
        await change();
        return browser.press(page, button);
      };
      expect((await ended(bye, remove)).html).toContain('You are logged out');
      expect((await ended(stays, remove)).url.href).toBe(`${stays}&state=a`);
      const gone = await ended(stays, () => root().oidc.deleteClient({ params }));
      expect(gone.html).toContain('You are logged out');
    },
  );

  it('2: who logs out while another window is being answered stays logged out', async () => {
    const browser = browserOf(MEMBER);
    const { id_token = '' } = await party.signIn(browser);
    const window = browserOf(MEMBER);
    window.cookies = [...browser.cookies];
    const page = await browser.go(endSession(id_token));
    // The answer to the window has read the session; before it stores the session again it waits to store the code.
    const lock = 'select from oidc_clients where client_id = $1 for update';
    const visit = () => party.visit(window, { prompt: 'none' });
    const logout = () => browser.press(page, 'logout');
    const late = await meanwhile(app, lock, [party.client.client_id], visit, logout);
    const { landed } = await visit();
    expect(landed.url.searchParams.get('error')).toBe('login_required');
    const tokens = await party.redeem(late, late.landed.url).catch(() => undefined);
    expect(tokens && (await party.userinfo(tokens).catch(() => undefined))).toBeUndefined();
  });

  it('2, 3: the hint may have expired or be of somebody else: the person is asked; unsigned it is none', async () => {
    const browser = browserOf(MEMBER);
    await party.signIn(browser);
    const bye = { post_logout_redirect_uri: 'https://wiki.example/bye', state: 'x' };
    const old = { aud: party.client.client_id, iat: 1_700_000_000, exp: 1_700_003_600 };
    const { idTokens } = app.app.services.keys;
    const others = await idTokens.sign('RS256', 'JWT', { ...old, sub: String(OTHER) });
    const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${others.split('.')[1]}.`;
    expect((await browser.go(endSession(unsigned, bye))).page?.status).toBe(400);
    expect((await browser.go(endSession(others, bye))).html).toContain('Log out?');
    const page = await browser.go(
      endSession(await idTokens.sign('RS256', 'JWT', { ...old, sub: String(MEMBER) }), bye),
    );
    expect(page.html).toContain('Log out?');
    expect((await browser.press(page, 'logout')).url.href).toBe('https://wiki.example/bye?state=x');
    // Without hint and client nobody can say whose URI that is.
    const nowhere = await browser.go(`${BASE_URL}/oidc/logout?${new URLSearchParams(bye)}`);
    expect([nowhere.url.origin, nowhere.page?.status]).toEqual([BASE_URL, 200]);
  });

  it('2: a hint from before the application changed its algorithm does', async () => {
    const forum = await addRelyingParty(app, { client_name: 'Forum' });
    const browser = browserOf(MEMBER);
    const { id_token: id_token_hint = '' } = await forum.signIn(browser);
    const body = { id_token_signed_response_alg: 'EdDSA' as const };
    await ok(root().oidc.updateClient({ params: { client_id: forum.client.client_id }, body }));
    const page = await browser.go(openid.buildEndSessionUrl(forum.config, { id_token_hint }));
    expect(page.html).toContain('Only of Forum');
  });

  it('2: without a hint the client is named, or nobody', async () => {
    const browser = browserOf(MEMBER);
    await party.signIn(browser);
    const { client_id } = party.client;
    const named = await browser.go(`${BASE_URL}/oidc/logout?${new URLSearchParams({ client_id })}`);
    expect(named.html).toContain('Only of Wiki');
    const unnamed = await browser.go(`${BASE_URL}/oidc/logout`);
    expect(unnamed.html).toContain('To stay signed in, close this page');
    expect(unnamed.html.match(/<button/g)).toHaveLength(1);
    const { landed } = await party.visit(browser, { prompt: 'none' });
    expect(landed.url.searchParams.get('code')).toBeTruthy();
  });

  it('2: every ID token does as a hint, also one that is long by its nonce', async () => {
    const browser = new Browser(app, { choice: { characterId: MEMBER } });
    const nonce = 'n'.repeat(2_000);
    const { landed, ...begun } = await party.visit(browser, { nonce });
    const { id_token: id_token_hint = '' } = await party.redeem({ ...begun, nonce }, landed.url);
    expect(id_token_hint.length).toBeGreaterThan(2_000);
    const { page } = await browser.go(openid.buildEndSessionUrl(party.config, { id_token_hint }));
    expect(page?.status).toBe(200);
  });

  it('2: by POST, too', async () => {
    const browser = browserOf(MEMBER);
    const { id_token = '' } = await party.signIn(browser);
    const page = await browser.go(`${BASE_URL}/oidc/logout`, { id_token_hint: id_token });
    expect(page.html).toContain('Log out?');
  });

  it('3: without a registered redirect URI, or with another user’s hint, there is no redirect', async () => {
    const browser = browserOf(MEMBER);
    const other = await addRelyingParty(app);
    const { id_token = '' } = await other.signIn(browser);
    const elsewhere = { id_token_hint: id_token, post_logout_redirect_uri: 'https://wiki.example/bye' };
    const page = await browser.go(`${BASE_URL}/oidc/logout?${new URLSearchParams(elsewhere)}`);
    expect(page.page?.status).toBe(400);
    const mixed = { id_token_hint: id_token, client_id: party.client.client_id };
    expect((await browser.go(`${BASE_URL}/oidc/logout?${new URLSearchParams(mixed)}`)).page?.status).toBe(
      400,
    );
    const forged = { id_token_hint: `${id_token.slice(0, -4)}AAAA` };
    expect((await browser.go(`${BASE_URL}/oidc/logout?${new URLSearchParams(forged)}`)).page?.status).toBe(
      400,
    );
  });

  it('6: logout CSRF: nobody is logged out without the page', async () => {
    const browser = browserOf(MEMBER);
    await party.signIn(browser);
    const url = new URL(`${BASE_URL}/oidc/logout/confirm`);
    for (const xsrf of ['', 'made-up']) {
      const answer = await browser.ask(url, new URLSearchParams({ xsrf, logout: 'yes' }));
      expect(answer.status).toBe(400);
    }
    expect((await party.visit(browser, { prompt: 'none' })).landed.url.searchParams.get('code')).toBeTruthy();
  });

  it('without a session the user is not asked', async () => {
    const browser = browserOf(MEMBER);
    const { id_token = '' } = await party.signIn(browserOf(MEMBER));
    const { url } = await browser.go(
      endSession(id_token, { post_logout_redirect_uri: 'https://wiki.example/bye' }),
    );
    expect(url.href).toBe('https://wiki.example/bye');
  });
});

describe('OpenID Connect Back-Channel Logout 1.0', () => {
  it('2.4, 2.5: a logout token as the standard has it, in a form', async () => {
    const browser = browserOf(MEMBER);
    const tokens = await party.signIn(browser);
    await browser.press(await browser.go(endSession(tokens.id_token ?? '')), 'logout');
    await expect.poll(() => listener.told.length).toBe(1);
    const logoutToken = listener.told[0]?.get('logout_token') ?? '';
    const keys = await (await fetch(`${app.url}/.well-known/jwks.json`)).json();
    const { payload, protectedHeader } = await jwtVerify(logoutToken, createLocalJWKSet(keys as never), {
      issuer: BASE_URL,
      audience: party.client.client_id,
      typ: 'logout+jwt',
      currentDate: app.clock.now(),
    });
    expect(protectedHeader).toMatchObject({ alg: 'RS256', typ: 'logout+jwt' });
    expect(payload).toEqual({
      iss: BASE_URL,
      aud: party.client.client_id,
      sub: String(MEMBER),
      sid: sidOf(tokens),
      iat: Math.floor(app.clock.now().getTime() / 1000),
      exp: expect.any(Number),
      jti: expect.any(String),
      events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
    });
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBeLessThanOrEqual(120);
    expect(payload).not.toHaveProperty('nonce');
  });

  it('2.1, 2.5: each application of the session is told in a form of its own, by the sid of its ID token', async () => {
    const second = await addRelyingParty(app, { backchannel_logout_uri: listener.url });
    const deaf = await addRelyingParty(app);
    const browser = browserOf(MEMBER);
    const offline = { scope: 'openid offline_access' };
    const [one, two] = [await party.signIn(browser), await second.signIn(browser, offline)];
    await deaf.signIn(browser);
    const elsewhere = browserOf(MEMBER);
    const stays = await party.signIn(elsewhere);
    expect(new Set([one, two, stays].map(sidOf)).size).toBe(3);
    await browser.press(await browser.go(endSession(one.id_token ?? '')), 'logout');
    await expect.poll(() => listener.told.length).toBe(2);
    const tokens = listener.told.map((body) => decodeJwt(body.get('logout_token') ?? ''));
    expect(tokens.map(({ aud, sid }) => ({ aud, sid }))).toEqual(
      expect.arrayContaining([
        { aud: party.client.client_id, sid: sidOf(one) },
        { aud: second.client.client_id, sid: sidOf(two) },
      ]),
    );
    expect(new Set(tokens.map(({ jti }) => jti)).size).toBe(2);
    expect(listener.told.map((body) => [...body.keys()])).toEqual([['logout_token'], ['logout_token']]);
    expect(new Set(listener.ways)).toEqual(new Set(['POST application/x-www-form-urlencoded']));
    // What was granted for the time of absence is left alone (2.7).
    expect(
      (await openid.refreshTokenGrant(second.config, two.refresh_token ?? '')).access_token,
    ).toBeTruthy();
    // Another browser of the same person is another session.
    const { landed } = await party.visit(elsewhere, { prompt: 'none' });
    expect(landed.url.searchParams.get('code')).toBeTruthy();
  });

  it('2.5: those that the browser opened at the same moment are told, too', async () => {
    const browser = browserOf(MEMBER);
    await (await addRelyingParty(app)).signIn(browser);
    const parties = [party, await addRelyingParty(app, { backchannel_logout_uri: listener.url })];
    const tokens = await signInAtOnce(app, browser, parties);
    await browser.press(await browser.go(endSession(tokens[0]?.id_token ?? '')), 'logout');
    await expect.poll(() => listener.told.length).toBe(2);
    expect(new Set(news().map(({ sid }) => sid))).toEqual(new Set(tokens.map(sidOf)));
  });

  it('D84: where the notice cannot be stored nobody is logged out, and who tries again is, and it is told', async () => {
    const asking = await addRelyingParty(app, { first_party: false, backchannel_logout_uri: listener.url });
    const browser = browserOf(MEMBER);
    const tokens = await party.signIn(browser);
    // An application that was turned down is a part of the session, too, of which there is nothing to tell.
    const turnedDown = await browser.go((await asking.begin({ prompt: 'login' })).url);
    await browser.follow(turnedDown, 'No, go back');
    const page = await browser.go(endSession(tokens.id_token ?? ''));
    await failToEnqueue();
    const failed = await browser.press(page, 'logout');
    await enqueueAgain();
    expect([failed.page?.status, failed.page?.headers.get('retry-after')]).toEqual([503, '5']);
    const { landed } = await party.visit(browser, { prompt: 'none' });
    expect(landed.url.searchParams.get('code')).toBeTruthy();
    await browser.press(await browser.go(endSession(tokens.id_token ?? '')), 'logout');
    await expect.poll(news).toEqual([{ sub: String(MEMBER), sid: sidOf(tokens) }]);
    expect((await party.visit(browser, { prompt: 'none' })).landed.url.searchParams.get('error')).toBe(
      'login_required',
    );
  });

  it('D84: where none of several notices can be stored, the failure is the answer and ends no process', async () => {
    const rejected: unknown[] = [];
    const note = (error: unknown) => rejected.push(error);
    const browser = browserOf(MEMBER);
    const tokens = await party.signIn(browser);
    // The library reads each of these after the notice for the one before has failed.
    for (let others = 0; others < 6; others += 1) {
      await (await addRelyingParty(app, { backchannel_logout_uri: listener.url })).signIn(browser);
    }
    const page = await browser.go(endSession(tokens.id_token ?? ''));
    process.on('unhandledRejection', note);
    await failToEnqueue();
    const failed = await browser.press(page, 'logout');
    await enqueueAgain();
    process.off('unhandledRejection', note);
    expect(failed.page?.status).toBe(503);
    expect(rejected).toEqual([]);
    await browser.press(await browser.go(endSession(tokens.id_token ?? '')), 'logout');
    // The answer waits for the first failure alone: a later one of the same request may be stored by now, and comes twice.
    await expect.poll(() => new Set(news().map(({ sid }) => sid)).size).toBe(7);
  });

  it('D84: the job holds ids alone', async () => {
    const there = await addRelyingParty(quiet, { backchannel_logout_uri: listener.url });
    const browser = new Browser(quiet, { choice: { characterId: MEMBER } });
    const tokens = await there.signIn(browser);
    await ok(quiet.client(quiet.root).user.delete({ params: { character_id: MEMBER } }));
    const jobs = await quiet.app.services.queue.boss.fetch<object>('send-logout', { batchSize: 10 });
    expect(jobs.map(({ data }) => data)).toEqual([
      {
        client_id: there.client.client_id,
        character_id: MEMBER,
        sid: sidOf(tokens),
        attempt: 0,
      },
    ]);
  });

  it('2.8: the notice is retried after a failure, but not when the application refuses it', async () => {
    const told = () => app.logged.filter((line) => line.includes('refused a logout notification')).length;
    const before = told();
    listener.answer = 503;
    const browser = browserOf(MEMBER);
    const tokens = await party.signIn(browser);
    await browser.press(await browser.go(endSession(tokens.id_token ?? '')), 'logout');
    await expect.poll(told).toBe(before + 1);
    listener.answer = 200;
    await expect.poll(() => listener.told.length).toBe(2);
    expect(new Set(news().map(({ sid }) => sid))).toEqual(new Set([sidOf(tokens)]));
    listener.answer = 400;
    const again = await party.signIn(browser);
    await browser.press(await browser.go(endSession(again.id_token ?? '')), 'logout');
    await expect.poll(told).toBe(before + 2);
    const waiting = await app.app.services.queue.boss.getQueueSize('send-logout');
    expect(waiting).toBe(0);
  });

  it('D29: in production a URI that is not public is not called', async () => {
    const strict = await startTestApp({ worker: true, env: { CALLBACK_ALLOW_PRIVATE: 'false' } });
    await letIn(strict, { corporations: [CORPORATION] });
    const there = await addRelyingParty(strict);
    await strict.db.updateTable('oidc_clients').set({ backchannel_logout_uri: listener.url }).execute();
    const browser = new Browser(strict, { choice: { characterId: MEMBER } });
    await there.signIn(browser);
    await ok(strict.client(strict.root).user.delete({ params: { character_id: MEMBER } }));
    await expect
      .poll(
        () =>
          strict.logged.filter((line) => line.includes('a logout notification could not be delivered'))
            .length,
      )
      .toBe(1);
    expect(listener.told).toEqual([]);
    await strict.stop();
  });
});

describe('D84: changes that end sessions, of which applications are notified', () => {
  /** A user with a session, and the checks for its end. */
  async function signedIn(characterId: number, at: RelyingParty = party) {
    const browser = browserOf(characterId);
    const tokens = await at.signIn(browser, { scope: 'openid offline_access' });
    return {
      sid: sidOf(tokens),
      async left() {
        const rows = await app.db
          .selectFrom('oidc_artifacts')
          .select('model')
          .where('character_id', '=', characterId)
          .execute();
        return rows.length;
      },
    };
  }

  async function expectEnded(character: number, { sid, left }: Awaited<ReturnType<typeof signedIn>>) {
    expect(await left()).toBe(0);
    await expect.poll(news).toContainEqual({ sub: String(character), sid });
  }

  /** Status of the answer to an application that asks who the user is. */
  const statusOf = async (token: string) =>
    (await fetch(`${app.url}/oidc/userinfo`, { headers: { authorization: `Bearer ${token}` } })).status;

  const nameOf = async (character_id: number) =>
    (
      await app.db
        .selectFrom('users')
        .select('character_name')
        .where('character_id', '=', character_id)
        .executeTakeFirstOrThrow()
    ).character_name;

  it('a coalition that bars its members', async () => {
    const session = await signedIn(MEMBER);
    const letsIn = (authorized_to_login: boolean) =>
      ok(root().coalition.update({ params: { coalition_id: coalition }, body: { authorized_to_login } }));
    await letsIn(false);
    await expectEnded(MEMBER, session);
    await letsIn(true);
  });

  it('a coalition that loses a member', async () => {
    const session = await signedIn(MEMBER);
    const members = (member_corporations: number[]) =>
      ok(root().coalition.update({ params: { coalition_id: coalition }, body: { member_corporations } }));
    await members([]);
    await expectEnded(MEMBER, session);
    await members([CORPORATION]);
  });

  it('D82: a sign-in after one that ended while the clock was ahead is not over until then', async () => {
    const browser = browserOf(MEMBER);
    await party.signIn(browser);
    const end = (ahead: number) =>
      sql`insert into oidc_endings values (${MEMBER}, ${new Date(app.clock.now().getTime() + ahead)})
        on conflict (character_id) do update set ended_on = excluded.ended_on`.execute(app.db);
    // As another process may, whose clock is right.
    await end(30_000);
    const { landed } = await party.visit(browser, { prompt: 'none' });
    expect(landed.url.searchParams.get('error')).toBe('login_required');
    await end(365 * 86_400_000);
    const tokens = await party.signIn(browserOf(MEMBER), { scope: 'openid offline_access' });
    expect(await statusOf(tokens.access_token)).toBe(200);
  });

  it('a group that bars a member, and nobody else’s session', async () => {
    const session = await signedIn(MEMBER);
    const bystander = await signedIn(OTHER);
    const { group_id } = await ok(root().group.create({ body: { group_name: 'Banned' } }));
    await ok(root().group.update({ params: { group_id }, body: { authorized_to_login: false } }));
    await ok(root().group.update({ params: { group_id }, body: { add_members: [await nameOf(MEMBER)] } }));
    await expectEnded(MEMBER, session);
    expect(await bystander.left()).toBeGreaterThan(0);
    await ok(root().group.delete({ params: { group_id } }));
  });

  it('the demotion of an administrator who is not let in otherwise', async () => {
    const id = MEMBERS[2] as number;
    await app.signIn(id);
    await app.db.updateTable('users').set({ clearance_level: 9 }).where('character_id', '=', id).execute();
    const session = await signedIn(id);
    const { group_id } = await ok(root().group.create({ body: { group_name: 'Kept out' } }));
    await ok(
      root().group.update({
        params: { group_id },
        body: { authorized_to_login: false, add_members: [await nameOf(id)] },
      }),
    );
    expect(await session.left()).toBeGreaterThan(0);
    await app.db
      .updateTable('users')
      .set({ corporation_id: CORPORATION })
      .where('character_id', '=', id)
      .execute();
    await ok(root().user.update({ params: { character_id: id }, body: { clearance_level: 0 } }));
    await expectEnded(id, session);
    await ok(root().group.delete({ params: { group_id } }));
  });

  it('a deletion', async () => {
    const session = await signedIn(MEMBER);
    await ok(root().user.delete({ params: { character_id: MEMBER } }));
    await expectEnded(MEMBER, session);
  });

  it('a change of owner, which is a hand-over', async () => {
    const id = MEMBERS[3] as number;
    const session = await signedIn(id);
    app.provider.world.handOver(id);
    await app.signIn(id);
    await expectEnded(id, session);
  });

  it('a character that left the corporation, as the sync finds', async () => {
    const session = await signedIn(MEMBER);
    app.provider.world.moveCharacter(MEMBER, 98_000_012);
    app.clock.advance(2 * 3_600_000);
    const renewed = await signedIn(OTHER);
    await ok(root().system.runJob({ params: { job_id: 'sync-users' }, query: { force: true } }));
    await expect.poll(session.left).toBe(0);
    await expect.poll(news).toContainEqual({ sub: String(MEMBER), sid: session.sid });
    expect(await renewed.left()).toBeGreaterThan(0);
    app.provider.world.moveCharacter(MEMBER, CORPORATION);
  });

  it('a character that moved, found when the corporation of which it is CEO now is registered', async () => {
    const [id, elsewhere] = [MEMBERS[3] as number, 98_000_012];
    const { world } = app.provider;
    const session = await signedIn(id);
    const former = world.corporation(elsewhere)?.ceoId ?? 0;
    world.moveCharacter(id, elsewhere);
    world.setCeo(elsewhere, id);
    app.clock.advance(2 * 3_600_000);
    await ok(root().corporation.register({ params: { corporation_id: elsewhere } }));
    await expectEnded(id, session);
    world.setCeo(elsewhere, former);
    world.moveCharacter(id, CORPORATION);
  });

  it('of a session from before the application had a URI to be notified at', async () => {
    const late = await addRelyingParty(app, { client_name: 'Late' });
    const id = MEMBERS[3] as number;
    const session = await signedIn(id, late);
    const { client_id } = late.client;
    const body = { backchannel_logout_uri: listener.url };
    await ok(root().oidc.updateClient({ params: { client_id }, body }));
    await ok(root().user.delete({ params: { character_id: id } }));
    await expectEnded(id, session);
  });

  it('leaving an allowed group of an application: only the session there', async () => {
    const { group_id } = await ok(root().group.create({ body: { group_name: 'Editors' } }));
    const add = { add_members: [await nameOf(OTHER)] };
    await ok(root().group.update({ params: { group_id }, body: add }));
    const closed = await addRelyingParty(app, {
      client_name: 'Closed',
      allowed_groups: [group_id],
      backchannel_logout_uri: listener.url,
    });
    const browser = browserOf(OTHER);
    const open = await party.signIn(browser, { scope: 'openid offline_access' });
    const tokens = await closed.signIn(browser, { scope: 'openid offline_access' });
    await ok(root().group.update({ params: { group_id }, body: { remove_members: add.add_members } }));
    await expect.poll(news).toEqual([{ sub: String(OTHER), sid: sidOf(tokens) }]);
    expect(await statusOf(tokens.access_token)).toBe(401);
    expect(await statusOf(open.access_token)).toBe(200);
    const { landed } = await party.visit(browser, { prompt: 'none' });
    expect(landed.url.searchParams.get('code')).toBeTruthy();
  });

  it('many applications at once, in one statement; the jobs contain ids only', async () => {
    const { group_id } = await ok(quiet.client(quiet.root).group.create({ body: { group_name: 'Editors' } }));
    await quiet.signIn(MEMBER);
    await quiet.signIn(OTHER);
    await quiet.db
      .insertInto('group_members')
      .values([MEMBER, OTHER].map((character_id) => ({ group_id, character_id })))
      .execute();
    const closed = { allowed_groups: [group_id], backchannel_logout_uri: listener.url };
    const parties = [await addRelyingParty(quiet, closed), await addRelyingParty(quiet, closed)];
    const expected: object[] = [];
    for (const character_id of [MEMBER, OTHER]) {
      const browser = new Browser(quiet, { choice: { characterId: character_id } });
      for (const there of parties) {
        const tokens = await there.signIn(browser);
        const { client_id } = there.client;
        expected.push({ client_id, character_id, sid: sidOf(tokens), attempt: 0 });
      }
    }
    const params = { group_id };
    const statements = await statementsOf(quiet, () =>
      ok(quiet.client(quiet.root).group.update({ params, body: { members: ['(built-in)'] } })),
    );
    expect(statements.filter((text) => text.includes('delete from oidc_artifacts'))).toHaveLength(1);
    const jobs = await quiet.app.services.queue.boss.fetch<object>('send-logout', { batchSize: 10 });
    const told = jobs.map(({ data }) => data);
    expect(told).toHaveLength(expected.length);
    expect(told).toEqual(expect.arrayContaining(expected));
    // The sessions continue, without these applications.
    const { rows } = await sql<{ sessions: number; parts: number }>`
      select count(*)::int as sessions, count(*) filter (where payload->'authorizations' <> '{}')::int as parts
      from oidc_artifacts where model = 'Session' and character_id is not null`.execute(quiet.db);
    expect(rows).toEqual([{ sessions: 2, parts: 0 }]);
  });

  it.each(['openid', 'openid offline_access'])(
    'a right that ends when the session has idled out already (%s)',
    async (scope) => {
      const tokens = await party.signIn(browserOf(OTHER), { scope });
      app.clock.advance(20 * 3_600_000);
      await ok(root().system.runJob({ params: { job_id: 'maintenance' } }));
      const sessions = app.db.selectFrom('oidc_artifacts').select('model').where('model', '=', 'Session');
      await expect.poll(() => sessions.execute()).toEqual([]);
      expect(listener.told).toEqual([]);
      await ok(root().user.delete({ params: { character_id: OTHER } }));
      await expect.poll(news).toContainEqual({ sub: String(OTHER), sid: sidOf(tokens) });
    },
  );

  it('but not an application from which the user logged out before', async () => {
    const browser = browserOf(OTHER);
    const tokens = await party.signIn(browser);
    await browser.press(await browser.go(endSession(tokens.id_token ?? '')), 'logout');
    await expect.poll(news).toEqual([{ sub: String(OTHER), sid: sidOf(tokens) }]);
    const session = await signedIn(MEMBER);
    await ok(root().user.delete({ params: { character_id: OTHER } }));
    await ok(root().user.delete({ params: { character_id: MEMBER } }));
    await expectEnded(MEMBER, session);
    expect(listener.told).toHaveLength(2);
  });

  it('a change of the allowed groups of an application', async () => {
    const changing = await addRelyingParty(app, { backchannel_logout_uri: listener.url });
    const tokens = await changing.signIn(browserOf(OTHER));
    const { client_id } = changing.client;
    const { group_id } = await ok(root().group.create({ body: { group_name: 'Others' } }));
    const body = { allowed_groups: [group_id] };
    const statements = await statementsOf(app, () =>
      ok(root().oidc.updateClient({ params: { client_id }, body })),
    );
    await expect.poll(news).toEqual([{ sub: String(OTHER), sid: sidOf(tokens) }]);
    // As everywhere where thousands may be judged.
    expect(statements).toContain('set local jit = off');
  });

  it('such a change judges some users after the others', async () => {
    const changing = await addRelyingParty(app, { backchannel_logout_uri: listener.url });
    const tokens = [await changing.signIn(browserOf(MEMBER)), await changing.signIn(browserOf(OTHER))];
    const { client_id } = changing.client;
    const elsewhere = await party.signIn(browserOf(OTHER), { scope: 'openid offline_access' });
    const statements = await statementsOf(app, () =>
      app.db.transaction().execute(async (tx) => {
        await tx
          .updateTable('oidc_clients')
          .set({ restricted: true })
          .where('client_id', '=', client_id)
          .execute();
        await endUnwelcomeOf(app.app.services, tx, client_id, 1);
      }),
    );
    expect(statements.filter((text) => text.includes('with living as'))).toHaveLength(2);
    const told = tokens.map((each) => ({ sub: each.claims()?.sub, sid: sidOf(each) }));
    await expect.poll(() => news().length).toBe(2);
    expect(news()).toEqual(expect.arrayContaining(told));
    for (const { access_token } of tokens) expect(await statusOf(access_token)).toBe(401);
    expect(await statusOf(elsewhere.access_token)).toBe(200);
  });

  it('a job ends those that no operation ended', async () => {
    const session = await signedIn(OTHER);
    const letsIn = (authorized_to_login: boolean) =>
      app.db.updateTable('coalitions').set({ authorized_to_login }).execute();
    await letsIn(false);
    const dry = await root().system.runJob({ params: { job_id: 'end-sessions' }, query: { dry_run: true } });
    expect(dry.body).toMatchObject({
      changes: expect.arrayContaining([{ action: 'end', character_id: OTHER, client_id: null }]),
    });
    expect(await session.left()).toBeGreaterThan(0);
    await ok(root().system.runJob({ params: { job_id: 'end-sessions' } }));
    await expect.poll(session.left).toBe(0);
    await expect.poll(news).toContainEqual({ sub: String(OTHER), sid: session.sid });
    await letsIn(true);
  });

  it('a job judges some users after the others', async () => {
    const sessions = [await signedIn(MEMBER), await signedIn(OTHER)];
    await app.db.updateTable('coalitions').set({ authorized_to_login: false }).execute();
    const ended = await sweepSessions(app.app.services, testRun('end-sessions', { dryRun: true }), 1);
    expect(ended.map(({ character_id }) => character_id)).toEqual(expect.arrayContaining([MEMBER, OTHER]));
    await sweepSessions(app.app.services, testRun('end-sessions'), 1);
    await app.db.updateTable('coalitions').set({ authorized_to_login: true }).execute();
    for (const session of sessions) expect(await session.left()).toBe(0);
  });

  it('the deletion of a group looks at its members alone, as everybody would take long', async () => {
    const session = await signedIn(OTHER);
    const { group_id } = await ok(root().group.create({ body: { group_name: 'Empty' } }));
    await app.db.updateTable('coalitions').set({ authorized_to_login: false }).execute();
    await ok(root().group.delete({ params: { group_id } }));
    await app.db.updateTable('coalitions').set({ authorized_to_login: true }).execute();
    expect(await session.left()).toBeGreaterThan(0);
  });
});
