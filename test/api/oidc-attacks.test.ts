import { sql } from 'kysely';
import * as openid from 'openid-client';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ok } from '../../sdk/src/index.ts';
import { consumeArtifact, giveArtifactBack } from '../../server/session/artifacts.queries.ts';
import { deleteConsents, findConsent, saveConsent } from '../../server/session/consents.queries.ts';
import { endSessions } from '../../server/session/end-sessions.ts';
import { digestOf } from '../../server/shared/digest.ts';
import { letIn, setLevel } from '../fixtures/registry.ts';
import { BASE_URL, startTestApp, type TestApp } from '../harness/app.ts';
import { Browser } from '../harness/browser.ts';
import { meanwhile, untilBehind, untilWaiting } from '../harness/meanwhile.ts';
import { addRelyingParty, postForm, REDIRECT_URI, type RelyingParty } from '../harness/relying-party.ts';
import { callBack, expectPage } from '../harness/sign-in.ts';

const ALLIANCE = 99_000_001;
const CORPORATION = 98_000_011;
const [VICTIM, ATTACKER, HANDED_OVER, LEAVING] = [2_112_000_028, 2_112_000_049, 2_112_000_055, 2_112_000_070];

let app: TestApp;
let party: RelyingParty;
let coalition: string;
const browserOf = (characterId: number) => new Browser(app, { choice: { characterId } });

beforeAll(async () => {
  app = await startTestApp({ connections: 8 });
  coalition = await letIn(app, { alliances: [ALLIANCE], corporations: [CORPORATION] });
  party = await addRelyingParty(app);
});
afterAll(() => app.stop());

/** A code with its verifier and redirect URI. */
async function codeFor(of: RelyingParty, characterId: number, more?: Record<string, string>) {
  const { landed, ...begun } = await of.visit(browserOf(characterId), more);
  return { ...begun, back: landed.url, code: landed.url.searchParams.get('code') ?? '' };
}

/** Sends a request to the token endpoint, of which a test may change every field. */
function redeeming(of: RelyingParty, code: string, verifier: string) {
  return {
    grant_type: 'authorization_code',
    code,
    redirect_uri: of.redirectUri,
    code_verifier: verifier,
    client_id: of.client.client_id,
    client_secret: of.client.client_secret ?? '',
  };
}

const refreshing = (of: RelyingParty, refresh_token = '') => ({
  grant_type: 'refresh_token',
  refresh_token,
  client_id: of.client.client_id,
  client_secret: of.client.client_secret ?? '',
});

const tokenEndpoint = (fields: Record<string, string>) => postForm(app, '/oidc/token', fields);
const userinfo = async (token: string) =>
  (await fetch(`${app.url}/oidc/userinfo`, { headers: { authorization: `Bearer ${token}` } })).status;
const introspect = async (of: RelyingParty, token: string) =>
  (await openid.tokenIntrospection(of.config, token)).active;

/** Whether any token of a sign-in is still accepted. */
async function whatWorks(of: RelyingParty, browser: Browser, tokens: openid.TokenEndpointResponse) {
  const { landed } = await of.visit(browser, { prompt: 'none' });
  return {
    userinfo: await userinfo(tokens.access_token),
    introspection: await introspect(of, tokens.access_token),
    refresh: (await tokenEndpoint(refreshing(of, tokens.refresh_token))).json.error ?? 'works',
    session: landed.url.searchParams.get('error') ?? 'works',
  };
}
const NOTHING = { userinfo: 401, introspection: false, refresh: 'invalid_grant', session: 'login_required' };

