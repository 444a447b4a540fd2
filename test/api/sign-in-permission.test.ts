import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { nameKey } from '../../server/database/name-key.ts';
import { objectId } from '../../server/database/object-id.ts';
import { letIn, setLevel } from '../fixtures/registry.ts';
import { addCoalition } from '../fixtures/users.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import {
  addInvitation,
  expectPage,
  startLogin,
  TITLES,
  trySignIn,
  userRow,
  userTokenOf,
} from '../harness/sign-in.ts';

const ALLIANCE = 99_000_001;
const CORPORATION = 98_000_004;
const MEMBER = 2_112_000_023;
const EXECUTOR = 98_000_001;
/** A corporation without alliance that invites guests, and a character from elsewhere. */
const HOST = 98_000_011;
const GUEST = 2_112_000_042;

type Vote = boolean | null;

describe('who may log in', () => {
  let app: TestApp;
  let dyn: string;
  let member: string;

  beforeAll(async () => {
    app = await startTestApp();
    dyn = await app.dynamicToken();
    await letIn(app, { alliances: [ALLIANCE], corporations: [CORPORATION, HOST] });
    member = (await app.signIn(MEMBER, { dyn })).token;
  });
  beforeEach(async () => {
    await app.db.deleteFrom('groups').execute();
    await app.db.deleteFrom('coalitions').execute();
    await setLevel(app, MEMBER, 0);
  });
  afterAll(() => app.stop());

  const aCoalition = async (
    organizations: { alliances?: number[]; corporations?: number[] },
    vote: Vote,
  ): Promise<string> => {
    const id = objectId(app.clock.now());
    await addCoalition(app, id, organizations, vote);
    return id;
  };
  const aGroup = async (
    vote: Vote,
    of: {
      members?: number[];
      corporation_id?: number;
      alliance_id?: number;
      coalition_id?: string;
      is_voice?: boolean;
    },
  ): Promise<void> => {
    const { members = [], ...source } = of;
    const group_id = objectId(app.clock.now());
    // Autogroups have the names of their organizations, otherwise a sign-in would rename them.
    const { world } = app.provider;
    const group_name =
      (source.coalition_id && `Coalition ${source.coalition_id}`) ??
      world.corporation(source.corporation_id ?? 0)?.name ??
      world.alliance(source.alliance_id ?? 0)?.name ??
      `Group ${group_id}`;
    await app.db
      .insertInto('groups')
      .values({ group_id, group_name, name_key: nameKey(group_name), authorized_to_login: vote, ...source })
      .execute();
    for (const character_id of members) {
      await app.db.insertInto('group_members').values({ group_id, character_id }).execute();
    }
  };
  const throughAlliance = { alliances: [ALLIANCE] };
  const throughCorporation = { corporations: [CORPORATION] };

  /** The result both for a sign-in (D27) and for a request with a user token (D27b). */
  async function expectAdmitted(admitted: boolean): Promise<void> {
    const { status, body } = await app.client(member).token.current();
    const answer = await trySignIn(app, { characterId: MEMBER }, { dyn });
    if (admitted) {
      expect(userTokenOf(answer)).not.toBe('');
      expect(status).toBe(200);
    } else {
      expectRefusers(await expectPage(answer, 403, TITLES.notAllowed), await bindingRefusers());
      const detail = 'The owner of this token is not allowed to log in.';
      expect([status, body]).toEqual([401, { detail, code: 'login_not_allowed' }]);
    }
  }

  /** The groups and coalitions that can bar a user; they do not bar levels 9 and 10. */
  async function bindingRefusers(): Promise<string[]> {
    if (((await userRow(app, MEMBER))?.clearance_level ?? 0) >= 9) return [];
    const coalitions = await app.db
      .selectFrom('coalitions')
      .select('coalition_name as name')
      .where('authorized_to_login', '=', false)
      .execute();
    const groups = await app.db
      .selectFrom('groups')
      .select('group_name as name')
      .where('authorized_to_login', '=', false)
      .execute();
    return [
      ...coalitions.map(({ name }) => `the coalition <b>${name}</b>`),
      ...groups.map(({ name }) => `the group <b>${name}</b>`),
    ];
  }

  /** D26: the page names the group or coalition that refuses, or says that none admits. */
  function expectRefusers(html: string, refusers: readonly string[]): void {
    expect([...html.matchAll(/<li>(.*?)<\/li>/g)].map(([, text]) => text)).toEqual(refusers);
    expect(html).toContain(
      refusers.length > 0 ? 'may not log in: kept out by' : 'may not log in: let in by no group or coalition',
    );
  }

  const cases: readonly [string, boolean, () => Promise<unknown>][] = [
    ['nobody says anything', false, async () => undefined],
    ['a coalition through the alliance says true', true, () => aCoalition(throughAlliance, true)],
    ['a coalition through the corporation says true', true, () => aCoalition(throughCorporation, true)],
    ['a coalition says null', false, () => aCoalition(throughAlliance, null)],
    ['a coalition says false', false, () => aCoalition(throughAlliance, false)],
    ['a coalition of others says true', false, () => aCoalition({ corporations: [HOST] }, true)],
    ['a hand-made group says true', true, () => aGroup(true, { members: [MEMBER] })],
    ['a hand-made group says null', false, () => aGroup(null, { members: [MEMBER] })],
    ['a hand-made group of others says true', false, () => aGroup(true, { members: [0] })],
    ['the corporation’s autogroup says true', true, () => aGroup(true, { corporation_id: CORPORATION })],
    ['the alliance’s autogroup says true', true, () => aGroup(true, { alliance_id: ALLIANCE })],
    ['another corporation’s autogroup says true', false, () => aGroup(true, { corporation_id: EXECUTOR })],
    [
      'a coalition’s autogroup says true, the coalition null',
      true,
      async () => aGroup(true, { coalition_id: await aCoalition(throughAlliance, null) }),
    ],
    ['the voice autogroup says true', true, () => aGroup(true, { is_voice: true, members: [MEMBER] })],
  ];
  it.each(cases)('D27: %s: admitted %s', async (_, admitted, arrange) => {
    await arrange();
    await expectAdmitted(admitted);
  });

  const refusals: readonly [string, () => Promise<unknown>][] = [
    ['a coalition through the alliance', () => aCoalition(throughAlliance, false)],
    ['a coalition through the corporation', () => aCoalition(throughCorporation, false)],
    ['a hand-made group', () => aGroup(false, { members: [MEMBER] })],
    ['the corporation’s autogroup', () => aGroup(false, { corporation_id: CORPORATION })],
    ['the alliance’s autogroup', () => aGroup(false, { alliance_id: ALLIANCE })],
    [
      'a coalition’s autogroup',
      async () => aGroup(false, { coalition_id: await aCoalition(throughCorporation, null) }),
    ],
    ['the voice autogroup', () => aGroup(false, { is_voice: true, members: [MEMBER] })],
  ];
  describe.each(refusals)('beside a true, %s says false', (_, arrange) => {
    it.each([0, 8])('D27: level %s is refused', async (level) => {
      await aCoalition(throughAlliance, true);
      await arrange();
      await setLevel(app, MEMBER, level);
      await expectAdmitted(false);
    });

    it.each([9, 10])('D27: a false does not bar level %s', async (level) => {
      await aCoalition(throughAlliance, true);
      await arrange();
      await setLevel(app, MEMBER, level);
      await expectAdmitted(true);
    });
  });

  it.each([9, 10])(
    'D27: level %s still needs one true to sign in; its tokens never (D27b)',
    async (level) => {
      await setLevel(app, MEMBER, level);
      for (const vote of [null, false]) {
        await aCoalition(throughAlliance, vote);
        await expectPage(await trySignIn(app, { characterId: MEMBER }, { dyn }), 403, TITLES.notAllowed);
        expect((await app.client(member).token.current()).status).toBe(200);
      }
    },
  );

  it('D27b: a permission that is taken back or given again takes effect at the next request', async () => {
    const coalition = await aCoalition(throughAlliance, true);
    const status = async () => (await app.client(member).token.current()).status;
    const set = (authorized_to_login: Vote) =>
      app.db
        .updateTable('coalitions')
        .set({ authorized_to_login })
        .where('coalition_id', '=', coalition)
        .execute();
    expect(await status()).toBe(200);
    await set(false);
    expect(await status()).toBe(401);
    await set(null);
    expect(await status()).toBe(401);
    await set(true);
    expect(await status()).toBe(200);
  });

  it('D27b: a user that may not log in cannot log out either', async () => {
    const { status } = await app.client(member).token.logout();
    expect(status).toBe(401);
    await aCoalition(throughAlliance, true);
    expect((await app.client(member).token.current()).status).toBe(200);
  });

  describe('guests', () => {
    let guest: string;

    beforeAll(async () => {
      await app.db.deleteFrom('coalitions').execute();
      await app.db.deleteFrom('groups').execute();
      await addCoalition(app, 'a1'.repeat(12), { corporations: [HOST] });
      const { login_url } = await startLogin(app, { dyn, stateCode: await addInvitation(app, HOST) });
      guest = userTokenOf(await app.browse(login_url, { characterId: GUEST }));
    });

    const guestCases: readonly [string, boolean, () => Promise<unknown>][] = [
      ['nobody says anything', false, async () => undefined],
      ['the host’s coalition says true', true, () => aCoalition({ corporations: [HOST] }, true)],
      ['the host’s autogroup says true', true, () => aGroup(true, { corporation_id: HOST })],
      [
        'the guest’s own corporation would say true',
        false,
        () => aCoalition({ corporations: [CORPORATION] }, true),
      ],
      [
        'the host’s coalition says true, a hand-made group false',
        false,
        async () => {
          await aCoalition({ corporations: [HOST] }, true);
          await aGroup(false, { members: [GUEST] });
        },
      ],
      [
        'the host’s coalition says true, its autogroup false',
        false,
        async () => {
          await aCoalition({ corporations: [HOST] }, true);
          await aGroup(false, { corporation_id: HOST });
        },
      ],
    ];
    it.each(guestCases)('D27: %s: a guest’s request is let in %s', async (_, admitted, arrange) => {
      await arrange();
      expect((await app.client(guest).token.logout()).status).toBe(admitted ? 200 : 401);
      if (admitted) guest = userTokenOf(await trySignIn(app, { characterId: GUEST }, { dyn }));
      else {
        const answer = await trySignIn(app, { characterId: GUEST }, { dyn });
        const html = await expectPage(answer, 403, TITLES.notAllowed);
        expectRefusers(html, await bindingRefusers());
        expect(html).toContain(
          `, as a guest of ${app.provider.world.corporation(HOST)?.name}, may not log in`,
        );
      }
    });

    it('D27: a hand-made group’s true does not admit requests of a guest; signing in makes it a member', async () => {
      await aCoalition({ corporations: [HOST] }, true);
      const as = userTokenOf(await trySignIn(app, { characterId: GUEST }, { dyn }));
      await app.db.deleteFrom('coalitions').execute();
      await aGroup(true, { members: [GUEST] });
      expect((await app.client(as).token.logout()).status).toBe(401);
      expect(userTokenOf(await trySignIn(app, { characterId: GUEST }, { dyn }))).not.toBe('');
      expect(await userRow(app, GUEST)).toMatchObject({ clearance_level: 0, corporation_id: 98_000_002 });
    });
  });
});
