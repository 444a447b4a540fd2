import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Coalition, ok } from '../../sdk/src/index.ts';
import { type Client, startTestApp, type TestApp } from '../harness/app.ts';
import { callerAt } from '../harness/caller.ts';
import { addBodies, addUser, makeToken, uuidOf } from '../harness/people.ts';
import { setLevel } from '../harness/registry.ts';

/** The caller's own alliance and corporation, one allied by a coalition, and strangers. */
const OWN = { alliance: 99_300_001, corporation: 98_300_001 };
const ALLIED = { alliance: 99_300_002, corporation: 98_300_002, lone: 98_300_003 };
const STRANGE = { alliance: 99_300_003, corporation: 98_300_004, lone: 98_300_005 };
const UNKNOWN = '0123456789abcdef01234567';
const FORBIDDEN = { status: 403, body: { detail: 'Insufficient clearance level' } };

let app: TestApp;
let root: Client;
let number = 0;
const made: Coalition[] = [];

beforeAll(async () => {
  app = await startTestApp();
  root = app.client(app.root);
  await addBodies(app, [
    { alliance: OWN.alliance, corporations: [OWN.corporation] },
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
/** Coalitions make neighbours, so each test starts with the shared one alone. */
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

describe('D14: an alliance or corporation that is added or removed needs write authority over it', () => {
  it.each<[string, Body, number]>([
    ['the own alliance', { add_member_alliances: [OWN.alliance] }, 6],
    ['the own corporation', { add_member_corporations: [OWN.corporation] }, 6],
    ['an allied alliance', { add_member_alliances: [ALLIED.alliance] }, 6],
    ['a corporation of an allied alliance', { member_corporations: [ALLIED.corporation] }, 6],
    ['a corporation allied directly', { add_member_corporations: [ALLIED.lone] }, 6],
    ['a strange alliance', { add_member_alliances: [STRANGE.alliance] }, 8],
    ['a strange corporation', { add_member_corporations: [STRANGE.lone] }, 8],
    ['a full list with a stranger in it', { member_alliances: [OWN.alliance, STRANGE.alliance] }, 8],
    ['own and strange together', { add_member_corporations: [OWN.corporation, STRANGE.lone] }, 8],
  ])('adding %s', async (_, body, least) => {
    for (const level of [6, 7, 8]) {
      const coalition = await make();
      const answer = await put(await member(level), coalition, { ...body, ticker: 'NEW' });
      if (level >= least) expect(answer).toMatchObject({ status: 200, body: { ticker: 'NEW' } });
      else {
        expect(answer).toMatchObject(FORBIDDEN);
        expect(await ok(root.coalition.get({ params: coalition }))).toEqual(coalition);
      }
    }
  });

  it.each<[string, Body, number]>([
    ['a strange alliance', { remove_member_alliances: [STRANGE.alliance] }, 8],
    ['a strange corporation', { remove_member_corporations: [STRANGE.lone] }, 8],
    ['strangers that a full list leaves out', { member_alliances: [] }, 8],
    ['an allied corporation', { remove_member_corporations: [ALLIED.lone] }, 6],
  ])('removing %s', async (_, body, least) => {
    for (const level of [6, 7, 8]) {
      const coalition = await make({
        member_alliances: [STRANGE.alliance],
        member_corporations: [STRANGE.lone, ALLIED.lone],
      });
      const { status } = await put(await member(level), coalition, body);
      expect(status).toBe(level >= least ? 200 : 403);
      if (level < least) expect(await ok(root.coalition.get({ params: coalition }))).toEqual(coalition);
    }
  });

  it('is judged before the update: what the update itself would bring near is still far', async () => {
    const coalition = await make({ member_alliances: [STRANGE.alliance] });
    const body = { add_member_alliances: [OWN.alliance], remove_member_alliances: [STRANGE.alliance] };
    expect(await put(await member(6), coalition, body)).toMatchObject(FORBIDDEN);
  });

  it('is not asked of those that stay what they are', async () => {
    const coalition = await make({
      member_alliances: [STRANGE.alliance],
      member_corporations: [ALLIED.lone],
    });
    const six = await member(6);
    for (const body of [
      { add_member_alliances: [STRANGE.alliance], remove_member_corporations: [ALLIED.lone] },
      { member_alliances: [STRANGE.alliance], member_corporations: [] },
      { add_member_corporations: [STRANGE.lone], remove_member_corporations: [STRANGE.lone] },
      { ticker: 'NEW', mandatory_ext_scopes: ['publicData' as const] },
    ]) {
      expect(await put(six, coalition, body)).toMatchObject({
        status: 200,
        body: { member_alliances: [{ alliance_id: STRANGE.alliance }] },
      });
    }
  });

  it('comes after the references: an unknown one is a 404 all the same (D6)', async () => {
    const coalition = await make();
    const answer = await put(await member(6), coalition, { add_member_alliances: [STRANGE.alliance, 1] });
    expect(answer).toMatchObject({ status: 404, body: { detail: 'Could not find alliance 1' } });
  });

  it('takes one statement for all of them', async () => {
    const six = await member(6);
    const count = async (body: Body) => {
      const coalition = await make();
      const before = app.statements.length;
      expect((await put(six, coalition, body)).status).toBe(200);
      return app.statements.length - before;
    };
    const one = await count({ member_alliances: [OWN.alliance], member_corporations: [OWN.corporation] });
    const more = await count({
      member_alliances: [OWN.alliance, ALLIED.alliance],
      member_corporations: [OWN.corporation, ALLIED.lone, ALLIED.corporation],
    });
    expect(more).toBe(one);
  });
});

describe('D15: setting authorized_to_login needs level 9', () => {
  it.each([true, false])(
    'to %s, whatever it is now; a missing coalition stays unseen (D6)',
    async (value) => {
      const coalition = await make();
      const eight = await member(8);
      for (const one of [coalition, { coalition_id: UNKNOWN }]) {
        expect(await put(eight, one, { authorized_to_login: value })).toMatchObject(FORBIDDEN);
      }
      expect(await put(eight, coalition, { authorized_to_login: null, ticker: 'NEW' })).toMatchObject({
        status: 200,
      });
      const nine = await put(await member(9), coalition, { authorized_to_login: value });
      expect(nine).toMatchObject({ status: 200, body: { authorized_to_login: value } });
    },
  );
});

describe('D23: the level that counts is the one that the token is worth', () => {
  it('so a token of the built-in user sinks with the owner of its parent', async () => {
    await addUser(app, { id: 4900, level: 10, corporation: OWN.corporation });
    const { jwt } = await makeToken(app, 'per', 4900, uuidOf(app.root));
    const { user_token } = await ok(app.client(jwt).token.createUserToken());
    const client = app.client(user_token);
    const coalition = await make();
    expect((await put(client, coalition, { authorized_to_login: false })).status).toBe(200);
    await setLevel(app, 4900, 8);
    expect((await put(client, coalition, { authorized_to_login: true })).status).toBe(403);
    expect((await put(client, coalition, { add_member_alliances: [STRANGE.alliance] })).status).toBe(200);
    await setLevel(app, 4900, 7);
    expect((await put(client, coalition, { remove_member_alliances: [STRANGE.alliance] })).status).toBe(403);
  });
});

describe('D6: clearance comes before any record is looked at', () => {
  it.each([
    ['list', 0],
    ['get', 0],
    ['tracking', 5],
    ['update', 6],
    ['create', 9],
    ['delete', 9],
  ] as const)('%s needs level %i', async (name, level) => {
    const coalition = await make();
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
      expect(await call(below, id)).toMatchObject(FORBIDDEN);
    const { status } = await call(await member(level), coalition.coalition_id);
    expect(status).toBe(name === 'create' ? 201 : 200);
    if (name === 'delete') made.length = 0;
  });
});