describe('attack: replay of a code', () => {
  it('D84: a code works once, and its second use revokes the tokens of the first', async () => {
    const { code, verifier, back, ...begun } = await codeFor(party, VICTIM);
    const tokens = await party.redeem({ ...begun, verifier }, back);
    expect(await userinfo(tokens.access_token)).toBe(200);
    expect(await tokenEndpoint(redeeming(party, code, verifier))).toMatchObject({
      status: 400,
      json: { error: 'invalid_grant' },
    });
    expect(await userinfo(tokens.access_token)).toBe(401);
    expect(await introspect(party, tokens.access_token)).toBe(false);
  });

  it('D84: of ten concurrent uses of a code at most one gives tokens', async () => {
    for (let round = 0; round < 3; round += 1) {
      const { code, verifier } = await codeFor(party, VICTIM);
      const answers = await Promise.all(
        Array.from({ length: 10 }, () => tokenEndpoint(redeeming(party, code, verifier))),
      );
      const given = answers.filter(({ status }) => status === 200);
      expect(given.length).toBeLessThanOrEqual(1);
      for (const { status, json } of answers) {
        if (status !== 200)
          expect({ status, error: json.error }).toEqual({ status: 400, error: 'invalid_grant' });
      }
    }
  });

  it('D84: of ten concurrent uses of a refresh token at most one gives tokens', async () => {
    const { back, ...begun } = await codeFor(party, VICTIM, { scope: 'openid offline_access' });
    const { refresh_token } = await party.redeem(begun, back);
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => tokenEndpoint(refreshing(party, refresh_token))),
    );
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
  });

  it('D84: the second use of a refresh token revokes all tokens of the sign-in', async () => {
    const { back, ...begun } = await codeFor(party, VICTIM, { scope: 'openid offline_access' });
    const first = await party.redeem(begun, back);
    const second = await openid.refreshTokenGrant(party.config, first.refresh_token ?? '');
    expect(second.refresh_token).not.toBe(first.refresh_token);
    expect(await userinfo(second.access_token)).toBe(200);
    expect((await tokenEndpoint(refreshing(party, first.refresh_token))).json.error).toBe('invalid_grant');
    expect((await tokenEndpoint(refreshing(party, second.refresh_token))).json.error).toBe('invalid_grant');
    expect(await userinfo(second.access_token)).toBe(401);
  });

  it('D84: however often a grant was refreshed, one refresh token counts as the user’s; used ones are of no use', async () => {
    const other = await addRelyingParty(app);
    const browser = browserOf(VICTIM);
    const tokens = await other.signIn(browser, { scope: 'openid offline_access' });
    let { refresh_token } = tokens;
    for (let n = 0; n < 3; n += 1) {
      ({ refresh_token } = await openid.refreshTokenGrant(other.config, refresh_token ?? ''));
    }
    const stored = app.db.selectFrom('oidc_artifacts').select(['id_hash', 'character_id', 'client_id']);
    const { client_id } = other.client;
    expect(
      await stored.where('model', '=', 'RefreshToken').where('client_id', '=', client_id).execute(),
    ).toEqual([{ id_hash: digestOf(refresh_token ?? ''), character_id: VICTIM, client_id }]);
    const used = digestOf(tokens.refresh_token ?? '');
    expect(await stored.where('id_hash', '=', used).execute()).toEqual([
      { id_hash: used, character_id: null, client_id: null },
    ]);
    await excluding(true);
    await excluding(false);
    expect(await whatWorks(other, browser, tokens)).toEqual(NOTHING);
    expect((await tokenEndpoint(refreshing(other, refresh_token))).json.error).toBe('invalid_grant');
  });

  it('D84: a grant that is refreshed without end does not grow without end: it ends', async () => {
    const { back, ...begun } = await codeFor(party, VICTIM, { scope: 'openid offline_access' });
    const tokens = await party.redeem(begun, back);
    const { numAffectedRows } = await sql`
      insert into oidc_artifacts (model, id_hash, payload, grant_hash, character_id, client_id, expires_on, consumed_on)
      select model, id_hash || n, payload, grant_hash, character_id, client_id, expires_on, ${app.clock.now()}
      from oidc_artifacts, generate_series(1, 9998) n
      where model = 'RefreshToken' and id_hash = ${digestOf(tokens.refresh_token ?? '')}`.execute(app.db);
    expect(numAffectedRows).toBe(9_998n);
    const again = await openid.refreshTokenGrant(party.config, tokens.refresh_token ?? '');
    expect(await userinfo(again.access_token)).toBe(200);
    const refused = await tokenEndpoint(refreshing(party, again.refresh_token));
    expect(refused).toMatchObject({ status: 400, json: { error: 'invalid_grant' } });
    expect(await userinfo(again.access_token)).toBe(401);
  });

  it('D84: sign-ins in ever new browsers leave no more grants than as many browsers need, and keep those with tokens', async () => {
    const other = await addRelyingParty(app);
    const { back, ...begun } = await codeFor(other, VICTIM, { scope: 'openid offline_access' });
    let { refresh_token } = await other.redeem(begun, back);
    for (let n = 0; n < 13; n += 1) {
      app.clock.advance(2 * 3_600_000);
      await codeFor(other, VICTIM);
    }
    const { rows } = await sql`select from oidc_artifacts
      where model = 'Grant' and character_id = ${VICTIM} and client_id = ${other.client.client_id}`.execute(
      app.db,
    );
    // Ten that nothing uses, the one with a refresh token, and the last.
    expect(rows).toHaveLength(12);
    ({ refresh_token } = await openid.refreshTokenGrant(other.config, refresh_token ?? ''));
    expect(refresh_token).toBeDefined();
  });

  it('D84: a request that fails here uses up neither code nor refresh token: it can be sent again', async () => {
    const { code, verifier } = await codeFor(party, VICTIM, { scope: 'openid offline_access' });
    const twice = async (fields: Record<string, string>) => {
      await sql`create function fails() returns trigger language plpgsql as
        $$begin raise exception 'not stored' using errcode = '57P01'; end$$`.execute(app.db);
      await sql`create trigger fails before insert on oidc_artifacts for each row
        when (new.model = 'AccessToken') execute function fails()`.execute(app.db);
      const failed = await tokenEndpoint(fields);
      await sql`drop function fails cascade`.execute(app.db);
      expect([failed.status, failed.headers.get('retry-after')]).toEqual([503, '5']);
      const { status, json } = await tokenEndpoint(fields);
      expect([status, json.error]).toEqual([200, undefined]);
      return String(json.refresh_token);
    };
    const first = await twice(redeeming(party, code, verifier));
    const second = await twice(refreshing(party, first));
    // What was used up stays so.
    expect((await tokenEndpoint(refreshing(party, first))).json.error).toBe('invalid_grant');
    expect((await tokenEndpoint(refreshing(party, second))).json.error).toBe('invalid_grant');
  });

  it('D84: what is given back twice, as the first answer was lost, stays used if it was used in between', async () => {
    const { code, verifier } = await codeFor(party, VICTIM);
    const at = { model: 'AuthorizationCode', idHash: digestOf(code) };
    const failedOn = app.clock.now();
    await consumeArtifact(app.db, at, failedOn);
    await giveArtifactBack(app.db, at, failedOn);
    app.clock.advance(1_000);
    expect((await tokenEndpoint(redeeming(party, code, verifier))).status).toBe(200);
    await giveArtifactBack(app.db, at, failedOn);
    expect((await tokenEndpoint(redeeming(party, code, verifier))).json.error).toBe('invalid_grant');
  });

  it('D84: a use that is still under way when it is given back is given back, too', async () => {
    const { code, verifier } = await codeFor(party, VICTIM);
    const at = { model: 'AuthorizationCode', idHash: digestOf(code) };
    const on = app.clock.now();
    // Of this statement the answer was given up; PostgreSQL commits it all the same.
    await meanwhile(
      app,
      'update oidc_artifacts set consumed_on = $3 where model = $1 and id_hash = $2',
      [at.model, at.idHash, on],
      () => giveArtifactBack(app.db, at, on, on),
    );
    expect((await tokenEndpoint(redeeming(party, code, verifier))).status).toBe(200);
  });

  it('D84: what is given back is the user’s again, and ends with the right', async () => {
    const { code } = await codeFor(party, VICTIM);
    const at = { model: 'AuthorizationCode', idHash: digestOf(code) };
    const stored = () =>
      app.db
        .selectFrom('oidc_artifacts')
        .select(['character_id', 'client_id', 'consumed_on'])
        .where('id_hash', '=', at.idHash)
        .executeTakeFirst();
    const before = await stored();
    await consumeArtifact(app.db, at, app.clock.now());
    await giveArtifactBack(app.db, at, app.clock.now());
    expect(await stored()).toEqual(before);
    await excluding(true);
    await excluding(false);
    expect(await stored()).toBeUndefined();
  });

  it('D19b: nothing is given back to an application that was deleted', async () => {
    const other = await addRelyingParty(app);
    const { code } = await codeFor(other, VICTIM);
    const at = { model: 'AuthorizationCode', idHash: digestOf(code) };
    await consumeArtifact(app.db, at, app.clock.now());
    await app.db.deleteFrom('oidc_clients').where('client_id', '=', other.client.client_id).execute();
    await giveArtifactBack(app.db, at, app.clock.now());
    const { consumed_on } = await app.db
      .selectFrom('oidc_artifacts')
      .select('consumed_on')
      .where('id_hash', '=', at.idHash)
      .executeTakeFirstOrThrow();
    expect(consumed_on).not.toBeNull();
  });

  it('D84: a code is valid for a minute', async () => {
    const { code, verifier } = await codeFor(party, VICTIM);
    app.clock.advance(61_000);
    expect((await tokenEndpoint(redeeming(party, code, verifier))).json.error).toBe('invalid_grant');
  });
});

