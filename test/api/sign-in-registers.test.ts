import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { nameKey } from '../../server/database/name-key.ts';
import { letIn, setLevel } from '../fixtures/registry.ts';
import { addUser } from '../fixtures/users.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { forgetProvider } from '../harness/provider.ts';
import { trySignIn, userRow, userTokenOf } from '../harness/sign-in.ts';

const ALLIANCE = 99_000_001;
const EXECUTOR = 98_000_001;
const EXECUTOR_CEO = 2_112_000_001;
/** A corporation of the alliance that is registered by the first sign-in of a member. */
const CORPORATION = 98_000_004;
const CEO = 2_112_000_004;
const FIRST = 2_112_000_023;
const SECOND = 2_112_000_032;
/** A corporation without alliance that is let in. */
const LONELY = 98_000_011;

describe('what a sign-in registers', () => {
  let app: TestApp;
  let dyn: string;
  let coalition: string;

  beforeAll(async () => {
    app = await startTestApp();
    dyn = await app.dynamicToken();
    coalition = await letIn(app, { alliances: [ALLIANCE], corporations: [LONELY, 98_000_012] });
  });
  beforeEach(async () => {
    app.provider.reset();
    await forgetProvider(app);
  });
  afterAll(() => app.stop());

  const signIn = async (characterId: number) => {
    userTokenOf(await trySignIn(app, { characterId }, { dyn }));
    return userRow(app, characterId);
  };
  const asked = () =>
    app.provider.requests.filter(({ area }) => area === 'api').map(({ path }) => path.replace('/api', ''));
  const corporationRow = (id: number) =>
    app.db.selectFrom('corporations').selectAll().where('corporation_id', '=', id).executeTakeFirst();
  const corporationOf = (id: number) => app.provider.world.corporation(id);

  it('D39: the first sign-in registers the corporation, its CEO, its alliance and its executor, in five requests', async () => {
    await app.db.updateTable('alliances').set({ alliance_name: 'Outdated', ticker: 'OLD' }).execute();
    expect(await corporationRow(CORPORATION)).toBeUndefined();
    expect(await signIn(FIRST)).toMatchObject({ clearance_level: 0, corporation_id: CORPORATION });
    expect(asked().sort()).toEqual([
      `/alliances/${ALLIANCE}`,
      '/characters/affiliation',
      `/corporations/${EXECUTOR}`,
      `/corporations/${CORPORATION}`,
      '/universe/names',
    ]);
    expect(await corporationRow(CORPORATION)).toMatchObject({
      corporation_name: corporationOf(CORPORATION)?.name,
      ticker: corporationOf(CORPORATION)?.ticker,
      alliance_id: ALLIANCE,
      ceo_id: CEO,
      ceo_name: app.provider.world.character(CEO)?.name,
    });
    const alliance = await app.db
      .selectFrom('alliances')
      .selectAll()
      .where('alliance_id', '=', ALLIANCE)
      .executeTakeFirst();
    expect(alliance).toMatchObject({
      alliance_name: app.provider.world.alliance(ALLIANCE)?.name,
      executor_corporation_id: EXECUTOR,
    });
    expect(await userRow(app, CEO)).toMatchObject({ corporation_id: CORPORATION, signed_in_on: null });
  });

  it('D19: CEOs that are registered with it get level 2, those of an alliance’s executor level 4', async () => {
    expect(await userRow(app, CEO)).toMatchObject({ clearance_level: 2 });
    expect(await userRow(app, EXECUTOR_CEO)).toMatchObject({ clearance_level: 4, corporation_id: EXECUTOR });
  });

  it('D39: a sign-in from a registered corporation costs one request, even the first of a character', async () => {
    await signIn(SECOND);
    expect(asked()).toEqual(['/characters/affiliation']);
    app.provider.reset();
    await signIn(FIRST);
    expect(asked()).toEqual(['/characters/affiliation']);
  });

  it('D33: requests contain the application’s name and the compatibility date', () => {
    for (const { userAgent, compatibilityDate } of app.provider.requests.filter(
      ({ area }) => area === 'api',
    )) {
      expect(userAgent).toMatch(/^castellan\//);
      expect(compatibilityDate).toMatch(/^\d{4}-\d\d-\d\d$/);
    }
  });

  it('D38: the user record has corporation, alliance, coalitions, cumulated scopes and the name with ticker', async () => {
    await app.db
      .updateTable('corporations')
      .set({ mandatory_ext_scopes: ['publicData'] })
      .where('corporation_id', '=', CORPORATION)
      .execute();
    await app.db
      .updateTable('alliances')
      .set({ mandatory_ext_scopes: ['ext-mail.read_mail.v1', 'publicData'] })
      .where('alliance_id', '=', ALLIANCE)
      .execute();
    const { user } = await app.signIn(FIRST, { dyn, scopes: ['publicData', 'ext-mail.read_mail.v1'] });
    const { name = '' } = app.provider.world.character(FIRST) ?? {};
    expect(user).toEqual({
      character_id: FIRST,
      character_name: name,
      clearance_level: 0,
      corporation: String(CORPORATION),
      alliance: ALLIANCE,
      coalitions: [coalition],
      available_ext_scopes: ['ext-mail.read_mail.v1', 'publicData'],
      cumulated_mandatory_ext_scopes: ['ext-mail.read_mail.v1', 'publicData'],
      is_ceo_of_corporation: false,
      is_ceo_of_alliance: false,
      tickered_name: `[${app.provider.world.alliance(ALLIANCE)?.ticker}] ${name}`,
      created_on: expect.stringMatching(/Z$/),
      updated_on: expect.stringMatching(/Z$/),
    });
    await app.db.updateTable('corporations').set({ mandatory_ext_scopes: [] }).execute();
    await app.db.updateTable('alliances').set({ mandatory_ext_scopes: [] }).execute();
  });

  it('D38: CEOs are marked, and without an alliance the corporation’s ticker is shown', async () => {
    const { user } = await app.signIn(2_112_000_011, { dyn });
    expect(user).toMatchObject({
      is_ceo_of_corporation: true,
      is_ceo_of_alliance: false,
      clearance_level: 2,
      alliance: null,
    });
    expect(user.tickered_name).toBe(`[${corporationOf(LONELY)?.ticker}] ${user.character_name}`);
    const executor = await app.signIn(EXECUTOR_CEO, { dyn });
    expect(executor.user).toMatchObject({
      is_ceo_of_corporation: true,
      is_ceo_of_alliance: true,
      clearance_level: 4,
    });
  });

  it('D38: a new name is stored', async () => {
    app.provider.world.renameCharacter(SECOND, 'Nova Renamed');
    expect(await signIn(SECOND)).toMatchObject({ character_name: 'Nova Renamed', name_key: 'nova renamed' });
  });

  it('D11: in a corporation of the game itself the corporation is null', async () => {
    const npc = 2_112_000_013;
    await letInByName(npc);
    expect(await signIn(npc)).toMatchObject({ corporation_id: null, clearance_level: 0 });
    expect(asked()).toEqual(['/characters/affiliation']);
  });

  it('D39: a closed corporation is not registered; one that closed later keeps its last known data', async () => {
    const { world } = app.provider;
    world.closeCorporation(98_000_010);
    world.moveCharacter(2_112_000_025, 98_000_010);
    await letInByName(2_112_000_025);
    expect(await signIn(2_112_000_025)).toMatchObject({ corporation_id: null });
    expect(await corporationRow(98_000_010)).toBeUndefined();
    const before = await corporationRow(98_000_012);
    world.closeCorporation(98_000_012);
    world.moveCharacter(2_112_000_029, 98_000_012);
    expect(await signIn(2_112_000_029)).toMatchObject({ corporation_id: 98_000_012 });
    expect(await corporationRow(98_000_012)).toEqual(before);
  });

  it('provider.md §2: an affiliation with a deleted character’s graveyard counts as no corporation', async () => {
    const { world } = app.provider;
    await letInByName(2_112_000_068);
    world.moveCharacter(2_112_000_068, 1_000_001);
    expect(await signIn(2_112_000_068)).toMatchObject({ corporation_id: null });
  });

  describe('D19: levels follow membership', () => {
    const mover = 2_112_000_049;

    it.each([
      [1, 0],
      [8, 0],
      [9, 9],
      [10, 10],
    ])('level %s becomes %s when the character moved', async (level, after) => {
      await signIn(mover);
      await setLevel(app, mover, level);
      const from = (await userRow(app, mover))?.corporation_id;
      app.provider.world.moveCharacter(mover, from === LONELY ? CORPORATION : LONELY);
      expect(await signIn(mover)).toMatchObject({ clearance_level: after });
    });

    it('and stay without a move', async () => {
      await setLevel(app, FIRST, 7);
      expect(await signIn(FIRST)).toMatchObject({ clearance_level: 7 });
    });

    it('when a corporation changes its alliance, its members lose levels 3 to 8, keep 1, 2, 9 and 10, and its offices are judged again', async () => {
      const levels = new Map([
        [FIRST, 3],
        [SECOND, 8],
        [2_112_000_034, 2],
        [2_112_000_048, 9],
        [2_112_000_050, 10],
      ]);
      for (const [id, level] of levels) {
        if ((await userRow(app, id)) === undefined) await addUser(app, { id, corporation: CORPORATION });
        await setLevel(app, id, level);
      }
      app.provider.world.setCeo(CORPORATION, SECOND);
      app.provider.world.moveCorporation(CORPORATION, 99_000_002);
      await app.db
        .insertInto('coalition_corporations')
        .values({ coalition_id: coalition, corporation_id: CORPORATION })
        .execute();
      await signIn(FIRST);
      expect(asked()).toHaveLength(5);
      const found = await app.db
        .selectFrom('users')
        .select(['character_id', 'clearance_level'])
        .where('character_id', 'in', [...levels.keys(), CEO])
        .execute();
      expect(new Map(found.map((row) => [row.character_id, row.clearance_level]))).toEqual(
        new Map([
          [FIRST, 0],
          [SECOND, 2],
          [2_112_000_034, 2],
          [2_112_000_048, 9],
          [2_112_000_050, 10],
          [CEO, 0],
        ]),
      );
      expect(await corporationRow(CORPORATION)).toMatchObject({ alliance_id: 99_000_002, ceo_id: SECOND });
      expect(await userRow(app, 2_112_000_002)).toMatchObject({ clearance_level: 4 });
    });

    it('a corporation that left its alliance has none', async () => {
      app.provider.world.moveCorporation(CORPORATION, null);
      await signIn(FIRST);
      expect(asked()).toHaveLength(3);
      expect(await corporationRow(CORPORATION)).toMatchObject({ alliance_id: null });
    });
  });

  /** Lets a user in by a group, for users whose corporation cannot be let in. */
  async function letInByName(id: number): Promise<void> {
    const character_name = await addUser(app, { id });
    const group_id = id.toString(16).padStart(24, '0');
    await app.db
      .insertInto('groups')
      .values({
        group_id,
        group_name: `In ${character_name}`,
        name_key: nameKey(`In ${character_name}`),
        authorized_to_login: true,
      })
      .execute();
    await app.db.insertInto('group_members').values({ group_id, character_id: id }).execute();
  }
});
