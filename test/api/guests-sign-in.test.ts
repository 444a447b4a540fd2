import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ok } from '../../sdk/src/index.ts';
import { letIn, setLevel } from '../fixtures/registry.ts';
import { addCoalition } from '../fixtures/users.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { callerAt } from '../harness/caller.ts';
import { meanwhile, untilBehind, untilWaiting } from '../harness/meanwhile.ts';
import {
  addInvitation,
  expectPage,
  startLogin,
  TITLES,
  trySignIn,
  userRow,
  userTokenOf,
} from '../harness/sign-in.ts';

/** Two corporations without an alliance that are let in and invite guests. */
const HOST = 98_000_011;
const OTHER_HOST = 98_000_012;
/** A corporation that is registered and not let in. */
const OUTSIDE = 98_000_005;

describe('guests', () => {
  let app: TestApp;
  let dyn: string;
  /** Characters of corporations that are not let in; each test uses its own. */
  const strangers = [28, 51, 95, 101, 102, 21, 42, 45, 58, 65, 66].map((n) => 2_112_000_000 + n);
  const stranger = (): number => strangers.shift() as number;

  beforeAll(async () => {
    app = await startTestApp();
    dyn = await app.dynamicToken();
    await letIn(app, { corporations: [HOST, OTHER_HOST] });
  });
  afterAll(() => app.stop());

  const signInInvited = async (characterId: number, host = HOST, stateCode?: string): Promise<Response> =>
    trySignIn(app, { characterId }, { dyn, stateCode: stateCode ?? (await addInvitation(app, host)) });
  const makeGuest = async (characterId = stranger(), host = HOST): Promise<number> => {
    userTokenOf(await signInInvited(characterId, host));
    expect(await userRow(app, characterId)).toMatchObject({ clearance_level: -1, corporation_id: host });
    return characterId;
  };
  const join = (characterId: number, corporation: number) =>
    app.provider.world.moveCharacter(characterId, corporation);

  it('D28: a character that may not log in without the invitation becomes a guest of the inviting corporation, at level -1', async () => {
    const id = stranger();
    await expectPage(await trySignIn(app, { characterId: id }, { dyn }), 403, TITLES.notAllowed);
    const token = userTokenOf(await signInInvited(id));
    expect(await userRow(app, id)).toMatchObject({ clearance_level: -1, corporation_id: HOST });
    const { name } = app.provider.world.character(id) ?? { name: '' };
    const shown = await app.client(app.root).user.get({ params: { character_name: name } });
    expect(shown.body).toMatchObject({ clearance_level: -1, corporation: String(HOST), character_id: id });
    expect(await app.client(token).token.current()).toMatchObject({ status: 403 });
    expect(await app.client(token).token.logout()).toMatchObject({ status: 200 });
  });

  it('D9: guests are not listed as users', async () => {
    const id = await makeGuest();
    const { body } = await app.client(app.root).user.list();
    expect(body).not.toContainEqual(expect.objectContaining({ character_id: id }));
  });

  it('D28: a guest’s own corporation is not registered', async () => {
    const id = stranger();
    await makeGuest(id);
    const { corporationId = 0 } = app.provider.world.character(id) ?? {};
    const found = await app.db
      .selectFrom('corporations')
      .select('corporation_id')
      .where('corporation_id', '=', corporationId)
      .execute();
    expect(found).toEqual([]);
  });

  it('D28: a character without a player corporation can be a guest', async () => {
    await makeGuest(2_112_000_013);
  });

  it('D28: a guest signs in again without an invitation and stays a guest', async () => {
    const id = await makeGuest();
    const made = await userRow(app, id);
    app.clock.advance(1000);
    userTokenOf(await trySignIn(app, { characterId: id }, { dyn }));
    const again = await userRow(app, id);
    expect(again).toMatchObject({ clearance_level: -1, corporation_id: HOST });
    // D94: everybody reads it, but not who signs in when.
    expect(again?.updated_on).toEqual(made?.updated_on);
    await app.db
      .updateTable('users')
      .set({ character_name: 'Former' })
      .where('character_id', '=', id)
      .execute();
    userTokenOf(await trySignIn(app, { characterId: id }, { dyn }));
    expect((await userRow(app, id))?.updated_on).toEqual(app.clock.now());
  });

  it.each([
    ['deleted', 'delete from users where character_id = $1', undefined],
    [
      'made a member',
      'update users set clearance_level = 0, corporation_id = null where character_id = $1',
      { clearance_level: 0, corporation_id: null },
    ],
  ])('D28: a guest who is %s during a sign-in is no guest again', async (_, end, left) => {
    const id = await makeGuest();
    const answer = await meanwhile(app, end, [id], () => trySignIn(app, { characterId: id }, { dyn }));
    await expectPage(answer, 403, TITLES.notAllowed);
    expect(await userRow(app, id)).toEqual(left && expect.objectContaining(left));
  });

  it('D28: a newcomer who may log in anyway signs in normally', async () => {
    const id = 2_112_000_029;
    userTokenOf(await signInInvited(id, HOST));
    expect(await userRow(app, id)).toMatchObject({ clearance_level: 0, corporation_id: OTHER_HOST });
  });

  it.each([5, 9, 10])(
    'D28: an invitation demotes nobody: a member at level %s who is admitted stays it',
    async (level) => {
      const id = 2_112_000_044;
      await app.signIn(id, { dyn });
      await setLevel(app, id, level);
      userTokenOf(await signInInvited(id, HOST));
      expect(await userRow(app, id)).toMatchObject({ clearance_level: level, corporation_id: OTHER_HOST });
    },
  );

  it.each([9, 10])('D28: level %s, not admitted: is refused, and does not become a guest', async (level) => {
    const id = 2_112_000_017;
    await registerOutsider(id, level);
    await expectPage(await signInInvited(id), 403, TITLES.notAllowed);
    expect(await userRow(app, id)).toMatchObject({ clearance_level: level, corporation_id: OUTSIDE });
  });

  it('D28: a member of a corporation that is not let in becomes a guest, even at level 8', async () => {
    const id = 2_112_000_019;
    await registerOutsider(id, 8);
    await makeGuest(id);
  });

  it('D28: a guest whose host is let in stays its guest, when another corporation invites it', async () => {
    const id = await makeGuest(stranger(), OTHER_HOST);
    userTokenOf(await signInInvited(id, HOST));
    expect(await userRow(app, id)).toMatchObject({ clearance_level: -1, corporation_id: OTHER_HOST });
  });

  it('D28: a guest whose host is no longer let in becomes a guest of the next corporation that invites it', async () => {
    const coalition = 'b2'.repeat(12);
    const id = stranger();
    await registerOutsider(2_112_000_026, 0);
    await addCoalition(app, coalition, { corporations: [OUTSIDE] });
    await makeGuest(id, OUTSIDE);
    await app.db.deleteFrom('coalitions').where('coalition_id', '=', coalition).execute();
    await expectPage(await trySignIn(app, { characterId: id }, { dyn }), 403, TITLES.notAllowed);
    await makeGuest(id, HOST);
  });

  it('D29b: a guest that was handed to another person is none any more, even if that one is refused', async () => {
    const id = await makeGuest();
    app.provider.world.handOver(id);
    await expectPage(await trySignIn(app, { characterId: id }, { dyn }), 403, TITLES.notAllowed);
    expect(await userRow(app, id)).toMatchObject({ clearance_level: 0, corporation_id: null });
    await makeGuest(id);
  });

  it('D27: the host itself must be let in: an invitation of another lets nobody in', async () => {
    await registerOutsider(2_112_000_026, 0);
    const id = 2_112_000_031;
    await expectPage(await signInInvited(id, OUTSIDE), 403, TITLES.notAllowed);
    expect(await userRow(app, id)).toBeUndefined();
  });

  it('D28: a user barred by a group is refused even with an invitation', async () => {
    const id = 2_112_000_038;
    await registerOutsider(id, 0);
    const group_id = 'c3'.repeat(12);
    await app.db
      .insertInto('groups')
      .values({ group_id, group_name: 'Banned', name_key: 'banned', authorized_to_login: false })
      .execute();
    await app.db.insertInto('group_members').values({ group_id, character_id: id }).execute();
    await expectPage(await signInInvited(id), 403, TITLES.notAllowed);
    expect(await userRow(app, id)).toMatchObject({ clearance_level: 0, corporation_id: OUTSIDE });
    await app.db.deleteFrom('groups').execute();
  });

  it('D28: a guest who joined its host becomes a member at level 0 at the next sign-in', async () => {
    const id = await makeGuest();
    join(id, HOST);
    userTokenOf(await trySignIn(app, { characterId: id }, { dyn }));
    expect(await userRow(app, id)).toMatchObject({ clearance_level: 0, corporation_id: HOST });
  });

  it('D28: a guest whose own corporation is admitted becomes a member of it at level 0', async () => {
    const id = await makeGuest();
    join(id, OTHER_HOST);
    userTokenOf(await trySignIn(app, { characterId: id }, { dyn }));
    expect(await userRow(app, id)).toMatchObject({ clearance_level: 0, corporation_id: OTHER_HOST });
  });

  it('D28: a guest whom a hand-made group lets in becomes a member at level 0 at the next sign-in', async () => {
    const id = 2_112_000_014;
    await makeGuest(id);
    const group_id = 'c4'.repeat(12);
    await app.db
      .insertInto('groups')
      .values({ group_id, group_name: 'Friends', name_key: 'friends', authorized_to_login: true })
      .execute();
    await app.db.insertInto('group_members').values({ group_id, character_id: id }).execute();
    expect(await userRow(app, id)).toMatchObject({ clearance_level: -1, corporation_id: HOST });
    userTokenOf(await trySignIn(app, { characterId: id }, { dyn }));
    expect(await userRow(app, id)).toMatchObject({ clearance_level: 0, corporation_id: null });
    await app.db.deleteFrom('groups').where('group_id', '=', group_id).execute();
  });

  it('D19: a guest who leads a corporation that is let in now gets the level of its office', async () => {
    const id = 2_112_000_002;
    await makeGuest(id);
    await letIn(app, { alliances: [99_000_002] });
    userTokenOf(await trySignIn(app, { characterId: id }, { dyn }));
    expect(await userRow(app, id)).toMatchObject({ clearance_level: 4, corporation_id: 98_000_002 });
    await app.db.deleteFrom('coalition_alliances').execute();
  });

  it('D28: an invitation is used once', async () => {
    const code = await addInvitation(app, HOST);
    userTokenOf(await signInInvited(2_112_000_069, HOST, code));
    const again = await app.client(dyn).token.startLogin({ body: { state_code: code } });
    expect(again.status).toBe(404);
  });

  it('D28: an invitation is used up only by a success, not by a cancelled or refused sign-in', async () => {
    const code = await addInvitation(app, HOST);
    const { login_url } = await startLogin(app, { dyn, stateCode: code });
    await expectPage(await app.browse(login_url, { cancel: true }), 403, TITLES.cancelled);
    await app.db
      .updateTable('corporations')
      .set({ mandatory_ext_scopes: ['ext-mail.read_mail.v1'] })
      .where('corporation_id', '=', HOST)
      .execute();
    const id = 2_112_000_080;
    await expectPage(await app.browse(login_url, { characterId: id }), 403, TITLES.tooFewScopes);
    const { login_url: better } = await startLogin(app, { dyn, stateCode: code });
    userTokenOf(await app.browse(better, { characterId: id }));
    expect(await userRow(app, id)).toMatchObject({ clearance_level: -1, corporation_id: HOST });
    await app.db.updateTable('corporations').set({ mandatory_ext_scopes: [] }).execute();
  });

  describe('D28: an invitation is judged when the guest is stored:', () => {
    const GROUPING = "select pg_advisory_xact_lock(hashtext('grouping of bodies'))";
    let inviters = 2_119_000_000;

    /** Somebody who may invite to the host, and such an invitation. */
    async function invite() {
      const params = { character_id: ++inviters };
      const by = await callerAt(app, { id: inviters, level: 2, corporation: HOST });
      const { state_code } = await ok(by.corporation.createGuestCode({ params: { corporation_id: HOST } }));
      const demote = () => ok(app.client(app.root).user.update({ params, body: { clearance_level: 0 } }));
      return { state_code, demote };
    }

    it('that of somebody who is demoted while the sign-in waits lets nobody in', async () => {
      const { state_code, demote } = await invite();
      const id = 2_112_000_054;
      // It waits before it locks anybody.
      const registering = "select pg_advisory_xact_lock(hashtext('registering'), ($1::bigint % 256)::int)";
      const signIn = () => signInInvited(id, HOST, state_code);
      await expectPage(await meanwhile(app, registering, [id], signIn, demote), 403, TITLES.notAllowed);
      expect(await userRow(app, id)).toBeUndefined();
    });

    it('from then on a demotion of whoever made it waits until the sign-in is done', async () => {
      const { state_code, demote } = await invite();
      let demotion: Promise<unknown> = Promise.resolve();
      const id = 2_112_000_063;
      const signIn = () => signInInvited(id, HOST, state_code);
      const answer = await meanwhile(app, GROUPING, [], signIn, async (other) => {
        demotion = demote();
        const first = await Promise.race([
          demotion.then(() => 'the demotion'),
          untilWaiting(other, 2).then(() => 'the sign-in'),
        ]);
        expect(first).toBe('the sign-in');
      });
      userTokenOf(answer);
      await demotion;
      expect(await userRow(app, id)).toMatchObject({ clearance_level: -1, corporation_id: HOST });
    });

    it('it makes no guest of somebody who is made an administrator while the sign-in waits', async () => {
      const id = 2_112_000_072;
      await registerOutsider(id, 8);
      const raise = 'update users set clearance_level = 9 where character_id = $1';
      const answer = await meanwhile(app, raise, [id], () => signInInvited(id));
      await expectPage(answer, 403, TITLES.notAllowed);
      expect(await userRow(app, id)).toMatchObject({ clearance_level: 9, corporation_id: OUTSIDE });
    });

    it('it takes no level from somebody whose corporation is let in before that', async () => {
      const id = 2_112_000_060;
      await registerOutsider(id, 4);
      const [holder, next] = [0, 1].map(() => new pg.Client({ connectionString: app.databaseUrl })) as [
        pg.Client,
        pg.Client,
      ];
      try {
        await Promise.all([holder.connect(), next.connect()]);
        await holder.query('begin');
        await holder.query(GROUPING);
        const answer = signInInvited(id);
        await untilBehind(holder, 1);
        // Whoever lets the corporation in comes after the sign-in was refused without the invitation.
        await next.query('begin');
        const letsIn = next.query(GROUPING);
        await untilBehind(holder, 2);
        await holder.query('commit');
        await letsIn;
        await untilBehind(next, 1, answer);
        const { rows } = await next.query('select clearance_level from users where character_id = $1', [id]);
        const coalition = 'b3'.repeat(12);
        await next.query(
          `insert into coalitions (coalition_id, coalition_name, name_key, ticker, authorized_to_login)
          values ('${coalition}', 'Late', 'late', 'L', true)`,
        );
        await next.query('insert into coalition_corporations values ($1, $2)', [coalition, OUTSIDE]);
        await next.query('commit');
        userTokenOf(await answer);
        expect(await userRow(app, id)).toMatchObject(rows[0]);
        await app.db.deleteFrom('coalitions').where('coalition_id', '=', coalition).execute();
      } finally {
        await Promise.all([holder.end(), next.end()]);
      }
    });
  });

  it('D28: an expired invitation has no effect', async () => {
    const code = await addInvitation(app, HOST);
    const { login_url } = await startLogin(app, { dyn, stateCode: code });
    app.clock.advance(24 * 3_600_000);
    expect((await app.client(dyn).token.startLogin({ body: { state_code: code } })).status).toBe(404);
    await expectPage(await app.browse(login_url, { characterId: 2_112_000_089 }), 400, TITLES.badRequest);
  });

  /** Stores a member of {@link OUTSIDE} at a level, as after a time when that corporation was let in. */
  async function registerOutsider(id: number, level: number): Promise<void> {
    const coalition = await letIn(app, { corporations: [OUTSIDE] });
    await app.signIn(id, { dyn });
    await app.db.deleteFrom('coalitions').where('coalition_id', '=', coalition).execute();
    await setLevel(app, id, level);
  }
});
