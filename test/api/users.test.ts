import type { Stream } from 'node:stream';
import type { Response } from 'express';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ExtScope } from '../../contract/scopes.ts';
import { written } from '../../server/http/written-body.ts';
import { listUsers } from '../../server/user/user.queries.ts';
import { setLevel } from '../fixtures/registry.ts';
import { addCoalition, addHome, addMember, addOrganizations, addUser, HOME } from '../fixtures/users.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';

let app: TestApp;
let caller: Awaited<ReturnType<typeof addMember>>;
let lastId = 7000;

beforeAll(async () => {
  app = await startTestApp();
  await addHome(app);
  caller = await addMember(app, 2_120_000_001);
});
afterAll(() => app.stop());

it('D38: concurrent lists of everybody are one read, and the same bytes', async () => {
  const [one, other] = await Promise.all([listUsers(app.db), listUsers(app.db)]);
  expect(one).toBe(other);
  const sent: unknown[] = [];
  const end = (bytes: unknown) => sent.push(bytes);
  const res = { closed: false, setHeader: () => undefined, end } as unknown as Response;
  (written(res, one) as unknown as Stream).pipe(res);
  expect(sent).toHaveLength(1);
  expect(sent[0]).toBe(one);
});

async function list(): Promise<{ character_id: number; character_name: string }[]> {
  const answer = await app.client(caller.jwt).user.list();
  if (answer.status !== 200) throw new Error(`GET /user answers ${answer.status}`);
  return answer.body;
}

async function get(name: string) {
  const answer = await app.client(caller.jwt).user.get({ params: { character_name: name } });
  if (answer.status !== 200) throw new Error(`GET /user/${name} answers ${answer.status}`);
  return answer.body;
}

async function statementsOf(ask: () => Promise<unknown>): Promise<number> {
  const before = app.statements.length;
  await ask();
  return app.statements.length - before;
}

describe('D9: GET /user', () => {
  it('is ordered by name, ignoring case, then by id; elements are UserShort', async () => {
    const names = [
      'Ähre',
      'zeta',
      'Beta',
      'alpha',
      'ALPHA',
      'Straße',
      'STRASSE',
      'Zeta',
      'a b',
      'Éa',
      'E\u0301a',
    ];
    for (const [index, name] of names.entries()) await addUser(app, { id: 3000 + index, name });
    const found = (await list()).filter(({ character_id: id }) => id >= 3000 && id < 4000);
    expect(found.map(({ character_name }) => character_name)).toEqual([
      'a b',
      'alpha',
      'ALPHA',
      'Beta',
      'Straße',
      'STRASSE',
      'zeta',
      'Zeta',
      'Ähre',
      'Éa',
      'E\u0301a',
    ]);
    expect(Object.keys(found[0] ?? {}).sort()).toEqual(['character_id', 'character_name']);
  });

  it('holds the built-in user as (built-in), and no guests', async () => {
    await addUser(app, { id: 4001, level: -1, corporation: HOME.corporation, name: 'A guest' });
    const users = await list();
    expect(users).toContainEqual({ character_id: 0, character_name: '(built-in)' });
    expect(users.map(({ character_id: id }) => id)).not.toContain(4001);
  });

  it('costs at most two statements, however many users there are', async () => {
    await statementsOf(list);
    expect(await statementsOf(list)).toBeLessThanOrEqual(2);
    for (let id = 5000; id < 5100; id += 1) await addUser(app, { id });
    expect(await statementsOf(list)).toBeLessThanOrEqual(2);
    expect((await list()).length).toBeGreaterThan(100);
  });
});