describe('attack: mixed-up clients', () => {
  let other: RelyingParty;
  beforeAll(async () => {
    other = await addRelyingParty(app, { client_name: 'Evil', redirect_uris: ['https://evil.example/back'] });
  });

  it('a code of one client is refused for another', async () => {
    const { code, verifier } = await codeFor(party, VICTIM);
    const stolen = { ...redeeming(other, code, verifier), redirect_uri: party.redirectUri };
    expect((await tokenEndpoint(stolen)).json.error).toBe('invalid_grant');
    expect((await tokenEndpoint(redeeming(party, code, verifier))).status).toBe(200);
  });

  it('a refresh token of one client is refused for another, and stays valid', async () => {
    const { back, ...begun } = await codeFor(party, VICTIM, { scope: 'openid offline_access' });
    const { refresh_token } = await party.redeem(begun, back);
    expect((await tokenEndpoint(refreshing(other, refresh_token))).json.error).toBe('invalid_grant');
    expect((await tokenEndpoint(refreshing(party, refresh_token))).status).toBe(200);
  });

  it('a client cannot revoke the token of another one, which it may introspect with its secret', async () => {
    const { back, ...begun } = await codeFor(party, VICTIM);
    const { access_token } = await party.redeem(begun, back);
    expect(await introspect(party, access_token)).toBe(true);
    expect(await introspect(other, access_token)).toBe(true);
    const refused = await postForm(app, '/oidc/revocation', { ...refreshing(other), token: access_token });
    expect([refused.status, refused.json.error]).toEqual([400, 'invalid_request']);
    expect(await userinfo(access_token)).toBe(200);
  });

  it('answers contain the issuer, against mix-up attacks (RFC 9207)', async () => {
    const { back } = await codeFor(party, VICTIM);
    expect(back.searchParams.get('iss')).toBe(BASE_URL);
  });

  it('D81: a wrong secret, that of another client, or none is refused', async () => {
    const { code, verifier } = await codeFor(party, VICTIM);
    const fields = redeeming(party, code, verifier);
    for (const client_secret of ['', 'x', other.client.client_secret ?? '', fields.client_secret.slice(1)]) {
      const { status, json } = await tokenEndpoint({ ...fields, client_secret });
      expect({ status, error: json.error }).toEqual({ status: 401, error: 'invalid_client' });
    }
    expect((await tokenEndpoint(fields)).status).toBe(200);
  });

  it('D81: the stored hash of a secret does not work as a secret', async () => {
    const { code, verifier } = await codeFor(party, VICTIM);
    const { secret_hash } = await app.db
      .selectFrom('oidc_clients')
      .select('secret_hash')
      .where('client_id', '=', party.client.client_id)
      .executeTakeFirstOrThrow();
    const stolen = { ...redeeming(party, code, verifier), client_secret: secret_hash ?? '' };
    expect((await tokenEndpoint(stolen)).json.error).toBe('invalid_client');
  });

  it('D81: a renewed secret ends the former one at once', async () => {
    const renewing = await addRelyingParty(app);
    const { code, verifier } = await codeFor(renewing, VICTIM);
    const { client_id } = renewing.client;
    const { client_secret } = await ok(app.client(app.root).oidc.renewSecret({ params: { client_id } }));
    const fields = redeeming(renewing, code, verifier);
    expect((await tokenEndpoint(fields)).json.error).toBe('invalid_client');
    expect((await tokenEndpoint({ ...fields, client_secret })).status).toBe(200);
  });

  it('D81: a deleted client gets nothing, whichever tokens it has', async () => {
    const doomed = await addRelyingParty(app);
    const tokens = await doomed.signIn(browserOf(VICTIM), { scope: 'openid offline_access' });
    const { client_id } = doomed.client;
    await ok(app.client(app.root).oidc.deleteClient({ params: { client_id } }));
    expect(await userinfo(tokens.access_token)).toBe(401);
    expect((await tokenEndpoint(refreshing(doomed, tokens.refresh_token))).json.error).toBe('invalid_client');
    const page = await browserOf(VICTIM).go((await doomed.begin()).url);
    expect(page.page?.status).toBe(400);
    expect(page.html).toContain('This application is not known here');
  });
});

describe('attack: redirect URIs that differ by a character', () => {
  it('D81: one that is removed while somebody signs in gets no code any more', async () => {
    const hijacked = 'https://hijacked.example/back';
    const changing = await addRelyingParty(app, { redirect_uris: [REDIRECT_URI, hijacked] });
    const browser = browserOf(VICTIM);
    const { url } = await changing.begin({ redirect_uri: hijacked });
    const callback = await upToTheCallback(browser, url);
    const params = { client_id: changing.client.client_id };
    await ok(app.client(app.root).oidc.updateClient({ params, body: { redirect_uris: [REDIRECT_URI] } }));
    const landed = await browser.go(callback);
    expect([landed.url.origin, landed.page?.status]).toEqual([BASE_URL, 400]);
    expect(landed.html).toContain('does not come from where it says');
  });

  it.each([
    ['a slash more', `${REDIRECT_URI}/`],
    ['a letter more', `${REDIRECT_URI}x`],
    ['a letter less', REDIRECT_URI.slice(0, -1)],
    ['another case', REDIRECT_URI.replace('callback', 'Callback')],
    ['another case of the host', REDIRECT_URI.replace('wiki', 'WIKI')],
    ['a query', `${REDIRECT_URI}?next=1`],
    ['an empty query', `${REDIRECT_URI}?`],
    ['a fragment', `${REDIRECT_URI}#x`],
    ['its port', REDIRECT_URI.replace('.example', '.example:443')],
    ['another port', REDIRECT_URI.replace('.example', '.example:8443')],
    ['a subdomain', REDIRECT_URI.replace('wiki.', 'a.wiki.')],
    ['another top', REDIRECT_URI.replace('.example', '.example.evil')],
    ['a user', REDIRECT_URI.replace('https://', 'https://evil@')],
    ['a way around', REDIRECT_URI.replace('/oauth2', '/oauth2/../oauth2')],
    ['an encoded letter', REDIRECT_URI.replace('callback', '%63allback')],
    ['http', REDIRECT_URI.replace('https', 'http')],
    ['nothing at all', ''],
  ])('D81: %s', async (_, redirect_uri) => {
    const browser = browserOf(VICTIM);
    const landed = await browser.go((await party.begin({ redirect_uri })).url);
    expect(landed.url.origin).toBe(BASE_URL);
    expect(landed.page?.status).toBe(400);
    // Nor after a sign-in with the right one.
    await party.signIn(browser);
    expect((await browser.go((await party.begin({ redirect_uri })).url)).page?.status).toBe(400);
  });

  it('D81: a code can be exchanged only with the redirect URI for which it was issued', async () => {
    const second = 'https://wiki.example/second';
    const several = await addRelyingParty(app, { redirect_uris: [REDIRECT_URI, second] });
    const { code, verifier } = await codeFor(several, VICTIM);
    const fields = redeeming(several, code, verifier);
    expect((await tokenEndpoint({ ...fields, redirect_uri: second })).json.error).toBe('invalid_grant');
  });

  it('D81: the same for redirects after a logout', async () => {
    const leaving = await addRelyingParty(app, { post_logout_redirect_uris: ['https://wiki.example/bye'] });
    const browser = browserOf(VICTIM);
    const { id_token: id_token_hint = '' } = await leaving.signIn(browser);
    const landed = await browser.go(
      openid.buildEndSessionUrl(leaving.config, {
        id_token_hint,
        post_logout_redirect_uri: 'https://wiki.example/bye/',
      }),
    );
    expect(landed.page?.status).toBe(400);
  });
});

