import { sql } from 'kysely';
import * as openid from 'openid-client';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { FORGERIES } from '../../dev/provider/forgeries.ts';
import { letIn } from '../fixtures/registry.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { Browser } from '../harness/browser.ts';
import { type Collector, startCollector } from '../harness/collector.ts';
import { copyEverything } from '../harness/dump.ts';
import { type Receiver, startReceiver } from '../harness/receiver.ts';
import { addRelyingParty, postForm } from '../harness/relying-party.ts';
import { expectPage, startLogin, TITLES, trySignIn } from '../harness/sign-in.ts';

const [FIRST, SECOND, THIRD] = [2_112_000_049, 2_112_000_055, 2_112_000_070] as const;
const MAIL = 'ext-mail.read_mail.v1';

/** A sign-in by OpenID Connect whose tokens are used, rotated, replayed, and sent in wrong places. */
async function useOpenId(
  app: TestApp,
  characterId: number,
  note: (what: string, secret: string | undefined) => void,
): Promise<void> {
  const party = await addRelyingParty(app);
  note('OpenID client secret', party.client.client_secret);
  const browser = new Browser(app, { choice: { characterId } });
  const scope = 'openid profile groups offline_access';
  const { landed, ...begun } = await party.visit(browser, { scope, prompt: 'consent' });
  note('OpenID code', landed.url.searchParams.get('code') ?? undefined);
  const first = await party.redeem(begun, landed.url);
  await party.userinfo(first);
  const second = await openid.refreshTokenGrant(party.config, first.refresh_token ?? '');
  await openid.refreshTokenGrant(party.config, first.refresh_token ?? '').catch(() => undefined);
  for (const { access_token, refresh_token, id_token } of [first, second]) {
    note('OpenID access token', access_token);
    note('OpenID refresh token', refresh_token);
    note('OpenID ID token', id_token);
  }
  const session = browser.cookies.find(({ name }) => name.endsWith('castellan_session'));
  note('OpenID session', session?.value);
  const careless = new URLSearchParams({
    ...{ client_id: party.client.client_id, client_secret: party.client.client_secret ?? '' },
    ...{ id_token_hint: second.id_token ?? '', code: 'x', access_token: second.access_token },
  });
  for (const path of ['/oidc/auth', '/oidc/logout', '/oidc/userinfo', '/oidc/nothing']) {
    const headers = { cookie: `${session?.name}=${session?.value}` };
    await (await fetch(`${app.url}${path}?${careless}`, { headers, redirect: 'manual' })).text();
  }
  const { client_id, client_secret = '' } = party.client;
  const withSecret = { client_id, client_secret, token: second.refresh_token ?? '' };
  await postForm(app, '/oidc/introspection', withSecret);
  await postForm(app, '/oidc/revocation', withSecret);
  await postForm(app, '/oidc/token', { ...withSecret, grant_type: 'authorization_code', code: 'wrong' });
}

