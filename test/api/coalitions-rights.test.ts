import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Coalition, ok } from '../../sdk/src/index.ts';
import { setLevel } from '../fixtures/registry.ts';
import { addOrganizations, addUser, makeToken, uuidOf } from '../fixtures/users.ts';
import { type Client, startTestApp, type TestApp } from '../harness/app.ts';
import { callerAt } from '../harness/caller.ts';
import { INSUFFICIENT, needs, noAuthority } from '../harness/refusals.ts';

/** The caller's own alliance and corporations, others allied by a coalition, and strangers. */
const OWN = { alliance: 99_300_001, corporation: 98_300_001, sister: 98_300_006 };
const ALLIED = { alliance: 99_300_002, corporation: 98_300_002, lone: 98_300_003 };
const STRANGE = { alliance: 99_300_003, corporation: 98_300_004, lone: 98_300_005 };
const UNKNOWN = '0123456789abcdef01234567';
const FORBIDDEN = { status: 403, body: { detail: INSUFFICIENT } };

let app: TestApp;
let root: Client;
let number = 0;
const made: Coalition[] = [];

beforeAll(async () => {
  app = await startTestApp();
  root = app.client(app.root);
  await addOrganizations(app, [
    { alliance: OWN.alliance, corporations: [OWN.corporation, OWN.sister] },
    { alliance: ALLIED.alliance, corporations: [ALLIED.corporation] },
    { corporations: [ALLIED.lone] },
    { alliance: STRANGE.alliance, corporations: [STRANGE.corporation] },
    { corporations: [STRANGE.lone] },
  ]);
  await make({
    member_alliances: [OWN.alliance, ALLIED.alliance],
    member_corporations: [ALLIED.lone],
  });
  made.length = 0;
});
/** Coalitions reduce distances, so each test starts with only the shared one. */
afterEach(async () => {
  for (const params of made.splice(0)) await ok(root.coalition.delete({ params }));
});
afterAll(() => app.stop());

type Body = NonNullable<Parameters<Client['coalition']['update']>[0]['body']>;

async function make(members: Body = {}): Promise<Coalition> {
  const body = { coalition_name: `Coalition ${++number}`, ticker: 'TICK' };
  const coalition = await ok(put(root, await ok(root.coalition.create({ body })), members));
  made.push(coalition);
  return coalition;
}

function put(client: Client, { coalition_id }: { coalition_id: string }, body: Body) {
  return client.coalition.update({ params: { coalition_id }, body });
}

/** A member of OWN at this level. */
function member(level: number): Promise<Client> {
  return callerAt(app, { id: 4000 + ++number, level, corporation: OWN.corporation });
}

const refused = (detail: string) => ({ status: 403, body: { detail } });
/** Changes that add the caller's own organization, which is needed below level 8. */
const INSIDE = { member_corporations: [OWN.corporation] };