describe('attack: PKCE', () => {
  it('D80: a public client without a challenge is refused', async () => {
    const app_ = await addRelyingParty(app, { public: true });
    const { url } = await app_.begin();
    for (const name of ['code_challenge', 'code_challenge_method']) url.searchParams.delete(name);
    const { url: back } = await browserOf(VICTIM).go(url);
    expect(back.searchParams.get('error')).toBe('invalid_request');
    expect(back.searchParams.get('code')).toBeNull();
  });

  it('D80: the method "plain" is refused', async () => {
    const { url } = await party.begin({ code_challenge_method: 'plain' });
    const { url: back } = await browserOf(VICTIM).go(url);
    expect(back.searchParams.get('error')).toBe('invalid_request');
  });

  it.each([
    ['missing', undefined],
    ['wrong', openid.randomPKCECodeVerifier()],
    ['empty', ''],
  ])('D80: a %s verifier gets no tokens, of a public and of a confidential client', async (_, verifier) => {
    for (const client of [party, await addRelyingParty(app, { public: true })]) {
      const { code } = await codeFor(client, VICTIM);
      const { code_verifier: _right, ...fields } = redeeming(client, code, '');
      const secret = client.client.client_secret === undefined ? { client_secret: undefined } : {};
      const sent = { ...fields, ...secret, ...(verifier !== undefined && { code_verifier: verifier }) };
      const body = Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== undefined));
      expect((await tokenEndpoint(body as Record<string, string>)).json.error).toMatch(
        /^invalid_(grant|request)$/,
      );
    }
  });

  it('D80: a public client exchanges its code with only the verifier', async () => {
    const app_ = await addRelyingParty(app, { public: true });
    const tokens = await app_.signIn(browserOf(VICTIM));
    expect(tokens.claims()?.sub).toBe(String(VICTIM));
  });
});

