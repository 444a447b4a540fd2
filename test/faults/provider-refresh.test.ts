import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Fault, OAUTH_FAULTS, type OAuthFault } from '../../dev/provider/faults.ts';
import { checkGrants } from '../../server/grant/check-grants.ts';
import { grantBinding } from '../../server/grant/grant.queries.ts';
import {
  claimRefresh,
  endRefresh,
  leaveToCheck,
  markInvalid,
  storeAccessToken,
} from '../../server/grant/refresh-tokens.queries.ts';
import { createAccessTokens } from '../../server/grant/refresh-tokens.ts';
import { createSso } from '../../server/provider/sso.ts';
import { eventsOf } from '../fixtures/events.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import {
  addGrant,
  expireAccessTokens,
  forgetProvider,
  LOCATION,
  otherProcess,
  outcomeOf,
  ownRecord,
  SKILLS,
  WALLET,
} from '../harness/provider.ts';
import { testRun } from '../harness/run.ts';
import { startSignOn } from '../harness/sign-on.ts';
import { textOf } from '../harness/text-of.ts';

/** Of one answer: short for who waits in vain, else long enough for a busy machine. */
const [SHORT, LONG] = [2_000, 15_000];
const LIMITS = { milliseconds: LONG, bytes: 256 * 1024 };
const ADA = 2_112_000_001;
const TOKEN = '/v2/oauth/token';

let app: TestApp;
let other: ReturnType<typeof otherProcess>;
let ask: TestApp['app']['services']['client']['ask'];

beforeAll(async () => {
  app = await startTestApp({ providerLimits: LIMITS });
  other = otherProcess(app, { limits: LIMITS });
  ask = app.app.services.client.ask;
  await app.app.services.document.current();
  // Both processes fetch the sign-on's metadata and keys first, so that no fault below affects that.
  await addGrant(app, ADA);
  await expireAccessTokens(app);
  await other.client.ask(ownRecord(ADA));
});
beforeEach(async () => {
  LIMITS.milliseconds = LONG;
  app.provider.reset();
  await app.db.deleteFrom('grants').execute();
  await forgetProvider(app);
  await addGrant(app, ADA);
  await expireAccessTokens(app);
});
afterAll(async () => {
  await other.stop();
  await app.stop();
});

/** Token requests except those of `addGrant`; a request with a fault has no recorded grant type. */
const refreshes = () =>
  app.provider.requests.filter(({ path, grantType }) => path === TOKEN && grantType !== 'authorization_code');
const grants = () =>
  app.db.selectFrom('grants').selectAll().where('character_id', '=', ADA).orderBy('scopes').execute();
const grant = async () => (await grants())[0];