describe("D14: below level 8 the caller's own corporation or alliance is a member already", () => {
  const updates: [string, Body][] = [
    ['nothing at all', {}],
    ['the ticker', { ticker: 'NEW' }],
    ['the required scopes', { mandatory_ext_scopes: ['publicData'] }],
    ['the own corporation as a member', { add_member_corporations: [OWN.corporation] }],
    ['the own alliance as a member', { add_member_alliances: [OWN.alliance] }],
    ['the own alliance as the only member', { member_alliances: [OWN.alliance] }],
    [
      'the own alliance for the strangers',
      {
        add_member_alliances: [OWN.alliance],
        remove_member_alliances: [STRANGE.alliance],
      },
    ],
    ['an allied corporation', { add_member_corporations: [ALLIED.lone] }],
    ['members that are none', { remove_member_corporations: [OWN.corporation] }],
    ['what does not exist', { add_member_alliances: [1] }],
  ];
  it.each(updates)('a stranger sets %s: refused, whatever it is', async (_, body) => {
    for (const members of [
      {},
      { member_alliances: [STRANGE.alliance], member_corporations: [ALLIED.lone] },
    ]) {
      const coalition = await make(members);
      for (const level of [6, 7]) {
        const detail = noAuthority('write', `coalition ${coalition.coalition_id}`);
        expect(await put(await member(level), coalition, body)).toMatchObject(refused(detail));
      }
      expect(await ok(root.coalition.get({ params: coalition }))).toEqual(coalition);
    }
  });

  it.each<[string, Body, boolean]>([
    ['the own corporation', { member_corporations: [OWN.corporation] }, true],
    ['the own alliance', { member_alliances: [OWN.alliance] }, true],
    ['a sister corporation alone', { member_corporations: [OWN.sister] }, false],
    ['an allied alliance', { member_alliances: [ALLIED.alliance] }, false],
    ['nobody', {}, false],
  ])('where the member is %s', async (_, members, allowed) => {
    const coalition = await make(members);
    for (const level of [6, 7]) {
      const answer = await put(await member(level), coalition, { ticker: `T${level}` });
      expect(answer).toMatchObject(allowed ? { status: 200, body: { ticker: `T${level}` } } : FORBIDDEN);
    }
  });

  it('level 8 changes every coalition', async () => {
    const coalition = await make({ member_alliances: [STRANGE.alliance] });
    const body = { member_alliances: [OWN.alliance], ticker: 'NEW' };
    expect(await put(await member(8), coalition, body)).toMatchObject({
      status: 200,
      body: { ticker: 'NEW' },
    });
  });

  it('a caller who removed the own organization cannot add it again', async () => {
    const coalition = await make({ ...INSIDE, member_alliances: [ALLIED.alliance] });
    const six = await member(6);
    expect((await put(six, coalition, { remove_member_corporations: [OWN.corporation] })).status).toBe(200);
    expect(await put(six, coalition, INSIDE)).toMatchObject(FORBIDDEN);
  });

  it('the built-in user has no organization, so its user token at level 6 or 7 changes no coalition (D23)', async () => {
    const id = 4000 + ++number;
    const per = await callerAt(app, { id, level: 7, corporation: OWN.corporation });
    const { user_token } = await ok(per.token.createUserToken());
    const coalition = await make(INSIDE);
    expect(await put(app.client(user_token), coalition, { ticker: 'NEW' })).toMatchObject(FORBIDDEN);
    expect((await put(per, coalition, { ticker: 'NEW' })).status).toBe(200);
  });

  it('a coalition that does not exist is a 404, from the listed level on', async () => {
    const params = { coalition_id: UNKNOWN };
    expect(await put(await member(6), params, {})).toMatchObject({
      status: 404,
      body: { detail: `Could not find coalition ${UNKNOWN}` },
    });
    expect(await put(await member(5), params, {})).toMatchObject(refused(needs(6, 5)));
  });
});