describe('attack: session fixation and login CSRF', () => {
  it('D82: the session gets another id when somebody signs in', async () => {
    const browser = browserOf(VICTIM);
    await browser.go((await party.begin({ prompt: 'none' })).url);
    const sessionOf = () => browser.cookies.find(({ name }) => name === '__Host-castellan_session')?.value;
    await party.signIn(browser);
    const first = sessionOf();
    await party.signIn(browser, { prompt: 'login' });
    expect(sessionOf()).not.toBe(first);
    const fixed = browserOf(VICTIM);
    fixed.cookies = browser.cookies.map((cookie) =>
      cookie.name === '__Host-castellan_session' ? { ...cookie, value: first ?? '' } : cookie,
    );
    expect((await party.visit(fixed, { prompt: 'none' })).landed.url.searchParams.get('error')).toBe(
      'login_required',
    );
  });

  it.each([
    ['a query that PostgreSQL cannot store', 'GET', '/oidc/logout?state=%00', '', 400],
    ['a parameter of more than 2,000 characters', 'GET', `/oidc/logout?state=${'x'.repeat(2_001)}`, '', 400],
    ['a query of more than 8,000 characters', 'GET', `/oidc/auth?${'state=x&'.repeat(1_001)}`, '', 400],
    ['a form of a thousand and one fields', 'POST', '/oidc/auth', 'a&'.repeat(1_001), 413],
    ['a form in another charset', 'POST', '/oidc/logout', 'charset=latin1', 415],
    ['a path that cannot be decoded, like every path without a token,', 'GET', '/oidc/auth/%ff', '', 401],
    ['a path of a guide that cannot be decoded', 'GET', '/docs/guides/%ff', '', 422],
  ])(
    'D3: %s is refused, and leaves neither a row nor a crash report',
    async (_, method, path, body, status) => {
      const stored = async () =>
        (await app.db.selectFrom('oidc_artifacts').select('id_hash').execute()).length;
      const before = await stored();
      const charset = body.startsWith('charset') ? '; charset=latin1' : '';
      const headers = { 'content-type': `application/x-www-form-urlencoded${charset}` };
      const answer = await fetch(app.url + path, { method, ...(method === 'POST' && { headers, body }) });
      expect(answer.status).toBe(status);
      expect(await ok(app.client(app.root).crash.list())).toEqual([]);
      expect(await stored()).toBe(before);
    },
  );

  it('D80: says which parameter is too long, and does not advise to wait', async () => {
    const answer = await fetch(`${app.url}/oidc/auth?client_id=wiki&state=${'x'.repeat(2_001)}`);
    const page = await answer.text();
    expect(answer.status).toBe(400);
    expect(page).toContain('The parameter state has more than 2000 characters.');
    expect(page).toContain('Tell whoever runs it.');
    expect(page).not.toContain('Wait a minute');
  });

  it('D80: a form that is too long gets the same page, and is not sent on with it', async () => {
    const body = new URLSearchParams({ client_id: 'wiki', state: 'x'.repeat(20_000) });
    const answer = await fetch(`${app.url}/oidc/auth`, { method: 'POST', body, redirect: 'manual' });
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain('The query has more than 8000 characters.');
  });

  it('D82: a session without a sign-in lasts only as long as a sign-in may take', async () => {
    await fetch(`${app.url}/oidc/logout?state=mine`);
    const { expires_on } = await app.db
      .selectFrom('oidc_artifacts')
      .select('expires_on')
      .where('model', '=', 'Session')
      .where('character_id', 'is', null)
      .orderBy('expires_on', 'desc')
      .executeTakeFirstOrThrow();
    expect(expires_on.getTime() - app.clock.now().getTime()).toBeLessThanOrEqual(3_600_000);
  });

  it('D82: a made-up or unsigned session id is ignored', async () => {
    const browser = browserOf(VICTIM);
    await party.signIn(browser);
    const unsigned = browserOf(ATTACKER);
    unsigned.cookies = browser.cookies.filter(({ name }) => !name.endsWith('.sig'));
    expect(unsigned.cookies.length).toBeGreaterThan(0);
    const { landed } = await party.visit(unsigned, { prompt: 'none' });
    expect(landed.url.searchParams.get('error')).toBe('login_required');
  });

  it('D82: login CSRF: a callback is accepted only from the browser that started the sign-in', async () => {
    const attacker = browserOf(ATTACKER);
    const begun = await party.begin();
    const callback = await upToTheCallback(attacker, begun.url);
    // The victim's browser follows the link: nobody is signed in there, and the attacker's sign-in is unaffected.
    const victim = browserOf(VICTIM);
    const landed = await victim.go(callback);
    expect(landed.page?.status).toBe(400);
    expect(landed.html).toContain('another browser');
    expect(landed.html).not.toContain('/oidc/interaction/');
    expect((await party.visit(victim, { prompt: 'none' })).landed.url.searchParams.get('error')).toBe(
      'login_required',
    );
    const { url } = await attacker.go(callback);
    expect((await party.redeem(begun, url)).claims()?.sub).toBe(String(ATTACKER));
  });

  it('D82: login CSRF: the cookie of another sign-in is not accepted', async () => {
    const attacker = browserOf(ATTACKER);
    const callback = await upToTheCallback(attacker, (await party.begin()).url);
    const victim = browserOf(VICTIM);
    await upToTheCallback(victim, (await party.begin()).url);
    const state = new URL(callback).searchParams.get('state') ?? '';
    const own = victim.cookies.find(({ name }) => name.startsWith('__Host-castellan_sign_in_'));
    victim.cookies.push({ ...own, name: `__Host-castellan_sign_in_${state.slice(0, 8)}` } as never);
    const landed = await victim.go(callback);
    // Refused before the code is exchanged, so the attacker's sign-in is not used up either.
    expect([landed.page?.status, landed.html]).toEqual([
      400,
      expect.stringContaining('cookies were deleted'),
    ]);
  });

  it('D82: login CSRF: no other host can set the cookie, so a planted one signs in nobody for the attacker', async () => {
    const attacker = browserOf(ATTACKER);
    const callback = await upToTheCallback(attacker, (await party.begin()).url);
    // What a page of a sibling host can have a browser keep for this one: any name but those with the prefix `__Host-`.
    const planted = attacker.cookies.map(({ name, ...cookie }) => ({
      ...cookie,
      name: name.replace(/^__Host-/, ''),
      path: '/',
    }));
    const victim = browserOf(VICTIM);
    victim.cookies = planted;
    const asVictim = new URL(await upToTheCallback(browserOf(VICTIM), (await party.begin()).url));
    const state = new URL(callback).searchParams.get('state') ?? '';
    expect(planted.map(({ name }) => name)).toContain(`castellan_sign_in_${state.slice(0, 8)}`);
    asVictim.searchParams.set('state', state);
    const landed = await victim.go(asVictim);
    expect([landed.page?.status, landed.html]).toEqual([400, expect.stringContaining('another browser')]);
    const binding = attacker.cookies.find(({ name }) => name.startsWith('__Host-castellan_sign_in_'));
    expect(binding).toMatchObject({ path: '/', attributes: expect.stringMatching(/HttpOnly; .*Secure/) });
    expect(binding?.attributes).not.toMatch(/domain/i);
  });

  it('D82: nobody completes a sign-in whose interaction was begun elsewhere, though its cookies were planted', async () => {
    const attacker = browserOf(ATTACKER);
    const begun = await party.begin();
    const answer = await attacker.ask(begun.url);
    const interaction = new URL(answer.headers.get('location') ?? '', BASE_URL);
    const victim = browserOf(VICTIM);
    victim.cookies = plantable(attacker, 'interaction');
    const landed = await victim.go(interaction);
    // Otherwise the victim signs in at the game, and the attacker's browser gets the victim's code and session.
    const { url } = await attacker.go(interaction.href.replace('/interaction/', '/auth/'));
    expect((await party.redeem(begun, url)).claims()?.sub).toBe(String(ATTACKER));
    expect([landed.page?.status, landed.html]).toEqual([400, expect.stringContaining('another browser')]);
    expect(victim.visited).toEqual([interaction.href]);
  });

  it('D82: login CSRF: nobody is signed in by the end of a sign-in from elsewhere, though its cookies were planted', async () => {
    const attacker = browserOf(ATTACKER);
    const end = await upToTheEnd(attacker);
    const victim = browserOf(VICTIM);
    victim.cookies = plantable(attacker, 'resume');
    const landed = await victim.go(end);
    expect([landed.page?.status, landed.html]).toEqual([400, expect.stringContaining('another browser')]);
    expect(victim.cookies.map(({ name }) => name)).not.toContain('__Host-castellan_session');
    expect((await attacker.go(end)).url.searchParams.get('code')).not.toBeNull();
  });

  it('D82: nor by the own end of a sign-in, in which another resume cookie was planted', async () => {
    const attacker = browserOf(ATTACKER);
    await upToTheEnd(attacker);
    const victim = browserOf(VICTIM);
    const end = await upToTheEnd(victim);
    const own = plantable(victim, 'resume');
    const planted = plantable(attacker, 'resume').map((cookie) => ({ ...cookie, path: '/oidc/auth' }));
    victim.cookies = [...victim.cookies.filter((cookie) => !own.includes(cookie)), ...planted];
    const landed = await victim.go(end);
    expect([landed.page?.status, landed.html]).toEqual([400, expect.stringContaining('another browser')]);
    expect(victim.cookies.map(({ name }) => name)).not.toContain('__Host-castellan_session');
  });

  it('D82: nor does the own sign-in go on with the interaction of another, whose cookie was planted', async () => {
    const attacker = browserOf(ATTACKER);
    const callback = await upToTheCallback(attacker, (await party.begin()).url);
    const login = (await attacker.ask(new URL(callback))).headers.get('location') ?? '';
    const victim = browserOf(VICTIM);
    const begun = await victim.ask((await party.begin()).url);
    const interaction = new URL(begun.headers.get('location') ?? '', BASE_URL);
    const own = plantable(victim, 'interaction');
    const planted = plantable(attacker, 'interaction').map((cookie) => ({
      ...cookie,
      path: interaction.pathname,
    }));
    victim.cookies = [...victim.cookies.filter((cookie) => !own.includes(cookie)), ...planted];
    const landed = await victim.go(`${interaction.href}/login`);
    expect([landed.page?.status, victim.visited]).toEqual([400, [`${interaction.href}/login`]]);
    expect((await attacker.go(login)).url.searchParams.get('code')).not.toBeNull();
  });

  it('D82: sign-ins begun without end do not fill the headers of a browser, and the latest ones end well', async () => {
    const browser = browserOf(VICTIM);
    const begun: { readonly at: Awaited<ReturnType<typeof party.begin>>; readonly callback: string }[] = [];
    for (let n = 0; n < 60; n += 1) {
      const at = await party.begin();
      begun.push({ at, callback: await upToTheCallback(browser, at.url) });
    }
    // Reverse proxies refuse requests with more than 8 KiB of them.
    expect(browser.cookiesFor('/token').length).toBeLessThan(4096);
    const [twentieth, latest] = [begun.at(-20), begun.at(-1)];
    for (const { at, callback } of [latest, twentieth].flatMap((one) => one ?? [])) {
      const { url } = await browser.go(callback);
      expect((await party.redeem(at, url)).claims()?.sub).toBe(String(VICTIM));
    }
    const landed = await browser.go(begun[0]?.callback ?? '');
    expect([landed.page?.status, landed.html]).toEqual([400, expect.stringContaining('another browser')]);
  });

  it('D82: the page that asks for consent to one of twenty sign-ins ends none of the others', async () => {
    const asking = await addRelyingParty(app, { first_party: false });
    const browser = browserOf(VICTIM);
    const callbacks: string[] = [];
    for (let n = 0; n < 20; n += 1)
      callbacks.push(await upToTheCallback(browser, (await asking.begin()).url));
    for (const callback of [callbacks.at(-1), callbacks[0]])
      expect((await browser.go(callback ?? '')).html).toContain('Sign in to Wiki');
  });

  it('D82: nor does one sign-in that is begun again and again', async () => {
    const browser = browserOf(VICTIM);
    const answer = await browser.ask((await party.begin()).url);
    const interaction = new URL(answer.headers.get('location') ?? '', BASE_URL);
    for (let n = 0; n < 60; n += 1) await browser.ask(new URL(`${interaction.href}/again`));
    expect(browser.cookiesFor('/token').length).toBeLessThan(4096);
    expect((await browser.go(`${interaction.href}/again`)).url.searchParams.get('code')).toBeTruthy();
  });

  it('D82: nobody consents before a page has asked', async () => {
    const asking = await addRelyingParty(app, { first_party: false });
    const browser = browserOf(VICTIM);
    await party.signIn(browser);
    const begun = await browser.ask((await asking.begin({ prompt: 'login' })).url);
    const consent = `${new URL(begun.headers.get('location') ?? '', BASE_URL)}/consent`;
    const landed = await browser.go(consent, {});
    expect([landed.page?.status, browser.visited.at(-1)]).toEqual([400, consent]);
    expect(await findConsent(app.db, VICTIM, asking.client.client_id)).toEqual([]);
  });

  it('D29b: a consent during a hand-over does not apply to the new owner', async () => {
    const asking = await addRelyingParty(app, { first_party: false });
    const browser = browserOf(VICTIM);
    const page = await browser.go((await asking.begin()).url);
    const ending = 'delete from oidc_artifacts where character_id = $1';
    const landed = await meanwhile(app, ending, [VICTIM], () => browser.press(page));
    expect(landed.page?.status).toBe(400);
    expect(await findConsent(app.db, VICTIM, asking.client.client_id)).toEqual([]);
  });

  it('D84: whoever is deleted while signing in is told that, and not to blame the application', async () => {
    const deleted = 2_112_000_001;
    const browser = browserOf(deleted);
    await party.signIn(browser);
    const gone = 'delete from users where character_id = $1';
    const again = (await party.begin()).url;
    const answer = await meanwhile(app, gone, [deleted], () => browser.ask(again));
    expect(answer.status).toBe(403);
    const told = await answer.text();
    expect(told).toContain('was deleted');
    expect(told).not.toContain('whoever runs it');
  });

  it('D29b: a hand-over after a consent deletes the consent', async () => {
    const { client } = await addRelyingParty(app, { first_party: false });
    await party.signIn(browserOf(HANDED_OVER));
    const { rows } = await sql<{ uid: string }>`select session_uid as uid from oidc_artifacts
      where model = 'Session' and character_id = ${HANDED_OVER}`.execute(app.db);
    const consent = { characterId: HANDED_OVER, clientId: client.client_id, sessionUid: rows[0]?.uid ?? '' };
    const { db, clock } = app;
    let handover: Promise<unknown> = Promise.resolve();
    await db.transaction().execute(async (tx) => {
      expect(await saveConsent(tx, { ...consent, scopes: ['openid'] }, clock.now())).toBe(true);
      handover = db.transaction().execute(async (other) => {
        await endSessions(app.app.services, other, [HANDED_OVER]);
        await deleteConsents(other, HANDED_OVER);
      });
      const watch = new pg.Client({ connectionString: app.databaseUrl });
      await watch.connect();
      await Promise.race([untilWaiting(watch, 1), handover]);
      await watch.end();
    });
    await handover;
    expect(await findConsent(db, HANDED_OVER, client.client_id)).toEqual([]);
  });

  it('D29b: nor is one stored after a hand-over, though a request that was under way kept the session', async () => {
    const { client } = await addRelyingParty(app, { first_party: false });
    await party.signIn(browserOf(HANDED_OVER));
    const sessions = app.db
      .selectFrom('oidc_artifacts')
      .selectAll()
      .where('model', '=', 'Session')
      .where('character_id', '=', HANDED_OVER);
    const session = await sessions.executeTakeFirstOrThrow();
    app.clock.advance(1000);
    await app.db.transaction().execute((tx) => endSessions(app.app.services, tx, [HANDED_OVER]));
    const payload = JSON.stringify(session.payload);
    await app.db
      .insertInto('oidc_artifacts')
      .values({ ...session, payload })
      .execute();
    const consent = { characterId: HANDED_OVER, clientId: client.client_id, scopes: ['openid'] };
    const given = { ...consent, sessionUid: session.session_uid ?? '' };
    expect(await saveConsent(app.db, given, app.clock.now())).toBe(false);
    expect(await findConsent(app.db, HANDED_OVER, client.client_id)).toEqual([]);
  });

  it('D82: of concurrent consents none is lost', async () => {
    const { client } = await addRelyingParty(app, { first_party: false });
    await party.signIn(browserOf(VICTIM));
    const { rows } = await sql<{ uid: string }>`select session_uid as uid from oidc_artifacts
      where model = 'Session' and character_id = ${VICTIM}`.execute(app.db);
    const consent = { characterId: VICTIM, clientId: client.client_id, sessionUid: rows[0]?.uid ?? '' };
    const each = ['openid', 'profile', 'groups', 'offline_access'];
    await Promise.all(
      each.map((scope) => saveConsent(app.db, { ...consent, scopes: [scope] }, app.clock.now())),
    );
    expect(await findConsent(app.db, VICTIM, client.client_id)).toEqual([...each].sort());
  });

  it('D82: the steps of an interaction work only in its own browser', async () => {
    const attacker = browserOf(ATTACKER);
    const asking = await addRelyingParty(app, { first_party: false });
    const page = await attacker.go((await asking.begin()).url);
    const action = /action="([^"]+)\/consent"/.exec(page.html)?.[1] ?? '';
    const victim = browserOf(VICTIM);
    for (const step of ['', '/login', '/again', '/deny']) {
      expect((await victim.go(`${action}${step}`)).page?.status, step).toBe(400);
    }
    expect((await victim.go(`${action}/consent`, {})).page?.status).toBe(400);
  });

  it('D82: a sign-in that could not be handed to its interaction waits until the browser asks again', async () => {
    const browser = browserOf(VICTIM);
    const { url, ...begun } = await party.begin();
    const login = await upToTheLogin(browser, url);
    await sql`create function fails() returns trigger language plpgsql as
      $$begin raise exception 'not stored' using errcode = '57P01'; end$$`.execute(app.db);
    await sql`create trigger fails before insert or update on oidc_artifacts for each row
      when (new.model = 'Interaction') execute function fails()`.execute(app.db);
    const failed = await browser.ask(login);
    await sql`drop function fails cascade`.execute(app.db);
    expect(failed.status).toBe(503);
    const landed = await browser.go(login);
    expect((await party.redeem({ url, ...begun }, landed.url)).claims()?.sub).toBe(String(VICTIM));
  });

  it('D82: nor is it lost with the answer that tells the browser to go on', async () => {
    const browser = browserOf(VICTIM);
    const { url, ...begun } = await party.begin();
    const login = await upToTheLogin(browser, url);
    expect((await browser.ask(login)).status).toBe(303);
    const landed = await browser.go(login);
    expect((await party.redeem({ url, ...begun }, landed.url)).claims()?.sub).toBe(String(VICTIM));
  });

  it('D82: of two requests at the same moment one takes the sign-in', async () => {
    const browser = browserOf(VICTIM);
    const login = await upToTheLogin(browser, (await party.begin()).url);
    const both = () => Promise.all([browser.ask(login), browser.ask(login)]);
    const locked = 'select from state_codes where signed_in_id = $1 for update';
    const answers = await meanwhile(app, locked, [VICTIM], both, (other) => untilBehind(other, 2));
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 400]);
  });

  it('D25: a state of OpenID Connect does not work as a state code', async () => {
    const callback = await upToTheCallback(browserOf(VICTIM), (await party.begin()).url);
    const state_code = new URL(callback).searchParams.get('state') ?? '';
    const dyn = app.client(await app.dynamicToken());
    expect((await dyn.token.startLogin({ body: { state_code } })).status).toBe(404);
  });

  it('D26: a callback without the cookies of its browser gets a page, and uses nothing up', async () => {
    const begun = await party.begin();
    const browser = browserOf(VICTIM);
    const callback = new URL(await upToTheCallback(browser, begun.url));
    const state = callback.searchParams.get('state') ?? '';
    for (let tries = 0; tries < 6; tries += 1) {
      await expectPage(
        await callBack(app, { code: 'wrong', state }),
        400,
        'This sign-in cannot be completed',
      );
    }
    const { url } = await browser.go(callback);
    expect((await party.redeem(begun, url)).claims()?.sub).toBe(String(VICTIM));
  });
});

