import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FORGERIES } from '../../dev/provider/forgeries.ts';
import { letIn } from '../fixtures/registry.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { snapshot } from '../harness/dump.ts';
import {
  addInvitation,
  callBack,
  expectPage,
  type StartedLogin,
  startLogin,
  TITLES,
  userTokenOf,
} from '../harness/sign-in.ts';

/** A character that signed in before; its corporation is registered and let in. */
const MEMBER = 2_112_000_049;
/** A character that may log in and never did. */
const NEWCOMER = 2_112_000_055;
/** A character whose corporation and alliance are not registered. */
const STRANGER = 2_112_000_028;
const HOST = 98_000_011;

describe('D26b: a refused sign-in writes nothing', () => {
  let app: TestApp;
  let dyn: string;
  let login: StartedLogin;
  let before: Record<string, string[]>;

  beforeAll(async () => {
    app = await startTestApp();
    await letIn(app, { corporations: [HOST] });
    dyn = await app.dynamicToken();
    await app.signIn(MEMBER, { dyn, scopes: ['ext-mail.read_mail.v1'] });
  });
  beforeEach(async () => {
    login = await startLogin(app, { dyn, scopes: ['ext-mail.read_mail.v1', 'publicData'] });
    before = await snapshot(app.databaseUrl, { stateMarks: false });
  });
  afterEach(async () => {
    app.provider.reset();
    await app.db.updateTable('corporations').set({ mandatory_ext_scopes: [] }).execute();
  });
  afterAll(() => app.stop());

  /** Checks that the state code is not used up, as only a successful sign-in does that. */
  async function expectNothingWritten(): Promise<void> {
    expect(await snapshot(app.databaseUrl, { stateMarks: false })).toEqual(before);
    const { used_on } = await app.db
      .selectFrom('state_codes')
      .select('used_on')
      .where('state_code', '=', login.state_code)
      .executeTakeFirstOrThrow();
    expect(used_on).toBeNull();
  }

  it('the comparison detects a sign-in that is not refused', async () => {
    // The time of the sign-in is stored.
    app.clock.advance(1_000);
    await app.browse(login.login_url, { characterId: MEMBER });
    const after = await snapshot(app.databaseUrl, { stateMarks: false });
    const changed = Object.keys(after).filter((table) => String(after[table]) !== String(before[table]));
    // Of the partitioned table only the queue's partition changes.
    expect(changed.map((table) => table.replace(/pgboss\.j[0-9a-f]{56}/, 'pgboss.job'))).toEqual([
      'pgboss.job',
      'public.grants',
      'public.state_codes',
      'public.tokens',
      'public.users',
    ]);
  });

  it.each([
    ['a stranger', STRANGER],
    ['a member of the game’s own corporation', 2_112_000_013],
    ['a CEO of an unknown alliance’s executor', 2_112_000_002],
  ])('not allowed: %s', async (_, characterId) => {
    await expectPage(await app.browse(login.login_url, { characterId }), 403, TITLES.notAllowed);
    await expectNothingWritten();
  });

  it('not allowed: a member whose name and corporation changed in the game stays as it was', async () => {
    app.provider.world.renameCharacter(MEMBER, 'Someone Else');
    app.provider.world.moveCharacter(MEMBER, 98_000_001);
    const answer = await app.browse(login.login_url, { characterId: MEMBER });
    app.provider.world.moveCharacter(MEMBER, HOST);
    await expectPage(answer, 403, TITLES.notAllowed);
    await expectNothingWritten();
  });

  it.each([
    ['a member', MEMBER],
    ['a newcomer', NEWCOMER],
  ])('too few scopes: %s', async (_, characterId) => {
    await app.db
      .updateTable('corporations')
      .set({ mandatory_ext_scopes: ['ext-skills.read_skills.v1'] })
      .execute();
    before = await snapshot(app.databaseUrl, { stateMarks: false });
    const answer = await app.browse(login.login_url, { characterId });
    await expectPage(answer, 403, TITLES.tooFewScopes);
    await expectNothingWritten();
  });

  it('too few scopes: requested, but not granted', async () => {
    await app.db
      .updateTable('corporations')
      .set({ mandatory_ext_scopes: ['ext-mail.read_mail.v1'] })
      .execute();
    before = await snapshot(app.databaseUrl, { stateMarks: false });
    const answer = await app.browse(login.login_url, { characterId: NEWCOMER, scopes: ['publicData'] });
    expect(await expectPage(answer, 403, TITLES.tooFewScopes)).toContain('<code>publicData</code>');
    await expectNothingWritten();
  });

  it('the fetched affiliation decides, not the stored one: a member that left is refused until it is back', async () => {
    app.provider.world.moveCharacter(MEMBER, 98_000_012);
    const left = await app.browse(login.login_url, { characterId: MEMBER });
    app.provider.world.moveCharacter(MEMBER, HOST);
    await expectPage(left, 403, TITLES.notAllowed);
    await expectNothingWritten();
    const again = await startLogin(app, { dyn });
    expect(userTokenOf(await app.browse(again.login_url, { characterId: MEMBER }))).not.toBe('');
  });

  it('cancelled', async () => {
    await expectPage(await app.browse(login.login_url, { cancel: true }), 403, TITLES.cancelled);
    await expectNothingWritten();
  });

  it('code, state, or both missing', async () => {
    await expectPage(await callBack(app, { state: login.state_code }), 400, TITLES.badRequest);
    await expectPage(await callBack(app, { code: 'x' }), 400, TITLES.badRequest);
    await expectNothingWritten();
  });

  it('D3: whatever else the provider sends along, however it is encoded, changes nothing', async () => {
    const answer = await fetch(
      `${app.url}/callback/ext?error=access_denied&state=${login.state_code}&more=%E4`,
    );
    await expectPage(answer, 403, TITLES.cancelled);
    await expectNothingWritten();
  });

  it('the provider refuses the code', async () => {
    const answer = await callBack(app, { code: 'made-up', state: login.state_code });
    await expectPage(answer, 400, TITLES.badRequest);
    await expectNothingWritten();
  });

  it('errors in the parameters of a callback are counted apart from failures of the provider, which cause alerts', async () => {
    const counts = async () => {
      const { values } = await app.app.services.metrics.signIns.get();
      return (name: string) => values.find(({ labels }) => labels.outcome === name)?.value ?? 0;
    };
    const earlier = await counts();
    const answer = await callBack(app, { error: 'server_error', state: login.state_code });
    await expectPage(answer, 502, TITLES.providerFailed);
    const later = await counts();
    expect(later('provider-failed')).toBe(earlier('provider-failed'));
    expect(later('told-of-failure')).toBe(earlier('told-of-failure') + 1);
    await expectNothingWritten();
  });

  it('the provider’s access token is a forgery', async () => {
    app.provider.nextAccessToken(FORGERIES['foreign key with our kid']);
    const answer = await app.browse(login.login_url, { characterId: NEWCOMER });
    await expectPage(answer, 502, TITLES.providerFailed);
    await expectNothingWritten();
  });

  it('the provider’s API is away', async () => {
    app.provider.faults.add('api', { kind: 'status', status: 404 });
    const answer = await app.browse(login.login_url, { characterId: NEWCOMER });
    await expectPage(answer, 502, TITLES.providerFailed);
    await expectNothingWritten();
  });

  it('a refused guest can use its invitation again, and nothing else is stored', async () => {
    const code = await addInvitation(app, HOST);
    await app.db
      .updateTable('corporations')
      .set({ mandatory_ext_scopes: ['ext-skills.read_skills.v1'] })
      .execute();
    login = await startLogin(app, { dyn, stateCode: code });
    before = await snapshot(app.databaseUrl, { stateMarks: false });
    const answer = await app.browse(login.login_url, { characterId: STRANGER, scopes: [] });
    await expectPage(answer, 403, TITLES.tooFewScopes);
    await expectNothingWritten();
  });
});