describe('D34, D50: secrets appear nowhere in clear', () => {
  let app: TestApp;
  let receiver: Receiver;
  let collector: Collector;
  /** The secrets that must not be found, by their kind. */
  const canaries = new Map<string, string>();
  const userTokens: string[] = [];

  const jobs = async (name: string) =>
    (
      await sql<{ state: string; retry_count: number }>`
        select state::text, retry_count from pgboss.job where name = ${name}`.execute(app.db)
    ).rows;
  const note = (what: string, secret: string | undefined) => {
    if (secret !== undefined) canaries.set(`${what} ${canaries.size}`, secret);
  };
  const signIn = async (characterId: number, dyn: string): Promise<string> => {
    const { token } = await app.signIn(characterId, { dyn, scopes: [MAIL, 'publicData'] });
    userTokens.push(token);
    return token;
  };

  /** Uses every feature that handles secrets, with success and with failure. */
  beforeAll(async () => {
    collector = await startCollector('secrets');
    app = await startTestApp({ worker: true });
    receiver = await startReceiver();
    await letIn(app, { corporations: [98_000_011] });
    const { services } = app.app;
    const exchange = vi.spyOn(services.sso, 'exchange');
    const authorize = vi.spyOn(app.provider, 'authorize');
    const dyn = await app.dynamicToken(receiver.callback);

    // Events that are delivered, refused, and never accepted.
    await signIn(FIRST, dyn);
    await vi.waitFor(() => expect(receiver.received).toHaveLength(1), 60_000);
    receiver.answer = 500;
    await signIn(SECOND, dyn);
    await vi.waitFor(() => expect(receiver.received).toHaveLength(2), 60_000);
    await signIn(THIRD, await app.dynamicToken());

    // Grants revoked, the provider failing at first.
    app.provider.faults.add('/v2/oauth/revoke', { kind: 'status', status: 500, as: 'text' }, { times: 1 });
    app.provider.world.handOver(FIRST);
    await signIn(FIRST, dyn);
    await vi.waitFor(
      async () => expect(await jobs('revoke-grant')).toMatchObject([{ state: 'retry', retry_count: 0 }]),
      60_000,
    );
    await sql`update pgboss.job set start_after = now() where name = 'revoke-grant'`.execute(app.db);
    await vi.waitFor(
      async () => expect(await jobs('revoke-grant')).toMatchObject([{ state: 'completed' }]),
      60_000,
    );

    // Sign-ins that fail at the provider, and in the database in the middle of storing the grant.
    app.provider.nextAccessToken(FORGERIES['foreign key with our kid']);
    await expectPage(await trySignIn(app, { characterId: SECOND }, { dyn }), 502, TITLES.providerFailed);
    await sql`alter table grants add constraint broken check (not valid) not valid`.execute(app.db);
    await expectPage(
      await trySignIn(app, { characterId: SECOND }, { dyn, scopes: [MAIL] }),
      500,
      TITLES.failure,
    );
    await sql`alter table grants drop constraint broken`.execute(app.db);
    vi.spyOn(services.vault, 'encrypt').mockImplementationOnce((secret) => {
      throw new Error(`cannot encrypt, see https://app.example/?user_token=${secret}&code=${secret}`);
    });
    await expectPage(await trySignIn(app, { characterId: SECOND }, { dyn }), 500, TITLES.failure);

    await useOpenId(app, THIRD, note);

    // Requests with tokens in wrong places, to paths that succeed, fail and crash.
    const [token = ''] = userTokens.slice(1);
    const careless = {
      authorization: `Bearer ${token}`,
      cookie: `session=${token}`,
      referer: `https://app.example/in?user_token=${token}&state_code=x`,
      'x-api-key': token,
      'x-note': `Bearer ${token}`,
    };
    await sql`alter table users rename column name_key to broken`.execute(app.db);
    for (const path of ['/token', '/user', '/nothing', '/callback/ext']) {
      for (const query of ['', `?user_token=${token}&tkn=${app.root}&code=${token}&state=${token}`]) {
        await (await fetch(app.url + path + query, { headers: careless, redirect: 'manual' })).text();
      }
    }
    await sql`alter table users rename column broken to name_key`.execute(app.db);
    await app.client(app.root).user.list();
    const { login_url } = await startLogin(app, { dyn });
    await app.browse(login_url, { characterId: SECOND, scopes: [] });

    for (const call of exchange.mock.settledResults) {
      if (call.type !== 'fulfilled') continue;
      note('access token', call.value.accessToken);
      if (call.value.refreshToken !== undefined) note('refresh token', call.value.refreshToken);
    }
    for (const call of authorize.mock.settledResults) {
      if (call.type !== 'fulfilled') continue;
      note('authorization code', new URL(call.value).searchParams.get('code') ?? '');
    }
    for (const each of userTokens) note('user token', each);
    note('dynamic token', dyn);
    note('permanent token', app.root);
    note('client secret', services.settings.sso.clientSecret);
  });
  afterAll(async () => {
    await app.stop();
    await collector.stop();
    await receiver.stop();
  });

  /** The signature of a JWT: the rest of it is no secret. */
  function formsOf(secret: string): Buffer[] {
    const jwt = /^[\w-]+\.[\w-]+\.([\w-]+)$/.exec(secret);
    const texts = [secret, ...(jwt?.[1] ? [jwt[1]] : [])];
    return texts.flatMap((text) => {
      const bytes = Buffer.from(text);
      return [text, encodeURIComponent(text), bytes.toString('hex'), ...base64Of(bytes)].map((form) =>
        Buffer.from(form),
      );
    });
  }
  /** Base64 of bytes within other bytes: for three alignments, without the ends that depend on the neighbours. */
  function base64Of(bytes: Buffer): string[] {
    return [0, 1, 2].map((lead) =>
      Buffer.concat([Buffer.alloc(lead), bytes])
        .toString('base64')
        .slice(lead === 0 ? 0 : 4, -4),
    );
  }
  const found = (haystacks: Iterable<readonly [string, Buffer]>): string[] =>
    [...haystacks].flatMap(([place, bytes]) =>
      [...canaries].flatMap(([what, secret]) =>
        formsOf(secret).some((form) => bytes.includes(form)) ? [`${what} in ${place}`] : [],
      ),
    );

  it('there are secrets to search for, and all features were used', async () => {
    const kinds = [...canaries.keys()].map((what) => what.replace(/ \d+$/, ''));
    const count = (kind: string) => kinds.filter((each) => each === kind).length;
    expect({ access: count('access token'), user: count('user token') }).toEqual({ access: 8, user: 4 });
    expect(count('refresh token')).toBe(7);
    expect(kinds.filter((kind) => kind.startsWith('OpenID'))).toHaveLength(9);
    expect(count('authorization code')).toBeGreaterThan(6);
    expect([...canaries.values()].every((secret) => secret.length >= 20)).toBe(true);
    const { body } = await app.client(app.root).crash.list();
    // All at the same time by the test's clock, so unordered.
    const paths = (body as { url: string }[]).map(({ url }) => url.split('?')[0]);
    expect(paths.sort()).toEqual(['/callback/ext', '/callback/ext', '/user']);
  });

  it('in no table of any schema, read by COPY', async () => {
    const copies = await copyEverything(app.databaseUrl);
    for (const table of ['public.grants', 'public.tokens', 'public.crash_reports', 'public.state_codes']) {
      expect(copies.get(table)?.length, table).toBeGreaterThan(100);
    }
    expect([...copies.keys()].filter((table) => table.startsWith('pgboss.j')).length).toBeGreaterThan(1);
    expect(found(copies)).toEqual([]);
  });

  it('the search finds what is stored in clear, encoded, or as bytes', async () => {
    const [[what, secret] = ['', '']] = canaries;
    const forms = [
      secret,
      `x${Buffer.from(`ab${secret}`).toString('base64')}`,
      Buffer.from(secret).toString('hex'),
    ];
    for (const form of forms) {
      await app.db.updateTable('tokens').set({ comments: form }).where('token_type', '=', 'per').execute();
      expect(found(await copyEverything(app.databaseUrl))).toEqual([`${what} in public.tokens`]);
    }
    await app.db.updateTable('tokens').set({ comments: null }).execute();
    await app.db
      .updateTable('grants')
      .set({ access_token: Buffer.from(secret) })
      .where('character_id', '=', THIRD)
      .execute();
    expect(found(await copyEverything(app.databaseUrl))).toEqual([`${what} in public.grants`]);
    await app.db
      .updateTable('grants')
      .set({ access_token: null })
      .where('character_id', '=', THIRD)
      .execute();
  });

  it('in no line of the log', () => {
    expect(app.logged.length).toBeGreaterThan(30);
    expect(app.logged.some((line) => line.includes('uncaught exception'))).toBe(true);
    expect(found(app.logged.map((line) => [line.slice(0, 200), Buffer.from(line)] as const))).toEqual([]);
  });

  it('in no crash report that the API shows', async () => {
    const client = app.client(app.root);
    const list = await client.crash.list();
    for (const { id } of list.body as { id: string }[]) {
      const report = await client.crash.get({ params: { crash_report_id: id } });
      expect(report.status).toBe(200);
      expect(found([[id, Buffer.from(JSON.stringify(report.body))]])).toEqual([]);
    }
  });

  it('in no trace, and in no metric', async () => {
    await expect.poll(() => collector.bodies.join().includes('GET /crash/')).toBe(true);
    expect(found([['traces', Buffer.from(collector.bodies.join())]])).toEqual([]);
    const metrics = await app.app.services.metrics.registry.metrics();
    expect(metrics).toContain('castellan_http_request_duration_seconds_count');
    expect(found([['metrics', Buffer.from(metrics)]])).toEqual([]);
  });

  it('not in the configuration that the API shows', async () => {
    const { body } = await app.client(app.root).system.configuration();
    expect(found([['configuration', Buffer.from(JSON.stringify(body))]])).toEqual([]);
  });

  it('in no URL that the provider was called with', () => {
    const urls = app.provider.requests.map(({ path, query }) => `${path}?${query}`).join('\n');
    expect(found([['requests', Buffer.from(urls)]])).toEqual([]);
  });
});