/** What a page of a sibling host can have a browser keep for this one: all of these cookies but those with `__Host-`. */
function plantable(from: Browser, kind: 'interaction' | 'resume') {
  const planted = from.cookies.filter(({ name }) => name.startsWith(`castellan_${kind}`));
  expect(planted.length).toBeGreaterThan(0);
  return planted;
}

/** Follows a sign-in up to the redirect that ends its interaction. */
async function upToTheEnd(browser: Browser): Promise<string> {
  const login = await upToTheLogin(browser, (await party.begin()).url);
  return (await browser.ask(login)).headers.get('location') ?? '';
}

/** Follows a sign-in up to the step at which its interaction learns who signed in. */
async function upToTheLogin(browser: Browser, authorization: URL): Promise<URL> {
  const callback = await upToTheCallback(browser, authorization);
  return new URL((await browser.ask(new URL(callback))).headers.get('location') ?? '');
}

/** Follows a sign-in up to the redirect from the game. */
async function upToTheCallback(browser: Browser, authorization: URL): Promise<string> {
  const begun = await browser.ask(authorization);
  const signOn = await browser.ask(new URL(begun.headers.get('location') ?? '', BASE_URL));
  return app.provider.authorize(signOn.headers.get('location') ?? '', browser.choice);
}

describe('attack: clickjacking and other abuse of pages', () => {
  it('no page can be framed, and forms can be sent only by https', async () => {
    const asking = await addRelyingParty(app, { first_party: false });
    const browser = browserOf(VICTIM);
    const consent = await browser.go((await asking.begin()).url);
    await browser.press(consent);
    const pages = [
      consent,
      await browser.go(`${BASE_URL}/oidc/logout?client_id=${asking.client.client_id}`),
      await browser.go((await asking.begin({ redirect_uri: 'https://evil.example/' })).url),
      await browser.go(`${BASE_URL}/oidc/logout/success`),
      await browser.go(`${BASE_URL}/oidc/interaction/nothing`),
    ];
    for (const { page, url } of pages) {
      const policy = page?.headers.get('content-security-policy') ?? '';
      expect(policy, url.href).toContain("frame-ancestors 'none'");
      expect(policy, url.href).toContain("default-src 'none'");
      expect(policy, url.href).not.toMatch(/unsafe|\*/);
      expect(policy, url.href).toMatch(/form-action ('none'|'self'( https:)?)(;|$)/);
      expect(page?.headers.get('content-type'), url.href).toMatch(/^text\/html/);
      expect(page?.headers.get('cache-control'), url.href).toContain('no-store');
      expect(page?.headers.get('referrer-policy'), url.href).toBe('no-referrer');
    }
  });

  it('D82: the policy lets the browser go on to whatever host the application redirects to, and to one at [::1]', async () => {
    const redirect_uris = ['http://[::1]:8100/cb', 'https://wiki.example/cb'];
    const native = await addRelyingParty(app, { first_party: false, public: true, redirect_uris });
    const browser = browserOf(VICTIM);
    const policyOf = ({ headers }: Response) =>
      /form-action ([^;]*)/.exec(headers.get('content-security-policy') ?? '')?.[1];
    const consent = await browser.go((await native.begin()).url);
    expect(consent.page && policyOf(consent.page)).toBe("'self' http:");
    const other = await browser.go((await native.begin({ redirect_uri: redirect_uris[1] as string })).url);
    expect(other.page && policyOf(other.page)).toBe("'self' https:");
    await browser.press(consent);
    const posted = await browser.ask((await native.begin({ response_mode: 'form_post' })).url);
    expect(policyOf(posted)).toBe("'self' http: https:");
    const leaving = await browser.go(`${BASE_URL}/oidc/logout?client_id=${native.client.client_id}`);
    expect(leaving.page && policyOf(leaving.page)).toBe("'self' http: https:");
  });
});