describe('D33: one refresh in flight for each refresh token', () => {
  it.each([false, true])('50 parallel calls in two processes, rotation %s: one refresh', async (rotate) => {
    app.provider.rotateRefreshTokens = rotate;
    const whats = ['skills', 'location', 'wallet'] as const;
    const patient = { limits: { ...LIMITS, milliseconds: 60_000 } };
    const processes = [otherProcess(app, patient), otherProcess(app, patient)];
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, (_, n) => {
        const { client } = processes[n % 2] as typeof other;
        // Different queries, because identical requests would be sent once anyway.
        return outcomeOf(client.ask({ ...ownRecord(ADA, whats[n % 3]), query: [['n', String(n)]] }));
      }),
    );
    for (const { stop } of processes) await stop();
    expect(new Set(outcomes)).toEqual(new Set([200]));
    expect(refreshes()).toHaveLength(1);
    expect(await grant()).toMatchObject({ valid: true, refresh_started_on: null });
  });

  it('of many concurrent claims of a refresh one succeeds', async () => {
    const [row] = await grants();
    if (row === undefined) throw new Error('no grant');
    const claims = await Promise.all(
      Array.from({ length: 24 }, (_, n) =>
        claimRefresh(n % 2 ? other.db : app.db, row.grant_id, row.refresh_token, app.clock.now()),
      ),
    );
    expect(claims.filter(Boolean)).toHaveLength(1);
  });

  // A call after the failed refresh would start another one: the ten must arrive while it is pending.
  it('a faulty sign-on gets one request for all waiting calls of a process', { retry: 3 }, async () => {
    const sick = app.provider.faults.add(TOKEN, { kind: 'status', status: 503, as: 'text' });
    const asked = Array.from({ length: 10 }, (_, n) =>
      outcomeOf(ask({ ...ownRecord(ADA), query: [['n', String(n)]] })),
    );
    expect(new Set(await Promise.all(asked))).toEqual(new Set(['unusable']));
    expect(sick.strikes).toBe(1);
  });

  it('an access token that is valid for another minute is used, otherwise it is refreshed', async () => {
    const expireIn = (milliseconds: number) =>
      app.db
        .updateTable('grants')
        .set({ access_expires_on: new Date(app.clock.now().getTime() + milliseconds) })
        .execute();
    await expireIn(70_000);
    await ask(ownRecord(ADA));
    expect(refreshes()).toHaveLength(0);
    await expireIn(59_000);
    await ask(ownRecord(ADA, 'wallet'));
    expect(refreshes()).toHaveLength(1);
  });

  it('a call that waits for another process waits no longer than its own time limit', async () => {
    await sql`update grants set refresh_started_on = now()`.execute(app.db);
    LIMITS.milliseconds = SHORT;
    // The other one never ends; after half a minute it would count as cut off, and be made up for.
    expect(await outcomeOf(ask(ownRecord(ADA)))).toBe('timeout');
    expect(refreshes()).toHaveLength(0);
  });

  it('a call ends at its time limit however long a refresh takes, and the refresh is not lost', async () => {
    app.provider.rotateRefreshTokens = true;
    let release = () => undefined as unknown;
    const until = new Promise((resolve) => {
      release = () => resolve(undefined);
    });
    app.provider.faults.add(TOKEN, { kind: 'hold', until }, { times: 1 });
    const hasty = createAccessTokens(app.app.services);
    const [row] = await grants();
    if (row === undefined) throw new Error('no grant');
    await expect(hasty.of({ ...row, cut_off: false }, ADA, performance.now() + 50)).rejects.toMatchObject({
      fault: 'timeout',
    });
    release();
    await expect.poll(grant).toMatchObject({ refresh_started_on: null });
    expect(await outcomeOf(ask(ownRecord(ADA)))).toBe(200);
    expect(refreshes()).toHaveLength(1);
  });

  it('the new refresh token is stored before its access token is verified, and stays claimed', async () => {
    const { services } = app.app;
    const [row] = await grants();
    if (row === undefined) throw new Error('no grant');
    const { vault, sso } = services;
    const refreshToken = () =>
      grants().then(
        ([it]) => it && vault.decrypt(it.refresh_token, grantBinding(it.grant_id, 'refresh_token')),
      );
    let verify = () => undefined as unknown;
    const keys = new Promise((resolve) => {
      verify = () => resolve(undefined);
    });
    const slow = createAccessTokens({
      ...services,
      sso: { ...sso, identify: (token) => keys.then(() => sso.identify(token)) },
    });
    app.provider.rotateRefreshTokens = true;
    const former = await refreshToken();
    const asked = slow.of({ ...row, cut_off: false }, ADA, performance.now() + 60_000);
    await expect.poll(refreshToken).not.toBe(former);
    const [claimed] = await grants();
    expect(claimed?.refresh_started_on).not.toBeNull();
    // Who is killed now leaves it due, so that the next check heals it.
    expect(claimed?.next_check_on).toEqual(app.clock.now());
    verify();
    expect(await asked).toBeTypeOf('string');
    expect(await grant()).toMatchObject({ refresh_started_on: null, valid: true });
    expect((await grant())?.access_token).not.toBeNull();
  });

  it('a 401 with a token that should be valid: refreshed once and retried', async () => {
    await ask(ownRecord(ADA));
    app.provider.faults.add('/characters/*/wallet', { kind: 'status', status: 401 }, { times: 1 });
    expect(await outcomeOf(ask(ownRecord(ADA, 'wallet')))).toBe(200);
    expect(refreshes()).toHaveLength(2);
    await sql`delete from provider_cache`.execute(app.db);
    const stubborn = app.provider.faults.add('/characters/*/wallet', { kind: 'status', status: 401 });
    expect(await outcomeOf(ask(ownRecord(ADA, 'wallet')))).toBe(401);
    expect(stubborn.strikes).toBe(2);
    expect(refreshes()).toHaveLength(3);
    expect(await grant()).toMatchObject({ valid: true });
  });

  it('401s to many concurrent calls: one refresh', async () => {
    await ask(ownRecord(ADA));
    const refused = app.provider.faults.add(
      '/characters/*/location',
      { kind: 'status', status: 401 },
      { times: 8 },
    );
    // Waits until all were refused, because otherwise early calls would get the later answers.
    const until = expect.poll(() => refused.strikes).toBe(8);
    app.provider.faults.add(TOKEN, { kind: 'hold', until }, { times: 1 });
    const asked = Array.from({ length: 8 }, (_, n) =>
      outcomeOf(ask({ ...ownRecord(ADA, 'location'), query: [['n', String(n)]] })),
    );
    expect(new Set(await Promise.all(asked))).toEqual(new Set([200]));
    expect(refreshes()).toHaveLength(2);
  });
});