describe('D14: an alliance or corporation that is added or removed needs write authority over it besides', () => {
  it.each<[string, Body, number, string?]>([
    ['the own alliance', { add_member_alliances: [OWN.alliance] }, 6],
    ['a corporation of the own alliance', { add_member_corporations: [OWN.sister] }, 6],
    ['an allied alliance', { add_member_alliances: [ALLIED.alliance] }, 6],
    ['a corporation of an allied alliance', { add_member_corporations: [ALLIED.corporation] }, 6],
    ['a corporation allied directly', { add_member_corporations: [ALLIED.lone] }, 6],
    ['a strange alliance', { add_member_alliances: [STRANGE.alliance] }, 8, `alliance ${STRANGE.alliance}`],
    ['a strange corporation', { add_member_corporations: [STRANGE.lone] }, 8, `corporation ${STRANGE.lone}`],
    [
      'a full list with strangers in it',
      {
        member_alliances: [OWN.alliance, STRANGE.alliance],
        member_corporations: [OWN.corporation, STRANGE.lone],
      },
      8,
      `alliance ${STRANGE.alliance}, corporation ${STRANGE.lone}`,
    ],
  ])('adding %s', async (_, body, least, over) => {
    for (const level of [6, 7, 8]) {
      const coalition = await make(INSIDE);
      const answer = await put(await member(level), coalition, { ...body, ticker: 'NEW' });
      if (level >= least) expect(answer).toMatchObject({ status: 200, body: { ticker: 'NEW' } });
      else {
        expect(answer).toMatchObject(refused(noAuthority('write', over ?? '')));
        expect(await ok(root.coalition.get({ params: coalition }))).toEqual(coalition);
      }
    }
  });

  it.each<[string, Body, number]>([
    ['what is far from everybody but the members', { remove_member_alliances: [STRANGE.alliance] }, 6],
    ['members that a full list leaves out', { member_alliances: [] }, 6],
    ['the own corporation', { remove_member_corporations: [OWN.corporation] }, 6],
  ])('removing %s: who is a member is near to every other one', async (_, body, least) => {
    for (const level of [least, 8]) {
      const coalition = await make({ ...INSIDE, member_alliances: [STRANGE.alliance] });
      expect((await put(await member(level), coalition, body)).status).toBe(200);
    }
  });

  it('is not needed for those that stay as they are', async () => {
    const coalition = await make(INSIDE);
    const six = await member(6);
    for (const body of [
      { add_member_alliances: [STRANGE.alliance], remove_member_alliances: [STRANGE.alliance] },
      { member_corporations: [OWN.corporation], remove_member_alliances: [STRANGE.alliance] },
      { ticker: 'NEW', mandatory_ext_scopes: ['publicData' as const] },
    ]) {
      expect(await put(six, coalition, body)).toMatchObject({ status: 200, body: { member_alliances: [] } });
    }
  });

  it('is checked after existence: an unknown one is a 404 nevertheless (D6)', async () => {
    const coalition = await make(INSIDE);
    const answer = await put(await member(6), coalition, { add_member_alliances: [STRANGE.alliance, 1] });
    expect(answer).toMatchObject({ status: 404, body: { detail: 'Could not find alliance 1' } });
  });

  it('needs one statement for all of them', async () => {
    const six = await member(6);
    const count = async (body: Body) => {
      const coalition = await make(INSIDE);
      const before = app.statements.length;
      expect((await put(six, coalition, body)).status).toBe(200);
      return app.statements.length - before;
    };
    const own = [OWN.corporation];
    const one = await count({ member_alliances: [OWN.alliance], add_member_corporations: [OWN.sister] });
    const more = await count({
      member_alliances: [OWN.alliance, ALLIED.alliance],
      member_corporations: [...own, ALLIED.lone, ALLIED.corporation],
    });
    expect(more).toBe(one);
  });
});

describe('D14: below level 9 a coalition that bars its members cannot lose or gain any', () => {
  /** Two ways to bar the members of a coalition from logging in. */
  const bars = {
    coalition: async (coalition: Coalition) => {
      await ok(put(root, coalition, { authorized_to_login: false }));
    },
    autogroup: async ({ coalition_id, coalition_name }: Coalition) => {
      const groups = await ok(root.group.list());
      const group = groups.find(({ group_name }) => group_name === coalition_name);
      if (group === undefined) throw new Error(`${coalition_id} has no autogroup`);
      await ok(root.group.update({ params: group, body: { authorized_to_login: false } }));
    },
  };

  it.each(['coalition', 'autogroup'] as const)('said by the %s', async (by) => {
    const coalition = await make({ member_alliances: [ALLIED.alliance] });
    // Its first member creates the autogroup.
    await addUser(app, { id: 4000 + ++number, corporation: ALLIED.lone });
    await ok(put(root, coalition, { add_member_corporations: [ALLIED.lone] }));
    await bars[by](coalition);
    const before = await ok(root.coalition.get({ params: coalition }));
    const [eight, nine] = [await member(8), await member(9)];
    const what = 'adding or removing members of a coalition whose authorized_to_login is false';
    for (const body of [
      { remove_member_corporations: [ALLIED.lone] },
      { add_member_corporations: [OWN.sister] },
      { member_corporations: [] },
      { member_alliances: [OWN.alliance, ALLIED.alliance] },
    ]) {
      expect(await put(eight, coalition, { ...body, ticker: 'NEW' })).toMatchObject(
        refused(needs(9, 8, what)),
      );
    }
    expect(await ok(root.coalition.get({ params: coalition }))).toEqual(before);
    // Changes other than of members are still allowed.
    const same = { add_member_corporations: [ALLIED.lone], ticker: 'SAME' };
    expect(await put(eight, coalition, same)).toMatchObject({ status: 200, body: { ticker: 'SAME' } });
    expect((await put(nine, coalition, { remove_member_corporations: [ALLIED.lone] })).status).toBe(200);
  });

  it('below level 9 the tokens of its own members are refused (D27b)', async () => {
    const coalition = await make(INSIDE);
    const six = await member(6);
    await bars.coalition(coalition);
    expect((await put(six, coalition, { remove_member_corporations: [OWN.corporation] })).status).toBe(401);
  });

  it.each([true, null])('if it is %s, level 6 may', async (authorized_to_login) => {
    const coalition = await make(INSIDE);
    await app.db
      .updateTable('coalitions')
      .set({ authorized_to_login })
      .where('coalition_id', '=', coalition.coalition_id)
      .execute();
    const body = { add_member_corporations: [OWN.sister] };
    expect((await put(await member(6), coalition, body)).status).toBe(200);
  });
});

