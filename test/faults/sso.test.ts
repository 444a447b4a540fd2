import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Fault, type FaultTarget, OAUTH_FAULTS, type OAuthFault } from '../../dev/provider/faults.ts';
import { createSso } from '../../server/provider/sso.ts';
import { letIn } from '../fixtures/registry.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { snapshot } from '../harness/dump.ts';
import { startReceiver } from '../harness/receiver.ts';
import { callBack, expectPage, startLogin, TITLES, userTokenOf } from '../harness/sign-in.ts';
import { type ScriptedSignOn, startSignOn } from '../harness/sign-on.ts';

const MEMBER = 2_112_000_049;
/** Timeouts of one answer: short for a sign-on that hangs, otherwise long enough for a busy machine. */
const [SHORT, LONG] = [1_200, 15_000];
const LIMITS = { milliseconds: LONG, bytes: 256 * 1024 };
/** Far from what metadata, token and key set may take, as a machine may be busy: what hangs does so for ever. */
const WITHIN = 30_000;

/** Clears the cached metadata and keys, as after a start. */
function forget({ app: { services } }: TestApp): void {
  const { settings, clock } = services;
  Object.assign(services, { sso: createSso({ settings, clock, limits: LIMITS }) });
}

const CONNECTION: readonly Fault[] = [
  { kind: 'hang' },
  { kind: 'drip' },
  { kind: 'truncate' },
  { kind: 'reset' },
  { kind: 'oversized' },
];
const ANSWERS: readonly Fault[] = [
  ...[500, 502, 503, 504, 429, 403].flatMap((status) =>
    (['json', 'html', 'text'] as const).map((as) => ({ kind: 'status', status, as }) as const),
  ),
  { kind: 'not json' },
  { kind: 'not json', contentType: 'text/html' },
  { kind: 'redirect' },
];
const OAUTH = (Object.keys(OAUTH_FAULTS) as OAuthFault[]).map((error) => ({ kind: 'oauth', error }) as const);
/** Errors that mean only that the code is not accepted. */
const isOfTheCode = ({ error }: { readonly error: OAuthFault }) =>
  OAUTH_FAULTS[error].error.startsWith('invalid_grant') && error !== 'grant type not supported';
const TOKEN_ONLY: readonly Fault[] = [
  ...OAUTH.filter((fault) => !isOfTheCode(fault)),
  { kind: 'unusable token answer' },
  { kind: 'lose answer' },
];

const cases: readonly [FaultTarget, readonly Fault[]][] = [
  ['POST /v2/oauth/token', [...TOKEN_ONLY, ...ANSWERS, ...CONNECTION]],
  ['/oauth/jwks', [{ kind: 'status', status: 503, as: 'html' }, ...ANSWERS.slice(-3), ...CONNECTION]],
  [
    '/.well-known/oauth-authorization-server',
    [{ kind: 'status', status: 503, as: 'text' }, ...ANSWERS.slice(-3), ...CONNECTION],
  ],
  ['sso', [{ kind: 'status', status: 503 }, { kind: 'hang' }, { kind: 'reset' }]],
];

