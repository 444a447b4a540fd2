import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ExtScope } from '../../contract/scopes.ts';
import { letIn } from '../fixtures/registry.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import {
  addInvitation,
  expectPage,
  linksOf,
  type StartedLogin,
  startLogin,
  TITLES,
  trySignIn,
  userRow,
} from '../harness/sign-in.ts';

const HOST = 98_000_011;
const MEMBER = 2_112_000_049;
const STRANGER = 2_112_000_028;
const CALLBACK = 'https://fleet.example:8443/signed-in?keep=this';
const MAIL = 'ext-mail.read_mail.v1';
const SKILLS = 'ext-skills.read_skills.v1';
const WALLET = 'ext-wallet.read_character_wallet.v1';
const AGAIN = 'Sign in and grant all';
const MINUTE = 60_000;

describe('D26: too few scopes: one link that signs in again', () => {
  let app: TestApp;
  let dyn: string;

  beforeAll(async () => {
    app = await startTestApp();
    dyn = await app.dynamicToken(CALLBACK);
    await letIn(app, { corporations: [HOST] });
  });
  beforeEach(() => demand([MAIL, SKILLS]));
  afterAll(() => app.stop());

  const demand = (mandatory_ext_scopes: ExtScope[]) =>
    app.db
      .updateTable('corporations')
      .set({ mandatory_ext_scopes })
      .where('corporation_id', '=', HOST)
      .execute();
  /** Grants only these scopes and is refused; returns the link of the page. */
  async function refused({ login_url }: StartedLogin, scopes: ExtScope[], characterId = MEMBER) {
    const provided = scopes.map((scope) => scope.replace('ext-', 'esi-'));
    const answer = await app.browse(login_url, { characterId, scopes: provided });
    const links = linksOf(await expectPage(answer, 403, TITLES.tooFewScopes));
    expect(Object.keys(links)).toEqual([AGAIN, 'Back to fleet.example:8443']);
    return links[AGAIN] ?? '';
  }
  const scopesAsked = (loginUrl: string) => new URL(loginUrl).searchParams.get('scope')?.split(' ');

  it('requests exactly the union of the provided and the missing scopes', async () => {
    const login = await startLogin(app, { dyn, scopes: [MAIL, WALLET, 'publicData'] });
    // Of three requested scopes two are granted, and two are required.
    const again = await refused(login, [WALLET, MAIL]);
    expect(scopesAsked(again)).toEqual([
      'esi-mail.read_mail.v1',
      'esi-skills.read_skills.v1',
      'esi-wallet.read_character_wallet.v1',
    ]);
  });

  it('the second attempt ends at the application with the original state code', async () => {
    const login = await startLogin(app, { dyn });
    const again = await refused(login, ['publicData']);
    expect(new URL(again).searchParams.get('state')).toBe(login.state_code);
    const answer = await app.browse(again, { characterId: MEMBER });
    const location = new URL(answer.headers.get('location') ?? '');
    expect(answer.status).toBe(302);
    expect(location.href.startsWith(`${CALLBACK}&state_code=${login.state_code}&user_token=`)).toBe(true);
    const token = location.searchParams.get('user_token') ?? '';
    const me = await app.client(token).token.current();
    expect(me.body).toMatchObject({
      owner: { character_id: MEMBER, available_ext_scopes: [MAIL, SKILLS, 'publicData'] },
    });
  });

  it('the link leads to the provider with the service’s client id, callback and a challenge', async () => {
    const login = await startLogin(app, { dyn });
    const first = new URL(login.login_url);
    const again = new URL(await refused(login, ['publicData']));
    for (const url of [first, again]) url.searchParams.delete('scope');
    expect(again.href).toBe(first.href);
  });

  it('after another refusal the link is offered again', async () => {
    const login = await startLogin(app, { dyn });
    const again = await refused(login, []);
    const third = await refused({ ...login, login_url: again }, [SKILLS]);
    expect(scopesAsked(third)).toEqual(['esi-mail.read_mail.v1', 'esi-skills.read_skills.v1']);
    expect((await app.browse(third, { characterId: MEMBER })).status).toBe(302);
  });

  it('the second attempt has as much time as the first', async () => {
    const login = await startLogin(app, { dyn });
    app.clock.advance(9 * MINUTE);
    const again = await refused(login, []);
    app.clock.advance(9 * MINUTE);
    expect((await app.browse(again, { characterId: MEMBER })).status).toBe(302);
  });

  it('but no more than that', async () => {
    const login = await startLogin(app, { dyn });
    const again = await refused(login, []);
    app.clock.advance(10 * MINUTE);
    await expectPage(await app.browse(again, { characterId: MEMBER }), 400, TITLES.badRequest);
  });

  it('D25: after its use it does not work again', async () => {
    const login = await startLogin(app, { dyn });
    const again = await refused(login, []);
    expect((await app.browse(again, { characterId: MEMBER })).status).toBe(302);
    await expectPage(await app.browse(again, { characterId: MEMBER }), 400, TITLES.badRequest);
    await expectPage(await app.browse(login.login_url, { characterId: MEMBER }), 400, TITLES.badRequest);
  });

  it('D28: a guest’s second attempt uses the same invitation, whose lifetime does not change', async () => {
    const stateCode = await addInvitation(app, HOST);
    const login = await startLogin(app, { dyn, stateCode });
    const again = await refused(login, ['publicData'], STRANGER);
    expect(scopesAsked(again)).toEqual(['esi-mail.read_mail.v1', 'esi-skills.read_skills.v1', 'publicData']);
    app.clock.advance(60 * MINUTE);
    expect((await app.browse(again, { characterId: STRANGER })).status).toBe(302);
    expect(await userRow(app, STRANGER)).toMatchObject({ clearance_level: -1, corporation_id: HOST });
  });

  it('D28: refused sign-ins prolong an invitation by one attempt at the most, however many follow each other', async () => {
    const stateCode = await addInvitation(app, HOST);
    const login = await startLogin(app, { dyn, stateCode });
    app.clock.advance(24 * 60 * MINUTE - 1);
    const second = await refused(login, [], STRANGER);
    app.clock.advance(9 * MINUTE);
    const third = await refused({ ...login, login_url: second }, [], STRANGER);
    app.clock.advance(MINUTE);
    await expectPage(await app.browse(third, { characterId: STRANGER }), 400, TITLES.badRequest);
  });

  it('other refusals offer only the link back, and an unknown state code offers none', async () => {
    const back = { 'Back to fleet.example:8443': 'https://fleet.example:8443' };
    const cancelled = await trySignIn(app, { cancel: true }, { dyn });
    expect(linksOf(await expectPage(cancelled, 403, TITLES.cancelled))).toEqual(back);
    const login = await startLogin(app, { dyn });
    const notAllowed = await app.browse(login.login_url, { characterId: 2_112_000_013 });
    expect(linksOf(await expectPage(notAllowed, 403, TITLES.notAllowed))).toEqual(back);
    app.provider.faults.add('/v2/oauth/token', { kind: 'status', status: 503 }, { times: 1 });
    const failed = await app.browse(login.login_url, { characterId: MEMBER });
    expect(linksOf(await expectPage(failed, 502, TITLES.providerFailed))).toEqual(back);
    app.clock.advance(10 * MINUTE);
    const expired = await app.browse(login.login_url, { characterId: MEMBER });
    expect(linksOf(await expectPage(expired, 400, TITLES.badRequest))).toEqual(back);
    const unknown = await fetch(`${app.url}/callback/ext?code=x&state=y`);
    expect(linksOf(await expectPage(unknown, 400, TITLES.badRequest))).toEqual({});
  });
});