describe('D34: a rotated refresh token', () => {
  it('is stored before it is used, encrypted, and the next refresh uses it', async () => {
    app.provider.rotateRefreshTokens = true;
    const before = await grant();
    expect(await outcomeOf(ask(ownRecord(ADA)))).toBe(200);
    const after = await grant();
    expect(after?.refresh_token.equals(before?.refresh_token as Buffer)).toBe(false);
    for (const what of ['wallet', 'location'] as const) {
      await expireAccessTokens(app);
      expect(await outcomeOf(other.client.ask(ownRecord(ADA, what)))).toBe(200);
    }
    expect(refreshes()).toHaveLength(3);
  });

  it('is stored even if the access token that came with it cannot be verified', async () => {
    app.provider.rotateRefreshTokens = true;
    app.provider.nextAccessToken((draft) => {
      draft.claims.aud = 'another application';
    });
    expect(await outcomeOf(ask(ownRecord(ADA)))).toBe('unusable');
    expect(await grant()).toMatchObject({ valid: true, access_token: null, refresh_started_on: null });
    expect(await outcomeOf(ask(ownRecord(ADA)))).toBe(200);
  });

  it.each([
    [200, 'new'],
    [201, 'old'],
    [400, 'old'],
    [502, 'old'],
  ])(
    'is stored even if nothing else in the answer is right, but only from a 200: %d',
    async (status, kept) => {
      const { services } = app.app;
      const { settings, clock, vault } = services;
      const [row] = await grants();
      if (row === undefined) throw new Error('no grant');
      const binding = grantBinding(row.grant_id, 'refresh_token');
      await app.db
        .updateTable('grants')
        .set({ refresh_token: vault.encrypt('old', binding) })
        .execute();
      const signOn = await startSignOn('castellan-test', () => clock.now());
      const { sso } = settings;
      const odd = createSso({ settings: { ...settings, sso: { ...sso, url: signOn.url } }, clock });
      const tokens = createAccessTokens({ ...services, sso: odd });
      // A good access token, too: one without its type is not used.
      signOn.token = { status, body: { refresh_token: 'new', access_token: await signOn.accessToken(ADA) } };
      const asked = tokens.of({ ...row, cut_off: false }, ADA, performance.now() + 60_000);
      await expect(asked).rejects.toMatchObject({ fault: 'unusable' });
      const after = await grant();
      expect(after && vault.decrypt(after.refresh_token, binding)).toBe(kept);
      expect(after).toMatchObject({ valid: true, refresh_started_on: null });
      expect(after?.access_token).toEqual(status === 200 ? null : row.access_token);
      await signOn.stop();
    },
  );

  it('D91: that comes after another process found the former one dead is told: the grant is valid again', async () => {
    app.provider.rotateRefreshTokens = true;
    let answer = () => undefined as unknown;
    const until = new Promise((resolve) => {
      answer = () => resolve(undefined);
    });
    app.provider.faults.add(TOKEN, { kind: 'hold', until }, { times: 1 });
    const events = await eventsOf(app.db, async () => {
      const asking = outcomeOf(ask(ownRecord(ADA)));
      await expect.poll(async () => (await grant())?.refresh_started_on).not.toBeNull();
      await app.db.updateTable('grants').set({ valid: false, cause: 'invalid_grant' }).execute();
      answer();
      expect(await asking).toBe(200);
    });
    const scopes = (await grant())?.scopes;
    expect(await grant()).toMatchObject({ valid: true, cause: null });
    expect(events.map(({ type, changes }) => [type, changes])).toEqual([
      ['grant.given', [{ field: 'scopes', before: [], after: scopes }]],
    ]);
  });

  it.each([
    ['is stored', 'update "grants" set "refresh_token" ='],
    ['and its access token are stored', 'update grants set access_token ='],
  ])('%s although the database cannot be reached at that moment', async (_, storing) => {
    const { services } = app.app;
    app.provider.rotateRefreshTokens = true;
    const away = [0, 0].map(() => Object.assign(new Error('no database'), { code: 'ECONNREFUSED' }));
    const db = services.db.withPlugin({
      transformQuery(statement) {
        const error = textOf(statement).includes(storing) ? away.pop() : undefined;
        if (error !== undefined) throw error;
        return statement.node;
      },
      transformResult: async ({ result }) => result,
    });
    const [row] = await grants();
    if (row === undefined) throw new Error('no grant');
    const tokens = createAccessTokens({ ...services, db });
    const asked = tokens.of({ ...row, cut_off: false }, ADA, performance.now() + 60_000);
    expect(await asked).toBeTypeOf('string');
    expect(away).toEqual([]);
    expect(await grant()).toMatchObject({ refresh_started_on: null });
    await expireAccessTokens(app);
    expect(await outcomeOf(ask(ownRecord(ADA)))).toBe(200);
    expect(await grant()).toMatchObject({ valid: true });
  });

  it('is asked for by the next check when the database broke off while the refresh was claimed', async () => {
    const { services } = app.app;
    const claims = new Set<object>();
    const db = services.db.withPlugin({
      transformQuery(statement) {
        if (textOf(statement).includes('set "refresh_started_on" = now()')) claims.add(statement.queryId);
        return statement.node;
      },
      async transformResult({ result, queryId }) {
        if (claims.has(queryId)) throw Object.assign(new Error('broke off'), { code: 'ECONNRESET' });
        return result;
      },
    });
    const [row] = await grants();
    if (row === undefined) throw new Error('no grant');
    const tokens = createAccessTokens({ ...services, db });
    const asked = tokens.of({ ...row, cut_off: false }, ADA, performance.now() + 60_000);
    await expect(asked).rejects.toMatchObject({ code: 'ECONNRESET' });
    await sql`update grants set refresh_started_on = now() - interval '31 seconds'`.execute(app.db);
    await checkGrants(services, testRun('check-grants'));
    expect(refreshes()).toHaveLength(1);
    expect(await grant()).toMatchObject({ valid: true, refresh_started_on: null });
  });

  it('whose answer was lost is marked as dead at once', async () => {
    app.provider.rotateRefreshTokens = true;
    app.provider.faults.add(TOKEN, { kind: 'lose answer' }, { times: 1 });
    expect(await outcomeOf(ask(ownRecord(ADA)))).toBe('no-token');
    expect(await grant()).toMatchObject({
      valid: false,
      cause: expect.stringContaining('Token missing/expired'),
    });
  });

  it('without rotation a lost answer has no effect', async () => {
    app.provider.faults.add(TOKEN, { kind: 'lose answer' }, { times: 1 });
    expect(await outcomeOf(ask(ownRecord(ADA)))).toBe(200);
    expect(await grant()).toMatchObject({ valid: true });
  });

  it('of a sign-in meanwhile is not overwritten by the answer to an older one', async () => {
    app.provider.rotateRefreshTokens = true;
    let release = () => undefined as unknown;
    const until = new Promise((resolve) => {
      release = () => resolve(undefined);
    });
    const held = app.provider.faults.add(TOKEN, { kind: 'hold', until }, { times: 1 });
    const asked = outcomeOf(ask(ownRecord(ADA)));
    while (held.strikes === 0) await new Promise(setImmediate);
    await addGrant(app, ADA);
    const signedIn = await grant();
    release();
    expect(await asked).toBe(200);
    expect((await grant())?.refresh_token.equals(signedIn?.refresh_token as Buffer)).toBe(true);
    expect(await grant()).toMatchObject({ valid: true, refresh_started_on: null });
  });

  const nameless = () => ({
    accessToken: Buffer.from('another'),
    accessExpiresOn: app.clock.now(),
    owner: null,
    nextCheckOn: app.clock.now(),
  });

  it.each([
    ['found dead', (id: string, used: Buffer) => markInvalid(app.db, id, used, 'dead', app.clock.now())],
    ['left to the check', (id: string, used: Buffer) => leaveToCheck(app.db, id, used)],
    ['not answered', (id: string, used: Buffer) => endRefresh(app.db, id, used, app.clock.now())],
    ['answered', (id: string, used: Buffer) => storeAccessToken(app.db, id, used, nameless())],
  ])(
    'of a sign-in meanwhile, which is being refreshed, is not touched when the older one is %s',
    async (_, end) => {
      const { grant_id, refresh_token } = (await grant()) ?? { grant_id: '', refresh_token: Buffer.alloc(0) };
      expect(await claimRefresh(app.db, grant_id, refresh_token, app.clock.now())).toBe(true);
      const claimed = await grant();
      await end(grant_id, Buffer.from('an older one'));
      expect(await grant()).toEqual(claimed);
    },
  );

  it('whose check was postponed meanwhile stays so when its refresh is not answered', async () => {
    const { grant_id, refresh_token } = (await grant()) ?? { grant_id: '', refresh_token: Buffer.alloc(0) };
    const postponed = new Date(app.clock.now().getTime() + 1_000);
    await app.db.updateTable('grants').set({ next_check_on: postponed }).execute();
    await endRefresh(app.db, grant_id, refresh_token, app.clock.now());
    expect(await grant()).toMatchObject({ next_check_on: postponed });
  });

  it('D29b: of a grant that is gone meanwhile gives no access token', async () => {
    expect(await storeAccessToken(app.db, randomUUID(), Buffer.from('any'), nameless())).toBe(false);
  });

  it('D100: whose access token names no owner leaves the one that was heard before', async () => {
    const { grant_id, refresh_token } = (await grant()) ?? { grant_id: '', refresh_token: Buffer.alloc(0) };
    await app.db.updateTable('grants').set({ heard_owner: 'buyer' }).execute();
    // Nobody has signed in, so it is not known who the owner is.
    expect(await storeAccessToken(app.db, grant_id, refresh_token, nameless())).toBe(true);
    await app.db.updateTable('users').set({ owner_hash: 'seller' }).where('character_id', '=', ADA).execute();
    expect(await storeAccessToken(app.db, grant_id, refresh_token, nameless())).toBe(false);
    expect(await grant()).toMatchObject({ heard_owner: 'buyer', access_token: Buffer.from('another') });
    await app.db.updateTable('users').set({ owner_hash: null }).where('character_id', '=', ADA).execute();
  });
});