describe('D26: a sign-on that fails: a 502 page in time, nothing written, and the state code works afterwards', () => {
  let app: TestApp;
  let dyn: string;

  beforeAll(async () => {
    app = await startTestApp({ providerLimits: LIMITS });
    dyn = await app.dynamicToken();
    await letIn(app, { corporations: [98_000_011] });
  });
  beforeEach(() => {
    LIMITS.milliseconds = LONG;
  });
  afterEach(() => app.provider.reset());
  afterAll(() => app.stop());

  /** Advances the clock by a minute, so that failures are logged again, within the lifetime of state codes. */
  const nextMinute = () => app.clock.advance(60_000);

  const named = cases.flatMap(([target, faults]) =>
    faults.map((fault) => [target, JSON.stringify(fault), fault] as const),
  );
  it.each(named)('%s: %s', async (target, _, fault) => {
    const { login_url } = await startLogin(app, { dyn });
    const code = await app.provider.authorize(login_url, { characterId: MEMBER });
    LIMITS.milliseconds = fault.kind === 'hang' || fault.kind === 'drip' ? SHORT : LONG;
    forget(app);
    const before = await snapshot(app.databaseUrl);
    const active = app.provider.faults.add(target, fault);
    const started = performance.now();
    const answer = await callBack(app, Object.fromEntries(new URL(code).searchParams));
    expect(performance.now() - started).toBeLessThan(WITHIN);
    expect(active.strikes).toBeGreaterThan(0);
    await expectPage(answer, 502, TITLES.providerFailed);
    expect(await snapshot(app.databaseUrl)).toEqual(before);
    app.provider.faults.clear();
    LIMITS.milliseconds = LONG;
    expect(userTokenOf(await app.browse(login_url, { characterId: MEMBER }))).not.toBe('');
  });

  it.each(OAUTH.filter(isOfTheCode).map((fault) => [fault.error, fault] as const))(
    'D26: the provider refuses the code, “%s”: a 400 page that does not blame the provider',
    async (_, fault) => {
      const { login_url } = await startLogin(app, { dyn });
      app.provider.faults.add('POST /v2/oauth/token', fault, { times: 1 });
      const answer = await app.browse(login_url, { characterId: MEMBER });
      expect(await expectPage(answer, 400, TITLES.badRequest)).not.toContain('provider');
      expect(userTokenOf(await app.browse(login_url, { characterId: MEMBER }))).not.toBe('');
    },
  );

  it('with cached metadata and keys, only the token endpoint has to be available', async () => {
    await app.signIn(MEMBER, { dyn });
    app.provider.faults.add('/oauth/jwks', { kind: 'status', status: 503 });
    app.provider.faults.add('/.well-known/oauth-authorization-server', { kind: 'hang' });
    await app.signIn(MEMBER, { dyn });
  });

  it('a sign-on that hangs delays a login URL no longer than the timeout', async () => {
    LIMITS.milliseconds = SHORT;
    forget(app);
    app.provider.faults.add('sso', { kind: 'hang' });
    const started = performance.now();
    await startLogin(app, { dyn });
    expect(performance.now() - started).toBeLessThan(WITHIN);
  });

  it('a redirect is not followed, so nobody else gets the code and the client credentials', async () => {
    const elsewhere = await startReceiver();
    const { login_url } = await startLogin(app, { dyn });
    app.provider.faults.add('/v2/oauth/token', { kind: 'redirect', to: elsewhere.callback });
    const answer = await app.browse(login_url, { characterId: MEMBER });
    await expectPage(answer, 502, TITLES.providerFailed);
    expect(elsewhere.received).toEqual([]);
    await elsewhere.stop();
  });

  it('an answer that is too large is not read to its end', async () => {
    nextMinute();
    const { login_url } = await startLogin(app, { dyn });
    app.provider.faults.add('/v2/oauth/token', { kind: 'oversized', bytes: 2 ** 40 });
    const before = app.logged.length;
    const answer = await app.browse(login_url, { characterId: MEMBER });
    await expectPage(answer, 502, TITLES.providerFailed);
    expect(app.logged.slice(before).join()).toContain(`the answer is larger than ${LIMITS.bytes} bytes`);
  });

  it('it is logged, without the code', async () => {
    nextMinute();
    const { login_url } = await startLogin(app, { dyn });
    const back = new URL(await app.provider.authorize(login_url, { characterId: MEMBER }));
    app.provider.faults.add('/v2/oauth/token', { kind: 'oauth', error: 'grant type not supported' });
    const before = app.logged.length;
    await callBack(app, Object.fromEntries(back.searchParams));
    const lines = app.logged.slice(before);
    expect(lines.find((line) => line.includes('a sign-in failed at the provider'))).toContain(
      'invalid_grant (400)',
    );
    expect(lines.join()).not.toContain(back.searchParams.get('code'));
  });
});

describe('an unavailable sign-on does not fill the log', () => {
  it('is logged once, then as a count each minute, then when it works again', async () => {
    const app = await startTestApp({ providerLimits: LIMITS });
    const dyn = await app.dynamicToken();
    await letIn(app, { corporations: [98_000_011] });
    const lines = () =>
      app.logged
        .filter((line) => /a sign-in failed|works again/.test(line))
        .map((line) => JSON.parse(line) as Record<string, unknown>);
    const signIn = async () => {
      const { login_url } = await startLogin(app, { dyn });
      return (await app.browse(login_url, { characterId: MEMBER })).status;
    };
    app.provider.faults.add('/v2/oauth/token', { kind: 'reset' });
    for (let n = 0; n < 5; n += 1) expect(await signIn()).toBe(502);
    expect(lines()).toMatchObject([{ msg: 'a sign-in failed at the provider', err: {} }]);
    app.clock.advance(60_000);
    expect(await signIn()).toBe(502);
    expect(lines().slice(1)).toMatchObject([{ msg: 'a sign-in failed at the provider (again)', times: 5 }]);
    app.provider.faults.clear();
    expect([await signIn(), await signIn()]).toEqual([302, 302]);
    expect(lines().slice(2)).toMatchObject([{ msg: 'sign-in at the provider: works again', failures: 6 }]);
    await app.stop();
  });
});

