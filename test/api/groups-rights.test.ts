import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Group, ok } from '../../sdk/src/index.ts';
import { setLevel } from '../fixtures/registry.ts';
import { addCoalition, addOrganizations, addUser, makeToken, uuidOf } from '../fixtures/users.ts';
import { type Client, startTestApp, type TestApp } from '../harness/app.ts';
import { callerAt } from '../harness/caller.ts';
import { INSUFFICIENT } from '../harness/refusals.ts';

const CORPORATION = 98_500_001;
const UNKNOWN = '0123456789abcdef01234567';
const FORBIDDEN = { status: 403, body: { detail: INSUFFICIENT } };

let app: TestApp;
let root: Client;
let number = 0;

beforeAll(async () => {
  app = await startTestApp();
  root = app.client(app.root);
  await addOrganizations(app, [{ corporations: [CORPORATION] }]);
  // So that guests of the corporation may log in, too.
  await addCoalition(app, 'cc'.repeat(12), { corporations: [CORPORATION] });
  await addUser(app, { id: 6001, name: 'Ada', corporation: CORPORATION });
});
afterAll(() => app.stop());

type Body = NonNullable<Parameters<Client['group']['update']>[0]['body']>;

function put(client: Client, { group_id }: { group_id: string }, body: Body) {
  return client.group.update({ params: { group_id }, body });
}

/** A user of this level, and a group that it owns. */
async function owner(level: number): Promise<{ id: number; client: Client; group: Group }> {
  const id = 6100 + ++number;
  const client = await callerAt(app, { id, level, corporation: CORPORATION });
  const made = await ok(root.group.create({ body: { group_name: `Group ${id}` } }));
  return { id, client, group: await ok(put(root, made, { owner: `Character ${id}` })) };
}

describe('group update needs level 9, or the ownership of the group (D15)', () => {
  it.each([0, 1, 8])(
    'an owner of level %i may change everything except authorized_to_login',
    async (level) => {
      const { client, group } = await owner(level);
      expect(await put(client, group, { description: 'mine', members: ['Ada'] })).toMatchObject({
        status: 200,
        body: { description: 'mine', members: [{ character_name: 'Ada' }, group.owner] },
      });
      for (const authorized_to_login of [true, false]) {
        expect(await put(client, group, { authorized_to_login })).toMatchObject(FORBIDDEN);
      }
      expect((await put(client, group, { authorized_to_login: null })).status).toBe(200);
      expect(await ok(root.group.get({ params: group }))).toMatchObject({ authorized_to_login: null });
    },
  );

  it('a member that is not the owner may not, nor may a former owner', async () => {
    const { client, group } = await owner(8);
    const other = await owner(8);
    await ok(put(client, group, { add_members: [`Character ${other.id}`] }));
    expect(await put(other.client, group, { description: 'mine' })).toMatchObject(FORBIDDEN);
    expect((await put(client, group, { owner: `Character ${other.id}` })).status).toBe(200);
    expect(await put(client, group, { description: 'mine' })).toMatchObject(FORBIDDEN);
    expect((await put(other.client, group, { description: 'mine' })).status).toBe(200);
  });

  it('level 9 may change every group, and its authorized_to_login', async () => {
    const { group } = await owner(0);
    const { client } = await owner(9);
    expect(await put(client, group, { authorized_to_login: false, owner: 'Ada' })).toMatchObject({
      status: 200,
      body: { authorized_to_login: false, owner: { character_name: 'Ada' } },
    });
  });

  it('below level 9 the answer does not reveal whether a group exists (D6)', async () => {
    const { client } = await owner(8);
    const { group } = await owner(0);
    for (const one of [group, { group_id: UNKNOWN }]) {
      for (const body of [{}, { description: 'x' }, { owner: 'Nobody' }, { authorized_to_login: true }]) {
        expect(await put(client, one, body)).toMatchObject(FORBIDDEN);
      }
    }
    expect(await put((await owner(9)).client, { group_id: UNKNOWN }, {})).toMatchObject({
      status: 404,
      body: { detail: `Could not find group ${UNKNOWN}` },
    });
  });

  it('a guest that owns a group is refused: level 0 is checked first', async () => {
    const { id, client, group } = await owner(0);
    await setLevel(app, id, -1);
    expect(await put(client, group, { description: 'mine' })).toMatchObject(FORBIDDEN);
  });

  it("a token of the built-in user below level 9 may not change the built-in user's groups (D23)", async () => {
    const { id, client } = await owner(10);
    const { user_token } = await ok(client.token.createUserToken());
    const made = await ok(app.client(user_token).group.create({ body: { group_name: 'Of the built-in' } }));
    expect(made.owner?.character_id).toBe(0);
    await setLevel(app, id, 8);
    expect(await put(app.client(user_token), made, { description: 'x' })).toMatchObject(FORBIDDEN);
    await setLevel(app, id, 9);
    expect((await put(app.client(user_token), made, { description: 'x' })).status).toBe(200);
  });
});

describe('the other operations', () => {
  it('refuse callers below the listed level before any record is read (D6)', async () => {
    const { group } = await owner(0);
    for (const [name, level] of Object.entries({ list: 0, get: 0, create: 9, delete: 9 } as const)) {
      const call = async (client: Client, group_id: string) => {
        if (name === 'create') return client.group.create({ body: { group_name: 'By level' } });
        return name === 'list' ? client.group.list() : client.group[name as 'get']({ params: { group_id } });
      };
      const { client: below, id } = await owner(0);
      await setLevel(app, id, level - 1);
      for (const group_id of [group.group_id, UNKNOWN]) {
        expect(await call(below, group_id), name).toMatchObject(FORBIDDEN);
      }
      const { client } = await owner(level);
      expect((await call(client, group.group_id)).status, name).toBe(name === 'create' ? 201 : 200);
    }
  });
});

describe('the effect of authorized_to_login', () => {
  it('true lets members in, false bars them whatever other groups say, but not levels 9 and 10 (D27)', async () => {
    const dyn = await makeToken(app, 'dyn', 0, uuidOf(app.root));
    await addUser(app, { id: 6900 });
    const { jwt } = await makeToken(app, 'use', 6900, dyn.uuid);
    const status = async () => (await app.client(jwt).token.current()).status;
    const make = (group_name: string) => ok(root.group.create({ body: { group_name } }));
    const [inviting, banning] = [await make('Inviting'), await make('Banning')];
    const add_members = ['Character 6900'];
    await ok(put(root, inviting, { add_members }));
    expect(await status()).toBe(401);
    await ok(put(root, inviting, { authorized_to_login: true }));
    expect(await status()).toBe(200);
    await ok(put(root, banning, { add_members, authorized_to_login: false }));
    expect(await status()).toBe(401);
    await setLevel(app, 6900, 9);
    expect(await status()).toBe(200);
    await setLevel(app, 6900, 8);
    expect(await status()).toBe(401);
    await ok(root.group.delete({ params: banning }));
    expect(await status()).toBe(200);
    await ok(put(root, inviting, { remove_members: add_members }));
    expect(await status()).toBe(401);
  });
});