describe('GET /user/{character_name}', () => {
  it('D38: corporation as text, coalitions by id, scopes of all of them, ticker of the alliance', async () => {
    await addOrganizations(app, [{ alliance: 99_200_001, corporations: [98_200_001] }]);
    await addCoalition(app, 'b1'.repeat(12), { alliances: [99_200_001] });
    await addCoalition(app, 'a1'.repeat(12), { corporations: [98_200_001] });
    await addCoalition(app, 'd1'.repeat(12), { alliances: [HOME.alliance] });
    const requires = (...scopes: ExtScope[]) => ({ mandatory_ext_scopes: scopes });
    await app.db
      .updateTable('corporations')
      .set(requires('publicData', 'ext-wallet.read_character_wallet.v1'))
      .where('corporation_id', '=', 98_200_001)
      .execute();
    await app.db
      .updateTable('alliances')
      .set(requires('ext-mail.read_mail.v1', 'publicData'))
      .where('alliance_id', '=', 99_200_001)
      .execute();
    for (const [digits, scope] of [
      ['b1', 'ext-skills.read_skills.v1'],
      ['a1', 'ext-location.read_location.v1'],
      ['d1', 'ext-location.read_online.v1'],
    ] as const) {
      const coalitions = app.db.updateTable('coalitions').set(requires(scope));
      await coalitions.where('coalition_id', '=', digits.repeat(12)).execute();
    }
    await addUser(app, { id: 6001, name: 'Ada Vale', level: 3, corporation: 98_200_001 });
    expect(await get('Ada Vale')).toEqual({
      alliance: 99_200_001,
      available_ext_scopes: [],
      character_id: 6001,
      character_name: 'Ada Vale',
      clearance_level: 3,
      coalitions: ['a1'.repeat(12), 'b1'.repeat(12)],
      corporation: '98200001',
      created_on: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      cumulated_mandatory_ext_scopes: [
        'ext-location.read_location.v1',
        'ext-mail.read_mail.v1',
        'ext-skills.read_skills.v1',
        'ext-wallet.read_character_wallet.v1',
        'publicData',
      ],
      is_ceo_of_alliance: false,
      is_ceo_of_corporation: false,
      tickered_name: '[A1] Ada Vale',
      updated_on: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
  });

  it('D38: without an alliance the ticker of the corporation, without a corporation the bare name', async () => {
    await addOrganizations(app, [{ corporations: [98_200_002] }]);
    await addUser(app, { id: 6002, name: 'Lone', corporation: 98_200_002 });
    await addUser(app, { id: 6003, name: 'Free' });
    expect(await get('Lone')).toMatchObject({ tickered_name: '[C2] Lone', alliance: null, coalitions: [] });
    expect(await get('Free')).toMatchObject({
      tickered_name: 'Free',
      corporation: null,
      alliance: null,
      coalitions: [],
      cumulated_mandatory_ext_scopes: [],
    });
  });

  it('the CEO of a corporation, and the CEO of the executor of an alliance', async () => {
    await addOrganizations(app, [{ alliance: 99_200_003, corporations: [98_200_003, 98_200_004] }]);
    await addUser(app, { id: 98_200_003, name: 'Executor', corporation: 98_200_003 });
    await addUser(app, { id: 98_200_004, name: 'Chief', corporation: 98_200_004 });
    expect(await get('Executor')).toMatchObject({ is_ceo_of_corporation: true, is_ceo_of_alliance: true });
    expect(await get('Chief')).toMatchObject({ is_ceo_of_corporation: true, is_ceo_of_alliance: false });
    expect(await get(caller.name)).toMatchObject({ is_ceo_of_corporation: false, is_ceo_of_alliance: false });
  });

  it('D38: names are matched exactly', async () => {
    await addUser(app, { id: 6004, name: 'Exact Name' });
    for (const name of ['exact name', 'Exact Name ', ' Exact Name', 'Exact', 'Exact%', '%']) {
      expect(await app.client(caller.jwt).user.get({ params: { character_name: name } })).toMatchObject({
        status: 404,
        body: { detail: `Could not find user ${name}`, code: 'not_found' },
      });
    }
  });

  it.each(['a/b', '100%', 'a?b#c', '..a', "O'Brien", '日本', '(built-in)', '-', 'current'])(
    'the name %j is found, whatever is in it',
    async (name) => {
      if (name !== '(built-in)') await addUser(app, { id: ++lastId, name });
      expect(await get(name)).toMatchObject({ character_name: name });
    },
  );

  it('D38: of two users with one name the one seen last is found', async () => {
    await addUser(app, { id: 6005, name: 'Twin' });
    await addUser(app, { id: 6006, name: 'Twin' });
    const seen = (id: number, at: number) =>
      app.db
        .updateTable('users')
        .set({ seen_on: new Date(at) })
        .where('character_id', '=', id)
        .execute();
    await seen(6005, 2_000);
    await seen(6006, 1_000);
    expect(await get('Twin')).toMatchObject({ character_id: 6005 });
    await seen(6006, 3_000);
    expect(await get('Twin')).toMatchObject({ character_id: 6006 });
  });

  it('a guest is found by name: level -1, the host as its corporation (D28)', async () => {
    await addUser(app, { id: 6007, name: 'Known guest', level: -1, corporation: HOME.corporation });
    expect(await get('Known guest')).toMatchObject({
      clearance_level: -1,
      corporation: String(HOME.corporation),
      is_ceo_of_corporation: false,
    });
  });

  it('costs at most two statements', async () => {
    const ask = () => get(caller.name);
    await ask();
    expect(await statementsOf(ask)).toBeLessThanOrEqual(2);
  });

  it('D15: needs level 0', async () => {
    const guest = await addMember(app, 2_120_000_002);
    await setLevel(app, guest.id, -1);
    const { user } = app.client(guest.jwt);
    expect((await user.get({ params: { character_name: 'Ada Vale' } })).status).toBe(403);
    expect((await user.list()).status).toBe(403);
  });
});