describe('D26: a sign-on that answers nonsense: a 502 page, no crash report', () => {
  let app: TestApp;
  let signOn: ScriptedSignOn;
  let usual: Pick<ScriptedSignOn, 'metadata' | 'jwks'>;

  beforeAll(async () => {
    signOn = await startSignOn('castellan-test', () => app.clock.now());
    usual = { metadata: signOn.metadata, jwks: signOn.jwks };
    app = await startTestApp({ env: { SSO_URL: signOn.url }, providerLimits: LIMITS });
  });
  beforeEach(async () => {
    LIMITS.milliseconds = LONG;
    Object.assign(signOn, usual);
    forget(app);
    const good = { access_token: await signOn.accessToken(MEMBER), token_type: 'Bearer', expires_in: 1199 };
    signOn.token = { body: good };
  });
  afterAll(async () => {
    await app.stop();
    await signOn.stop();
  });

  async function end(): Promise<Response> {
    const { state_code } = await startLogin(app);
    return callBack(app, { code: 'c', state: state_code });
  }
  async function expectFailure(): Promise<void> {
    await expectPage(await end(), 502, TITLES.providerFailed);
    expect((await app.client(app.root).crash.list()).body).toEqual([]);
  }

  it('the usual answers are understood', async () => {
    await expectPage(await end(), 403, TITLES.notAllowed);
  });

  it('provider.md §1: null means the same as no refresh token', async () => {
    signOn.token = { body: { ...(signOn.token.body as object), refresh_token: null } };
    await expectPage(await end(), 403, TITLES.notAllowed);
    const refreshed = await app.app.services.sso.refresh('kept');
    expect(refreshed).toMatchObject({ kind: 'refreshed', refreshToken: 'kept' });
  });

  it.each([null, 'none', 7])('provider.md §1: an ID token is left alone: %j', async (id_token) => {
    signOn.token = { body: { ...(signOn.token.body as object), id_token } };
    await expectPage(await end(), 403, TITLES.notAllowed);
    const refreshed = await app.app.services.sso.refresh('kept');
    expect(refreshed).toMatchObject({ kind: 'refreshed', refreshToken: 'kept' });
  });

  it('provider.md §1: null means the same as no scopes, and as no authorized party', async () => {
    const { sso } = app.app.services;
    const access = await signOn.accessToken(MEMBER, { claims: { scp: null, azp: null } });
    expect(await sso.identify(access)).toMatchObject({ characterId: MEMBER, scopes: [], unknownScopes: [] });
    const foreign = await signOn.accessToken(MEMBER, { claims: { azp: null, aud: ['x', 'EVE Online'] } });
    await expect(sso.identify(foreign)).rejects.toMatchObject({ fault: 'unusable' });
  });

  it('provider.md §1: null means the same as no endpoint for revocations: the documented one is used', async () => {
    signOn.metadata = { body: { ...(signOn.metadata.body as object), revocation_endpoint: null } };
    await expectPage(await end(), 403, TITLES.notAllowed);
    signOn.token = { status: 200, body: '' };
    await app.app.services.sso.revoke('old');
  });

  it.each(['token', 'metadata', 'jwks'] as const)('%s: a status that HTTP does not have', async (what) => {
    signOn[what] = { ...signOn[what], status: 999 };
    await expectFailure();
    if (what === 'token')
      await expect(app.app.services.sso.refresh('old')).rejects.toMatchObject({ fault: 'unusable' });
  });

  it('members that are nested deeply are left alone', async () => {
    const depth = 10_000;
    const more = JSON.stringify({ ...(signOn.token.body as object), refresh_token: 'new' }).slice(1);
    signOn.token = { body: `{"more":${'['.repeat(depth)}${']'.repeat(depth)},${more}` };
    await expectPage(await end(), 403, TITLES.notAllowed);
    const refreshed = await app.app.services.sso.refresh('old');
    expect(refreshed).toMatchObject({ kind: 'refreshed', refreshToken: 'new' });
  });

  it.each([
    ['no type', { token_type: undefined }],
    ['null as its type', { token_type: null }],
    ['another type', { token_type: 'mac' }],
    ['a lifetime that is none', { expires_in: 'soon' }],
    ['scopes that are a list', { scope: [] }],
    ['an access token that is none', { access_token: 7 }],
    ['no access token', { access_token: undefined }],
  ])('D34: a new refresh token is told though the access token cannot be used: %s', async (_, odd) => {
    const body = { ...(signOn.token.body as object), refresh_token: 'new', ...odd };
    signOn.token = { body };
    const fault = expect.objectContaining({ fault: 'unusable' });
    expect(await app.app.services.sso.refresh('old')).toEqual({
      kind: 'replaced',
      refreshToken: 'new',
      fault,
    });
    for (const status of [201, 202, 400, 401, 403, 429, 500, 503]) {
      signOn.token = { status, body };
      await expect(app.app.services.sso.refresh('old')).rejects.toMatchObject({ fault: 'unusable' });
    }
  });

  it('D34: a new refresh token that is none is not told', async () => {
    for (const refresh_token of [7, '', ['new'], { new: 'new' }]) {
      signOn.token = { body: { ...(signOn.token.body as object), refresh_token } };
      await expect(app.app.services.sso.refresh('old')).rejects.toMatchObject({ fault: 'unusable' });
    }
  });

  const refusal = { error: 'invalid_grant', error_description: 'Authorization code not found.' };
  it.each([
    ['as plain text', { status: 400, type: 'text/plain', body: refusal }],
    ['without a content type', { status: 400, type: '', body: refusal }],
    [
      'with a challenge',
      { status: 401, headers: { 'www-authenticate': 'Basic realm="sign-on"' }, body: refusal },
    ],
    ['with null as its description', { status: 400, body: { ...refusal, error_description: null } }],
    ['with a description that is none', { status: 400, body: { ...refusal, error_description: 7 } }],
  ])('D26: a code is refused %s: a 400 page, and five of them end the state', async (_, answer) => {
    signOn.token = answer;
    const { state_code } = await startLogin(app);
    const wrong = () => callBack(app, { code: 'c', state: state_code });
    for (let n = 0; n < 5; n += 1) {
      expect(await expectPage(await wrong(), 400, TITLES.badRequest)).toContain('is not valid');
    }
    expect(await expectPage(await wrong(), 400, TITLES.badRequest)).toContain('tried too often');
  });

  it.each([
    ['with a 5xx', { status: 500, body: refusal }],
    ['with a 200', { status: 200, body: refusal }],
    [
      'for a mistake of ours, as plain text',
      {
        status: 400,
        type: 'text/plain',
        body: { error: 'invalid_grant', error_description: 'Grant type is not supported.' },
      },
    ],
    [
      'as an unknown client, as plain text',
      { status: 401, type: 'text/plain', body: { error: 'invalid_client' } },
    ],
  ])('an error %s does not refuse the code', async (_, answer) => {
    signOn.token = answer;
    await expectFailure();
  });

  it.each([
    ['as JSON', { status: 401, body: { error: 'invalid_client' } }],
    ['with a 400', { status: 400, body: { error: 'invalid_client' } }],
    [
      'by the name of the grant type',
      {
        status: 400,
        body: { error: 'invalid_grant', error_description: 'Grant type refresh_token is not supported.' },
      },
    ],
    ['with a challenge', { status: 401, headers: { 'www-authenticate': 'Basic realm="sign-on"' }, body: '' }],
  ])('a wrong client id or secret, refused %s, is named by the log and by a refresh', async (_, answer) => {
    signOn.token = answer;
    app.clock.advance(60_000);
    const before = app.logged.length;
    await expectFailure();
    const named = `does not accept SSO_CLIENT_ID and SSO_CLIENT_SECRET (${answer.status})`;
    expect(app.logged.slice(before).join()).toContain(named);
    await expect(app.app.services.sso.refresh('any')).rejects.toThrow(named);
  });

  it.each([
    ['null', null],
    ['a list', []],
    ['a text', '"text"'],
    ['another type of token', { access_token: 'x', token_type: 'mac' }],
    ['an access token that is none', { access_token: 7, token_type: 'Bearer' }],
    ['an empty access token', { access_token: '', token_type: 'Bearer' }],
    ['no type', { access_token: 'x' }],
    ['an empty body', ''],
  ])('token answer: %s', async (_, body) => {
    signOn.token = { body };
    await expectFailure();
  });

  it.each([
    ['a refresh token that is none', { refresh_token: 7 }],
    ['a lifetime that is none', { expires_in: 'soon' }],
  ])('token answer: %s beside a good access token', async (_, more) => {
    signOn.token = { body: { ...(signOn.token.body as object), ...more } };
    await expectFailure();
  });

  it.each([
    ['an empty object', {}],
    ['a list', []],
    [
      'paths instead of URLs',
      { issuer: 'x', authorization_endpoint: '/a', token_endpoint: '/t', jwks_uri: '/j' },
    ],
  ])('metadata: %s', async (_, body) => {
    signOn.metadata = { body };
    await expectFailure();
  });

  it.each([
    ['an empty object', {}],
    ['no keys', { keys: [] }],
    ['keys that are none', { keys: [null, 7, 'key'] }],
    ['a list', []],
    ['null', null],
  ])('key set: %s', async (_, body) => {
    signOn.jwks = { body };
    await expectFailure();
  });
});
