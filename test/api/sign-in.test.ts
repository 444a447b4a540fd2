import { randomUUID } from 'node:crypto';
import { calculatePKCECodeChallenge } from 'oauth4webapi';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { letIn } from '../fixtures/registry.ts';
import { uuidOf } from '../fixtures/users.ts';
import { BASE_URL, startTestApp, type TestApp } from '../harness/app.ts';
import {
  addInvitation,
  callBack,
  expectPage,
  startLogin,
  TITLES,
  trySignIn,
  userTokenOf,
} from '../harness/sign-in.ts';

const ALLIANCE = 99_000_001;
const MEMBER = 2_112_000_028;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const MINUTE = 60_000;

describe('sign-in', () => {
  let app: TestApp;
  let dyn: string;

  beforeAll(async () => {
    app = await startTestApp();
    await letIn(app, { alliances: [ALLIANCE] });
    dyn = await app.dynamicToken();
  });
  afterAll(() => app.stop());

  const begin = (token: string, state_code: string) =>
    app.client(token).token.startLogin({ body: { state_code } });
  const stateRow = (state_code: string) =>
    app.db
      .selectFrom('state_codes')
      .selectAll()
      .where('state_code', '=', state_code)
      .executeTakeFirstOrThrow();

  describe('state codes', () => {
    it('D25: generated state codes are UUIDs and live 10 minutes', async () => {
      const { state_code } = await startLogin(app, { dyn });
      expect(state_code).toMatch(UUID);
      const { created_on, expires_on } = await stateRow(state_code);
      expect(expires_on.getTime() - created_on.getTime()).toBe(10 * MINUTE);
    });

    it('D25: starting again with a state code of the same app token continues that sign-in', async () => {
      const first = await startLogin(app, { dyn });
      const again = await begin(dyn, first.state_code);
      expect(again).toMatchObject({ status: 200, body: first });
    });

    it('D25: the state code of another app token: 404', async () => {
      const { state_code } = await startLogin(app, { dyn: await app.dynamicToken() });
      const answer = await begin(dyn, state_code);
      expect(answer.status).toBe(404);
      expect(answer.body).toEqual({
        detail: `Could not find state code ${state_code}`,
        code: 'state_code_unknown',
      });
    });

    it('D25: an unknown state code: 404', async () => {
      expect((await begin(dyn, randomUUID())).status).toBe(404);
    });

    it('D25: an expired state code: 404 when started, a 400 page when it comes back', async () => {
      const { state_code, login_url } = await startLogin(app, { dyn });
      app.clock.advance(10 * MINUTE);
      expect((await begin(dyn, state_code)).status).toBe(404);
      await expectPage(await app.browse(login_url, { characterId: MEMBER }), 400, TITLES.badRequest);
    });

    it('D25: a used state code: 404 when started, a 400 page when it comes back (used once)', async () => {
      const { state_code, login_url } = await startLogin(app, { dyn });
      expect((await app.browse(login_url, { characterId: MEMBER })).status).toBe(302);
      expect((await begin(dyn, state_code)).status).toBe(404);
      await expectPage(await app.browse(login_url, { characterId: MEMBER }), 400, TITLES.badRequest);
    });

    it('D25: a guest code is bound to the app token that presents it first; others get 404', async () => {
      const code = await addInvitation(app, 98_000_001);
      const other = await app.dynamicToken();
      expect((await begin(other, code)).status).toBe(200);
      expect((await begin(dyn, code)).status).toBe(404);
      expect((await begin(other, code)).status).toBe(200);
    });

    it('D25: the callback does not accept a guest code that no app token has presented', async () => {
      const code = await addInvitation(app, 98_000_001);
      await expectPage(await callBack(app, { code: 'x', state: code }), 400, TITLES.badRequest);
      expect((await stateRow(code)).used_on).toBeNull();
    });

    it('D21: the state codes of a deleted app token are deleted with it', async () => {
      const gone = await app.dynamicToken();
      const { login_url } = await startLogin(app, { dyn: gone });
      const uuid = uuidOf(gone);
      expect((await app.client(app.root).token.delete({ query: { uuid } })).status).toBe(200);
      await expectPage(await app.browse(login_url, { characterId: MEMBER }), 400, TITLES.badRequest);
    });
  });

  describe('login URL', () => {
    const parametersOf = (loginUrl: string) => new URL(loginUrl).searchParams;

    it('Token operations 3: it is the sign-on’s URL with the scopes and the state code', async () => {
      const { login_url, state_code } = await startLogin(app, {
        dyn,
        scopes: ['ext-mail.read_mail.v1', 'publicData'],
      });
      const url = new URL(login_url);
      expect(url.origin + url.pathname).toBe(`${app.provider.ssoUrl}/v2/oauth/authorize`);
      expect(Object.fromEntries(url.searchParams)).toEqual({
        response_type: 'code',
        client_id: 'castellan-test',
        redirect_uri: 'https://castellan.test/callback/ext',
        scope: 'esi-mail.read_mail.v1 publicData',
        state: state_code,
        code_challenge: expect.stringMatching(/^[\w-]{43}$/),
        code_challenge_method: 'S256',
      });
    });

    it('Token operations 3: without scopes it requests public data', async () => {
      const { login_url } = await startLogin(app, { dyn });
      expect(parametersOf(login_url).get('scope')).toBe('publicData');
    });

    it('D25: for a guest code it requests the union of the requested scopes and those its host requires', async () => {
      const coalition = await letIn(app, { corporations: [98_000_004] });
      const code = await addInvitation(app, 98_000_004);
      const requiring = (scope: 'ext-skills.read_skills.v1') => ({ mandatory_ext_scopes: [scope] });
      await app.db
        .updateTable('corporations')
        .set(requiring('ext-skills.read_skills.v1'))
        .where('corporation_id', '=', 98_000_004)
        .execute();
      await app.db
        .updateTable('alliances')
        .set({ mandatory_ext_scopes: ['ext-mail.read_mail.v1'] })
        .where('alliance_id', '=', ALLIANCE)
        .execute();
      await app.db
        .updateTable('coalitions')
        .set({ mandatory_ext_scopes: ['ext-location.read_online.v1'] })
        .where('coalition_id', '=', coalition)
        .execute();
      const { login_url } = await startLogin(app, {
        dyn,
        stateCode: code,
        scopes: ['ext-mail.read_mail.v1', 'publicData'],
      });
      expect(parametersOf(login_url).get('scope')?.split(' ')).toEqual([
        'esi-location.read_online.v1',
        'esi-mail.read_mail.v1',
        'esi-skills.read_skills.v1',
        'publicData',
      ]);
      const own = await startLogin(app, { dyn });
      expect(parametersOf(own.login_url).get('scope')).toBe('publicData');
      for (const table of ['corporations', 'alliances', 'coalitions'] as const) {
        await app.db.updateTable(table).set({ mandatory_ext_scopes: [] }).execute();
      }
    });

    it('D25: the verifier is stored with the state code; the URL contains only its S256 challenge', async () => {
      const { login_url, state_code } = await startLogin(app, { dyn });
      const { code_verifier } = await stateRow(state_code);
      expect(code_verifier).toMatch(/^[\w-]{43,128}$/);
      expect(parametersOf(login_url).get('code_challenge')).toBe(
        await calculatePKCECodeChallenge(code_verifier),
      );
      const done = await app.browse(login_url, { characterId: MEMBER });
      expect(`${login_url} ${done.headers.get('location')}`).not.toContain(code_verifier);
    });

    it('D25: the provider checks the verifier: a code obtained for another challenge is refused', async () => {
      const mine = await startLogin(app, { dyn });
      const theirs = await startLogin(app, { dyn });
      const stolen = new URL(await app.provider.authorize(theirs.login_url, { characterId: MEMBER }));
      const code = stolen.searchParams.get('code') ?? '';
      await expectPage(await callBack(app, { code, state: mine.state_code }), 400, TITLES.badRequest);
      expect((await app.browse(theirs.login_url, { characterId: MEMBER })).status).toBe(302);
    });

    it('D25: a login URL is available while the provider is not', async () => {
      const cold = await startTestApp();
      cold.provider.faults.add('sso', { kind: 'status', status: 503 });
      const { login_url } = await startLogin(cold);
      expect(login_url.startsWith(`${cold.provider.ssoUrl}/v2/oauth/authorize?`)).toBe(true);
      await cold.stop();
    });
  });

  describe('the callback', () => {
    it('a HEAD of the callback is a 405 and leaves the sign-in to the GET that follows', async () => {
      const { login_url } = await startLogin(app, { dyn });
      const back = await app.provider.authorize(login_url, { characterId: MEMBER });
      const here = back.replace(BASE_URL, app.url);
      const head = await fetch(here, { method: 'HEAD', redirect: 'manual' });
      expect({ status: head.status, allow: head.headers.get('allow') }).toEqual({
        status: 405,
        allow: 'GET',
      });
      expect((await fetch(here, { redirect: 'manual' })).status).toBe(302);
    });

    it.each(['', '/'])('D2: the callback%s is a page for people, whatever the method', async (end) => {
      const headers = { origin: 'https://fleet.example', 'access-control-request-method': 'GET' };
      for (const method of ['POST', 'OPTIONS', 'HEAD']) {
        const answer = await fetch(`${app.url}/callback/ext${end}`, { method, headers });
        expect([method, answer.status]).toEqual([method, 405]);
        expect(answer.headers.get('allow')).toBe('GET');
        expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
        expect(answer.headers.get('access-control-allow-origin')).toBeNull();
      }
    });

    it('D26: without state, or without code, a 400 page', async () => {
      const { state_code } = await startLogin(app, { dyn });
      for (const query of [{}, { code: 'x' }, { state: state_code }, { code: '', state: state_code }]) {
        await expectPage(await callBack(app, query as Record<string, string>), 400, TITLES.badRequest);
      }
      expect((await stateRow(state_code)).used_on).toBeNull();
    });

    it.each([
      ['unknown', randomUUID()],
      ['malformed', 'a b'],
      ['with a null character', '\0'],
      ['very long', 'x'.repeat(5_000)],
      ['markup', '<script>alert(1)</script>'],
    ])('D26: a state that is %s is a 400 page', async (_, state) => {
      const html = await expectPage(await callBack(app, { code: 'x', state }), 400, TITLES.badRequest);
      expect(html).not.toContain('alert');
    });

    it('D26: repeated parameters are a 400 page, not an internal error', async () => {
      const answer = await fetch(`${app.url}/callback/ext?code=a&code=b&state=c&state=d`, {
        redirect: 'manual',
      });
      await expectPage(answer, 400, TITLES.badRequest);
    });

    it('D26: a cancelled sign-in is a 403 page; going back and choosing a character signs in', async () => {
      const { login_url } = await startLogin(app, { dyn });
      await expectPage(await app.browse(login_url, { cancel: true }), 403, TITLES.cancelled);
      expect((await app.browse(login_url, { characterId: MEMBER })).status).toBe(302);
      await expectPage(await app.browse(login_url, { cancel: true }), 400, TITLES.badRequest);
    });

    it('D26: another error of the provider is a 502 page', async () => {
      const { state_code } = await startLogin(app, { dyn });
      const answer = await callBack(app, { error: 'server_error', state: state_code });
      await expectPage(answer, 502, TITLES.providerFailed);
    });

    it('D26: not allowed to log in is a 403 page, the name escaped', async () => {
      app.provider.world.renameCharacter(2_112_000_029, `<b onload="x">O'Neil & Co</b>`);
      const answer = await trySignIn(app, { characterId: 2_112_000_029 }, { dyn });
      const html = await expectPage(answer, 403, TITLES.notAllowed);
      expect(html).toContain(
        '&lt;b onload=&quot;x&quot;&gt;O&#39;Neil &amp; Co&lt;/b&gt; may not log in: let in by no group',
      );
      expect(html).not.toContain('<b ');
    });

    it('D26: too few scopes is a 403 page with name, id, required and provided scopes, escaped', async () => {
      const character = 2_112_000_051;
      app.provider.world.renameCharacter(character, '"><script>alert(1)</script>');
      await app.db
        .updateTable('corporations')
        .set({ mandatory_ext_scopes: ['ext-mail.read_mail.v1', 'ext-skills.read_skills.v1'] })
        .where('corporation_id', '=', 98_000_001)
        .execute();
      const answer = await trySignIn(
        app,
        { characterId: character },
        {
          dyn,
          scopes: ['ext-skills.read_skills.v1', 'ext-wallet.read_character_wallet.v1'],
        },
      );
      const html = await expectPage(answer, 403, TITLES.tooFewScopes);
      expect(html).toContain(`&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt; (character ${character})`);
      expect(html).not.toContain('<script');
      const [required = '', provided = ''] = html.slice(html.indexOf('<h2>Required')).split('<h2>Provided');
      const scopesIn = (part: string) =>
        [...part.matchAll(/<code>([^<]*)<\/code>( \(missing\))?/g)].map(
          ([, scope, missing]) => scope + (missing ?? ''),
        );
      expect(scopesIn(required)).toEqual(['ext-mail.read_mail.v1 (missing)', 'ext-skills.read_skills.v1']);
      expect(scopesIn(provided)).toEqual([
        'ext-skills.read_skills.v1',
        'ext-wallet.read_character_wallet.v1',
      ]);
      await app.db.updateTable('corporations').set({ mandatory_ext_scopes: [] }).execute();
    });

    it('D26: success is a 302 to the callback, state_code and user_token added to its query', async () => {
      const callback = "https://app.example/in?keep=%20this&list[]=1&q='x'";
      const token = await app.dynamicToken(callback);
      const { login_url, state_code } = await startLogin(app, { dyn: token });
      const answer = await app.browse(login_url, { characterId: MEMBER });
      expect(answer.status).toBe(302);
      expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
      expect(answer.headers.get('cache-control')).toBe('no-store');
      const userToken = userTokenOf(answer);
      expect(answer.headers.get('location')).toBe(
        `${callback}&state_code=${state_code}&user_token=${userToken}`,
      );
      expect(await answer.text()).toBe('');
    });

    it('D26: a callback without a query gets one', async () => {
      const token = await app.dynamicToken('https://app.example/in');
      const answer = await trySignIn(app, { characterId: MEMBER }, { dyn: token });
      expect(answer.headers.get('location')).toMatch(
        /^https:\/\/app\.example\/in\?state_code=.*&user_token=/,
      );
    });

    it('D26: a callback with non-ASCII characters is redirected to in encoded form', async () => {
      const token = await app.dynamicToken('https://flotte.bücher.example/zurück?für=Ж');
      const answer = await trySignIn(app, { characterId: MEMBER }, { dyn: token });
      expect(answer.status).toBe(302);
      expect(answer.headers.get('location')).toMatch(
        /^https:\/\/flotte\.xn--bcher-kva\.example\/zur%C3%BCck\?f%C3%BCr=%D0%96&state_code=/,
      );
    });

    it('D22: the user token belongs to the app token and the character, and is valid for 24 hours', async () => {
      const answer = await trySignIn(app, { characterId: MEMBER }, { dyn });
      const client = app.client(userTokenOf(answer));
      const { body, status } = await client.token.current();
      expect(status).toBe(200);
      const parent = uuidOf(dyn);
      expect(body).toMatchObject({ token_type: 'use', parent, owner: { character_id: MEMBER } });
      const { created_on, expires_on } = body as { created_on: string; expires_on: string };
      expect(Date.parse(expires_on) - Date.parse(created_on)).toBe(24 * 3_600_000);
    });

    it('D8: an internal error is a 500 page with a crash report, and the state code works again', async () => {
      const { login_url } = await startLogin(app, { dyn });
      vi.spyOn(app.app.services.vault, 'encrypt').mockImplementationOnce(() => {
        throw new Error('the vault is broken');
      });
      await expectPage(await app.browse(login_url, { characterId: MEMBER }), 500, TITLES.failure);
      const { body } = await app.client(app.root).crash.list();
      expect(body).toMatchObject([
        { url: expect.stringMatching(/^\/callback\/ext\?code=\*{10}&state=\*{10}$/) },
      ]);
      expect((await app.browse(login_url, { characterId: MEMBER })).status).toBe(302);
    });

    it('D21: an app token that is deleted during a sign-in: a 400 page, and nothing is stored', async () => {
      const gone = await app.dynamicToken();
      const { login_url } = await startLogin(app, { dyn: gone });
      const uuid = uuidOf(gone);
      let release = () => {};
      const deleted = new Promise<void>((resolve) => {
        release = resolve;
      });
      const held = app.provider.faults.add(
        '/characters/affiliation',
        { kind: 'hold', until: deleted },
        { times: 1 },
      );
      const answer = app.browse(login_url, { characterId: 2_112_000_095 });
      await expect.poll(() => held.strikes).toBe(1);
      await app.client(app.root).token.delete({ query: { uuid } });
      release();
      await expectPage(await answer, 400, TITLES.badRequest);
      expect(
        await app.db
          .selectFrom('users')
          .select('character_id')
          .where('character_id', '=', 2_112_000_095)
          .execute(),
      ).toEqual([]);
    });
  });
});