describe('attack: tokens that are no longer valid', () => {
  it.each(['access_token', 'refresh_token'] as const)(
    'after revocation of the %s: nothing works',
    async (kind) => {
      const tokens = await party.signIn(browserOf(VICTIM), { scope: 'openid offline_access' });
      await openid.tokenRevocation(party.config, tokens[kind] ?? '');
      expect(await userinfo(tokens.access_token)).toBe(401);
      expect(await introspect(party, tokens.access_token)).toBe(false);
      expect((await tokenEndpoint(refreshing(party, tokens.refresh_token))).json.error).toBe('invalid_grant');
    },
  );

  it('D84: after ten minutes', async () => {
    const tokens = await party.signIn(browserOf(VICTIM));
    app.clock.advance(10 * 60_000);
    expect(await userinfo(tokens.access_token)).toBe(401);
    expect(await introspect(party, tokens.access_token)).toBe(false);
  });

  it('D84: after the loss of login permission nothing works, and nothing comes back with the permission', async () => {
    const browser = browserOf(VICTIM);
    const tokens = await party.signIn(browser, { scope: 'openid offline_access' });
    const spare = await codeFor(party, VICTIM);
    await excluding(true);
    expect(await whatWorks(party, browser, tokens)).toEqual(NOTHING);
    expect((await tokenEndpoint(redeeming(party, spare.code, spare.verifier))).json.error).toBe(
      'invalid_grant',
    );
    await excluding(false);
    expect(await whatWorks(party, browser, tokens)).toEqual(NOTHING);
  });

  it('D27b: after a loss of login permission by a change of a row in the database: checked at each use', async () => {
    const browser = browserOf(VICTIM);
    const tokens = await party.signIn(browser, { scope: 'openid offline_access' });
    await app.db
      .updateTable('coalitions')
      .set({ authorized_to_login: false })
      .where('coalition_id', '=', coalition)
      .execute();
    expect(await userinfo(tokens.access_token)).toBe(401);
    expect(await introspect(party, tokens.access_token)).toBe(false);
    expect((await tokenEndpoint(refreshing(party, tokens.refresh_token))).json.error).toBe('invalid_grant');
    const { landed } = await party.visit(browser, { prompt: 'none' });
    expect(landed.url.searchParams.get('error')).toBe('access_denied');
    await excluding(false);
  });

  it('D29b: after a change of owner no token of the former one works', async () => {
    const browser = browserOf(HANDED_OVER);
    const asking = await addRelyingParty(app, { first_party: false });
    const tokens = await asking.signIn(browser, { scope: 'openid offline_access' });
    app.provider.world.handOver(HANDED_OVER);
    app.clock.advance(1_000);
    const next = browserOf(HANDED_OVER);
    const page = await next.go((await asking.begin()).url);
    // The consents of the former owner do not apply to the new one.
    expect(page.html).toContain('Sign in to Wiki');
    expect(await whatWorks(asking, browser, tokens)).toEqual(NOTHING);
    expect((await next.press(page)).url.searchParams.get('code')).toBeTruthy();
  });

  it('D19b: after deletion', async () => {
    const browser = browserOf(LEAVING);
    const tokens = await party.signIn(browser, { scope: 'openid offline_access' });
    await ok(app.client(app.root).user.delete({ params: { character_id: LEAVING } }));
    expect(await whatWorks(party, browser, tokens)).toEqual(NOTHING);
  });

  it('D84: a request that runs while its session ends does not restore it', async () => {
    const browser = browserOf(VICTIM);
    const tokens = await party.signIn(browser, { scope: 'openid offline_access' });
    const rows = await app.db
      .selectFrom('oidc_artifacts')
      .selectAll()
      .where('character_id', '=', VICTIM)
      .execute();
    app.clock.advance(1_000);
    await excluding(true);
    await excluding(false);
    // It would store again what it had read before.
    for (const row of rows.filter(({ model }) => ['Session', 'Grant', 'RefreshToken'].includes(model))) {
      await app.db
        .insertInto('oidc_artifacts')
        .values({ ...row, payload: JSON.stringify(row.payload) })
        .execute();
    }
    expect(await whatWorks(party, browser, tokens)).toEqual(NOTHING);
  });

  it('D20: the API refuses ID tokens, and userinfo refuses user tokens', async () => {
    for (const id_token_signed_response_alg of ['RS256', 'EdDSA'] as const) {
      const client = await addRelyingParty(app, { id_token_signed_response_alg });
      const tokens = await client.signIn(browserOf(VICTIM));
      for (const token of [tokens.id_token, tokens.access_token]) {
        expect((await app.client(token).token.current()).status).toBe(401);
      }
    }
    const { token } = await app.signIn(VICTIM);
    expect(await userinfo(token)).toBe(401);
  });
});