describe('D34: invalid on the provider’s word alone', () => {
  const deadly = (Object.keys(OAUTH_FAULTS) as OAuthFault[]).filter((name) => OAUTH_FAULTS[name].deadly);
  const ours = (Object.keys(OAUTH_FAULTS) as OAuthFault[]).filter((name) => !OAUTH_FAULTS[name].deadly);

  it.each(deadly)('%s: invalid with its cause, and not used again', async (error) => {
    app.provider.faults.add(TOKEN, { kind: 'oauth', error });
    expect(await outcomeOf(ask(ownRecord(ADA)))).toBe('no-token');
    expect(await grant()).toMatchObject({
      valid: false,
      cause: expect.stringContaining(OAUTH_FAULTS[error].error),
      access_token: null,
      refresh_started_on: null,
    });
    app.provider.faults.clear();
    expect(await outcomeOf(other.client.ask(ownRecord(ADA)))).toBe('no-token');
    expect(refreshes()).toHaveLength(1);
  });

  const passing: readonly (readonly [Fault, string])[] = [
    ...ours.map((error) => {
      const fault = OAUTH_FAULTS[error].error === 'invalid_client' ? 'refused-client' : 'unusable';
      return [{ kind: 'oauth', error }, fault] as const;
    }),
    [{ kind: 'unusable token answer' }, 'unusable'],
    [{ kind: 'status', status: 400 }, 'unusable'],
    [{ kind: 'status', status: 403 }, 'unusable'],
    [{ kind: 'odd 403' }, 'unusable'],
    [{ kind: 'status', status: 500 }, 'unusable'],
    [{ kind: 'status', status: 502, as: 'html' }, 'unusable'],
    [{ kind: 'status', status: 503, as: 'text' }, 'unusable'],
    [{ kind: 'status', status: 504 }, 'unusable'],
    [{ kind: 'not json' }, 'unusable'],
    [{ kind: 'redirect' }, 'unusable'],
    [{ kind: 'hang' }, 'timeout'],
    [{ kind: 'drip' }, 'timeout'],
    [{ kind: 'truncate' }, 'unreachable'],
    [{ kind: 'reset' }, 'unreachable'],
    [{ kind: 'lose answer' }, 'unreachable'],
    [{ kind: 'oversized' }, 'too-large'],
  ];
  it.each(passing.map(([fault, outcome]) => [JSON.stringify(fault), fault, outcome] as const))(
    '%s leaves it valid, and it works afterwards',
    async (_, fault, outcome) => {
      app.provider.faults.add(TOKEN, fault);
      if (outcome === 'timeout') LIMITS.milliseconds = SHORT;
      expect(await outcomeOf(ask(ownRecord(ADA)))).toBe(outcome);
      LIMITS.milliseconds = LONG;
      // The caller may be gone before the end of the refresh.
      await expect.poll(grant).toMatchObject({ refresh_started_on: null });
      expect(await grant()).toMatchObject({ valid: true, cause: null });
      app.provider.faults.clear();
      expect(await outcomeOf(other.client.ask(ownRecord(ADA)))).toBe(200);
    },
  );

  it('an access token of another character is not used', async () => {
    app.provider.nextAccessToken((draft) => {
      draft.claims.sub = 'CHARACTER:EVE:2112000002';
    });
    expect(await outcomeOf(ask(ownRecord(ADA)))).toBe('unusable');
    expect(await grant()).toMatchObject({ valid: true });
    expect(app.provider.requests.filter(({ area }) => area === 'api')).toEqual([]);
  });
});

describe('D34b: the best grant is used', () => {
  it('the one with the most scopes; the next one when it turns out dead; else 404', async () => {
    await app.db.deleteFrom('grants').execute();
    await addGrant(app, ADA, [SKILLS]);
    await addGrant(app, ADA, [SKILLS, LOCATION, WALLET]);
    await addGrant(app, ADA, [SKILLS, WALLET]);
    await expireAccessTokens(app);
    app.provider.faults.add(TOKEN, { kind: 'oauth', error: 'token missing' }, { times: 1 });
    expect(await outcomeOf(ask(ownRecord(ADA)))).toBe(200);
    const by = (await grants()).map(({ scopes, valid, access_token }) => [
      scopes.length,
      valid,
      access_token !== null,
    ]);
    expect(by.sort()).toEqual([
      [1, true, true],
      [2, true, true],
      [3, false, false],
    ]);
    expect(refreshes()).toHaveLength(2);
    expect(await outcomeOf(ask(ownRecord(ADA, 'location')))).toBe('no-token');
  });
});
