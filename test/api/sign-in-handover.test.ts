import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ok } from '../../sdk/src/index.ts';
import { recordEvents } from '../../server/event/record.ts';
import { allEvents } from '../fixtures/events.ts';
import { letIn, setLevel } from '../fixtures/registry.ts';
import { makeToken, uuidOf } from '../fixtures/users.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import {
  callBack,
  expectPage,
  startLogin,
  TITLES,
  trySignIn,
  userRow,
  userTokenOf,
} from '../harness/sign-in.ts';

const CORPORATION = 98_000_011;
const MEMBERS = [49, 55, 70, 78].map((n) => 2_112_000_000 + n);
const CEO = 2_112_000_011;
const OTHER = 2_112_000_029;

describe('D29b: a character that was handed to another person', () => {
  let app: TestApp;
  let dyn: string;
  let coalition: string;
  let other: string;

  beforeAll(async () => {
    app = await startTestApp({ worker: true });
    dyn = await app.dynamicToken();
    coalition = await letIn(app, { alliances: [99_000_001], corporations: [CORPORATION, 98_000_012] });
    other = (await app.signIn(OTHER, { dyn })).token;
  });
  afterAll(() => app.stop());

  const statusOf = async (token: string) => (await app.client(token).token.current()).status;
  const setVoice = (authorized_to_login: boolean) =>
    app.db
      .updateTable('coalitions')
      .set({ authorized_to_login })
      .where('coalition_id', '=', coalition)
      .execute();
  const membersOf = (group_id: string) =>
    app.db.selectFrom('group_members').select('character_id').where('group_id', '=', group_id).execute();
  const aGroup = async (group_id: string, owner_id: number | null, members: number[], is_voice = false) => {
    await app.db.transaction().execute(async (tx) => {
      const row = { group_id, group_name: group_id, name_key: group_id, authorized_to_login: null };
      await tx
        .insertInto('groups')
        .values({ ...row, owner_id, is_voice })
        .execute();
      const rows = members.map((character_id) => ({ group_id, character_id }));
      await tx.insertInto('group_members').values(rows).execute();
    });
  };

  it('its tokens are deleted with all their descendants, and no others', async () => {
    const id = MEMBERS.shift() as number;
    const { token } = await app.signIn(id, { dyn });
    const permanent = await makeToken(app, 'per', id, uuidOf(app.root));
    const child = await makeToken(app, 'dyn', id, permanent.uuid);
    const grandchild = await makeToken(app, 'use', OTHER, child.uuid);
    expect(await Promise.all([token, permanent.jwt, grandchild.jwt].map(statusOf))).toEqual([200, 200, 200]);
    app.provider.world.handOver(id);
    const fresh = userTokenOf(await trySignIn(app, { characterId: id }, { dyn }));
    expect(await Promise.all([token, permanent.jwt, grandchild.jwt].map(statusOf))).toEqual([401, 401, 401]);
    expect(await Promise.all([fresh, other].map(statusOf))).toEqual([200, 200]);
  });

  it('D93: its webhooks are disabled, also where the receiver asked for a pause of a day', async () => {
    const id = MEMBERS[0] as number;
    const { token } = await app.signIn(id, { dyn });
    await setLevel(app, id, 10);
    const { webhook_id } = await ok(
      app.client(token).webhook.create({ body: { url: 'http://127.0.0.1:9/', types: ['group.*'] } }),
    );
    const paused_until = new Date(app.clock.now().getTime() + 86_400_000);
    await app.db.updateTable('webhooks').set({ paused_until }).where('webhook_id', '=', webhook_id).execute();
    app.provider.world.handOver(id);
    userTokenOf(await trySignIn(app, { characterId: id }, { dyn }));
    await setLevel(app, id, 10);
    const root = app.client(app.root);
    expect(await ok(root.webhook.get({ params: { webhook_id } }))).toMatchObject({
      enabled: false,
      disabled_because: 'not_allowed',
    });
    await setLevel(app, id, 0);
    await root.webhook.delete({ params: { webhook_id } });
  });

  it('D90: what a hand-over takes is told as its consequence, by the game', async () => {
    const id = app.provider.world
      .membersOf(CORPORATION)
      .find((one) => one !== CEO && one !== OTHER && !MEMBERS.includes(one)) as number;
    const { token } = await app.signIn(id, { dyn });
    await setLevel(app, id, 5);
    await aGroup('f7'.repeat(12), id, [id]);
    await ok(app.client(other).person.link({ body: { user_token: token } }));
    app.provider.world.handOver(id);
    const back = await trySignIn(app, { characterId: id }, { dyn });
    const request_id = back.headers.get('x-request-id');
    const told = (await allEvents(app.db)).filter(({ context }) => context?.request_id === request_id);
    const handed = told.find(({ type }) => type === 'user.handed_over');
    const following = told.filter(({ cause }) => cause?.event_id === handed?.event_id);
    expect(following.map(({ type }) => type)).toEqual(
      expect.arrayContaining([
        ...['group.updated', 'group.members_changed', 'person.character_unlinked', 'user.standing_changed'],
      ]),
    );
    for (const { type, actor } of [handed, ...following].filter((one) => one !== undefined)) {
      expect([type, actor.kind]).toEqual([type, 'provider']);
    }
    expect(told.filter(({ actor }) => actor.kind === 'cli')).toEqual([]);
    // Its own sign-in is no consequence.
    expect(told.find(({ type }) => type === 'user.signed_in')).toMatchObject({
      actor: { kind: 'user', character_id: id },
      cause: null,
    });
    await app.db.deleteFrom('groups').where('group_id', '=', 'f7'.repeat(12)).execute();
  });

  it('D94: the new owner does not see events from before its own sign-in', async () => {
    const id = MEMBERS.at(-1) as number;
    await app.signIn(id, { dyn });
    const actor = {
      kind: 'user',
      character_id: id,
      token: null,
      app_token: null,
      on_behalf_of: null,
    } as const;
    const [former] = await recordEvents(
      app.db,
      [{ type: 'token.created', targets: [], actor }],
      app.clock.now(),
    );
    const seenBy = async (token: string) =>
      (await ok(app.client(token).audit.list())).map(({ event_id }) => event_id);
    expect(await seenBy((await app.signIn(id, { dyn })).token)).toContain(former);
    app.clock.advance(1_000);
    app.provider.world.handOver(id);
    expect(await seenBy((await app.signIn(id, { dyn })).token)).not.toContain(former);
  });

  it('its grants are deleted and revoked at the provider; the new owner’s is stored', async () => {
    const id = MEMBERS.shift() as number;
    const exchange = vi.spyOn(app.app.services.sso, 'exchange');
    const revoke = vi.spyOn(app.app.services.sso, 'revoke');
    await app.signIn(id, { dyn, scopes: ['ext-mail.read_mail.v1'] });
    await app.signIn(id, { dyn, scopes: ['ext-skills.read_skills.v1'] });
    const old = await Promise.all(exchange.mock.results.map(async ({ value }) => (await value).refreshToken));
    app.provider.world.handOver(id);
    await app.signIn(id, { dyn, scopes: ['publicData'] });
    // Perhaps among others: the worker may still revoke those of the previous test.
    await vi.waitFor(() => {
      expect(revoke.mock.calls.flat()).toEqual(expect.arrayContaining(old));
      const told = app.provider.requests.filter(({ path }) => path === '/v2/oauth/revoke');
      expect(told.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(old.length);
    }, 60_000);
    vi.restoreAllMocks();
    expect(old).toEqual([expect.stringMatching(/./), expect.stringMatching(/./)]);
    const grants = await app.db
      .selectFrom('grants')
      .select('scopes')
      .where('character_id', '=', id)
      .execute();
    expect(grants).toEqual([{ scopes: ['publicData'] }]);
  });

  it.each([5, 9, 10])('its level %s goes back to 0', async (level) => {
    await app.signIn(OTHER, { dyn });
    await setLevel(app, OTHER, level);
    app.provider.world.handOver(OTHER);
    await app.signIn(OTHER, { dyn });
    expect(await userRow(app, OTHER)).toMatchObject({ clearance_level: 0 });
  });

  it.each([
    ['a corporation’s CEO', CEO, 2],
    ['the CEO of an alliance’s executor', 2_112_000_001, 4],
  ])('%s goes back to the level of its office', async (_, ceo, level) => {
    await app.signIn(ceo, { dyn });
    await setLevel(app, ceo, 10);
    app.provider.world.handOver(ceo);
    await app.signIn(ceo, { dyn });
    expect(await userRow(app, ceo)).toMatchObject({ clearance_level: level });
  });

  it('it is removed from hand-made groups; those that it owned have no owner', async () => {
    const id = MEMBERS.shift() as number;
    await app.signIn(id, { dyn });
    await aGroup('d1'.repeat(12), id, [id, OTHER]);
    await aGroup('d2'.repeat(12), OTHER, [id, OTHER]);
    await aGroup('d3'.repeat(12), null, [id, OTHER], true);
    app.provider.world.handOver(id);
    await app.signIn(id, { dyn });
    for (const group of ['d1', 'd2', 'd3']) {
      expect(await membersOf(group.repeat(12))).toEqual([{ character_id: OTHER }]);
    }
    const owners = await app.db
      .selectFrom('groups')
      .select(['group_id', 'owner_id'])
      .where('is_autogroup', '=', false)
      .orderBy('group_id')
      .execute();
    expect(owners.map(({ owner_id }) => owner_id)).toEqual([null, OTHER]);
  });

  it('it takes effect before the new login: also when that is refused, and the lost level 10 does not admit it', async () => {
    const id = MEMBERS.shift() as number;
    await setVoice(false);
    await setLevel(app, id, 10);
    await app.db
      .insertInto('groups')
      .values({
        group_id: 'e1'.repeat(12),
        group_name: 'In',
        name_key: 'in',
        authorized_to_login: true,
        corporation_id: null,
      })
      .execute();
    await setVoice(true);
    const { token } = await app.signIn(id, { dyn, scopes: ['ext-mail.read_mail.v1'] });
    await setLevel(app, id, 10);
    await app.db
      .insertInto('group_members')
      .values({ group_id: 'e1'.repeat(12), character_id: id })
      .execute();
    await setVoice(false);
    // At level 10 the coalition's false does not bar it, and the group lets it in.
    expect(userTokenOf(await trySignIn(app, { characterId: id }, { dyn }))).not.toBe('');
    app.provider.world.handOver(id);
    await expectPage(await trySignIn(app, { characterId: id }, { dyn }), 403, TITLES.notAllowed);
    await setVoice(true);
    expect(await statusOf(token)).toBe(401);
    expect(await userRow(app, id)).toMatchObject({ clearance_level: 0 });
    expect(await app.db.selectFrom('grants').selectAll().where('character_id', '=', id).execute()).toEqual(
      [],
    );
  });

  it('D94: everybody reads when a user was updated, but not by that when one was handed over', async () => {
    const updated = async (id: number) => (await userRow(app, id))?.updated_on;
    const handedOver = async (id: number) => {
      app.clock.advance(1000);
      app.provider.world.handOver(id);
      await app.signIn(id, { dyn });
      return updated(id);
    };
    await setLevel(app, OTHER, 0);
    const before = await updated(OTHER);
    expect(await handedOver(OTHER)).toEqual(before);
    await setLevel(app, OTHER, 3);
    expect(await handedOver(OTHER)).toEqual(app.clock.now());
    // Who keeps the level of an office loses it only for a moment within the transaction.
    await app.signIn(CEO, { dyn });
    const inOffice = await updated(CEO);
    expect(await handedOver(CEO)).toEqual(inOffice);
    expect(await userRow(app, CEO)).toMatchObject({ clearance_level: 2 });
  });

  it('signing in through an app token of its own, which is deleted too: a 400 page', async () => {
    await setLevel(app, OTHER, 10);
    const own = await makeToken(app, 'dyn', OTHER, uuidOf(app.root));
    const { login_url, state_code } = await startLogin(app, { dyn: own.jwt });
    app.provider.world.handOver(OTHER);
    await expectPage(await app.browse(login_url, { characterId: OTHER }), 400, TITLES.badRequest);
    await expectPage(await callBack(app, { code: 'x', state: state_code }), 400, TITLES.badRequest);
    expect((await app.client(app.root).crash.list()).body).toEqual([]);
  });

  it('eight concurrent sign-ins of the new owner: detected once, all eight keep their tokens', async () => {
    const ceo = CEO;
    await app.signIn(ceo, { dyn, scopes: ['ext-mail.read_mail.v1'] });
    app.provider.world.handOver(ceo);
    const before = app.logged.length;
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => trySignIn(app, { characterId: ceo }, { dyn })),
    );
    expect(await Promise.all(answers.map((answer) => statusOf(userTokenOf(answer))))).toEqual(
      Array(8).fill(200),
    );
    const notices = app.logged.slice(before).filter((line) => line.includes('a character has a new owner'));
    expect(notices).toHaveLength(1);
  });

  it('a sign-in of the same owner loses nothing', async () => {
    const { token } = await app.signIn(OTHER, { dyn });
    await setLevel(app, OTHER, 9);
    await app.signIn(OTHER, { dyn });
    expect(await statusOf(token)).toBe(200);
    expect(await userRow(app, OTHER)).toMatchObject({ clearance_level: 9 });
  });

  it('a user that never signed in has no former owner, so its level stays', async () => {
    await letIn(app, { alliances: [99_000_002] });
    await setLevel(app, 2_112_000_002, 10);
    expect(await userRow(app, 2_112_000_002)).toMatchObject({ owner_hash: null });
    await app.signIn(2_112_000_002, { dyn });
    const { owner } = app.provider.world.character(2_112_000_002) ?? {};
    expect(await userRow(app, 2_112_000_002)).toMatchObject({ clearance_level: 10, owner_hash: owner });
  });
});