describe('D15: setting authorized_to_login needs level 9', () => {
  it.each([true, false])(
    'to %s, whatever it is now; a missing coalition stays unseen (D6)',
    async (value) => {
      const coalition = await make(INSIDE);
      const eight = await member(8);
      for (const one of [coalition, { coalition_id: UNKNOWN }]) {
        const answer = await put(eight, one, { authorized_to_login: value });
        expect(answer).toMatchObject(refused(needs(9, 8, 'setting authorized_to_login')));
      }
      expect(await put(eight, coalition, { authorized_to_login: null, ticker: 'NEW' })).toMatchObject({
        status: 200,
      });
      const nine = await put(await member(9), coalition, { authorized_to_login: value });
      expect(nine).toMatchObject({ status: 200, body: { authorized_to_login: value } });
    },
  );
});

describe('D14: coalition tracking', () => {
  const track = (client: Client, { coalition_id }: Coalition) =>
    client.coalition.tracking({ params: { coalition_id } });

  it.each<[string, Body, number]>([
    ['the own corporation is a member', { member_corporations: [OWN.corporation] }, 5],
    ['the own alliance is a member', { member_alliances: [OWN.alliance] }, 5],
    [
      'only others are members',
      { member_alliances: [ALLIED.alliance], member_corporations: [OWN.sister] },
      7,
    ],
    ['nobody is a member', {}, 7],
  ])('where %s', async (_, members, least) => {
    const coalition = await make(members);
    for (const level of [4, 5, 6, 7, 8]) {
      const answer = await track(await member(level), coalition);
      if (level >= least) expect(answer.status, `level ${level}`).toBe(200);
      else {
        const detail =
          level < 5 ? needs(5, level) : noAuthority('read', `coalition ${coalition.coalition_id}`);
        expect(answer, `level ${level}`).toMatchObject(refused(detail));
      }
    }
  });
});

describe('D23: the level of the token counts', () => {
  it('so the level of a user token of the built-in user falls with that of its sponsor', async () => {
    await addUser(app, { id: 4900, level: 10, corporation: OWN.corporation });
    const { jwt } = await makeToken(app, 'per', 4900, uuidOf(app.root));
    const { user_token } = await ok(app.client(jwt).token.createUserToken());
    const client = app.client(user_token);
    const coalition = await make();
    expect((await put(client, coalition, { authorized_to_login: true })).status).toBe(200);
    await setLevel(app, 4900, 8);
    expect((await put(client, coalition, { authorized_to_login: true })).status).toBe(403);
    expect((await put(client, coalition, { add_member_alliances: [STRANGE.alliance] })).status).toBe(200);
    await setLevel(app, 4900, 7);
    expect((await put(client, coalition, { remove_member_alliances: [STRANGE.alliance] })).status).toBe(403);
  });
});

describe('D6: the level is checked before any record is read', () => {
  it.each([
    ['list', 0],
    ['get', 0],
    ['tracking', 5],
    ['update', 6],
    ['create', 9],
    ['delete', 9],
  ] as const)('%s needs level %i', async (name, level) => {
    const coalition = await make(INSIDE);
    const call = (client: Client, coalition_id: string): Promise<{ status: number; body: unknown }> => {
      if (name === 'create') {
        return client.coalition.create({ body: { coalition_name: `Made ${++number}`, ticker: 'X' } });
      }
      return name === 'list'
        ? client.coalition.list()
        : client.coalition[name as 'get']({ params: { coalition_id } });
    };
    const below = await member(level - 1);
    for (const id of [coalition.coalition_id, UNKNOWN])
      expect(await call(below, id)).toMatchObject(refused(needs(level, level - 1)));
    const { status } = await call(await member(level), coalition.coalition_id);
    expect(status).toBe(name === 'create' ? 201 : 200);
    if (name === 'delete') made.length = 0;
  });
});