async function excluding(exclude: boolean): Promise<void> {
  await ok(
    app.client(app.root).coalition.update({
      params: { coalition_id: coalition },
      body: { authorized_to_login: !exclude },
    }),
  );
}

describe('D84: refused users', () => {
  it('D84: a session does not help a user who may not log in: a page names who refuses, and links back', async () => {
    const browser = browserOf(VICTIM);
    await party.signIn(browser);
    const group = await ok(app.client(app.root).group.create({ body: { group_name: 'Banned <b>' } }));
    const members = { group_id: group.group_id, character_id: VICTIM };
    await app.db.insertInto('group_members').values(members).execute();
    await app.db
      .updateTable('groups')
      .set({ authorized_to_login: false })
      .where('group_id', '=', group.group_id)
      .execute();
    const begun = await party.begin();
    const page = await browser.go(begun.url);
    expect(page.page?.status).toBe(403);
    expect(page.html).toContain('Banned &lt;b&gt;');
    const { url } = await browser.follow(page, 'Back to the application');
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      error: 'access_denied',
      state: begun.state,
    });
    // The user may choose another character.
    browser.choice = { characterId: ATTACKER };
    const again = await party.begin();
    const { url: back } = await browser.follow(await browser.go(again.url), 'Sign in with another character');
    expect((await party.redeem(again, back)).claims()?.sub).toBe(String(ATTACKER));
    await ok(app.client(app.root).group.delete({ params: { group_id: group.group_id } }));
  });

  it('D84: a user in none of the allowed groups sees a page that names them; administrators, too', async () => {
    const group = await ok(app.client(app.root).group.create({ body: { group_name: 'Editors' } }));
    const closed = await addRelyingParty(app, { allowed_groups: [group.group_id] });
    await setLevel(app, VICTIM, 9);
    const browser = browserOf(VICTIM);
    const page = await browser.go((await closed.begin()).url);
    expect(page.page?.status).toBe(403);
    expect(page.html).toContain('<b>Editors</b>');
    expect((await browser.follow(page, 'Back to the application')).url.searchParams.get('error')).toBe(
      'access_denied',
    );
    await setLevel(app, VICTIM, 0);
    await app.db
      .insertInto('group_members')
      .values({ group_id: group.group_id, character_id: VICTIM })
      .execute();
    expect((await closed.signIn(browser)).claims()?.sub).toBe(String(VICTIM));
  });

  it('D84, D27b: so does an administrator whom nobody lets log in any more, whose session goes on', async () => {
    const group = await ok(app.client(app.root).group.create({ body: { group_name: 'Few' } }));
    const closed = await addRelyingParty(app, { allowed_groups: [group.group_id] });
    await setLevel(app, VICTIM, 9);
    const browser = browserOf(VICTIM);
    await party.signIn(browser);
    await excluding(true);
    try {
      await party.signIn(browser);
      expect((await browser.go((await closed.begin()).url)).html).toContain('<b>Few</b>');
    } finally {
      await excluding(false);
      await setLevel(app, VICTIM, 0);
    }
  });
});
