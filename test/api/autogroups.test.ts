import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Group, ok } from '../../sdk/src/index.ts';
import { inTransaction } from '../../server/database/transaction.ts';
import { ensureAutogroups } from '../../server/group/autogroup.queries.ts';
import type { ProviderSnapshot } from '../../server/registry/provider-snapshot.ts';
import { saveSnapshot } from '../../server/registry/save-snapshot.ts';
import { setLevel } from '../fixtures/registry.ts';
import { addUser, makeToken, uuidOf } from '../fixtures/users.ts';
import { type Client, startTestApp, type TestApp } from '../harness/app.ts';
import { callerAt } from '../harness/caller.ts';

let app: TestApp;
let root: Client;
let number = 0;
/** New in every test: an alliance, its executor and another corporation, the CEO of each, and a plain member. */
let alliance: number;
let executor: number;
let second: number;

beforeAll(async () => {
  app = await startTestApp();
  root = app.client(app.root);
});
afterAll(() => app.stop());
beforeEach(() => {
  number += 10;
  [alliance, executor, second] = [99_600_000 + number, 98_600_000 + number, 98_600_001 + number];
});

const ceoOf = (corporation: number) => corporation - 90_000_000;
const body = (corporation_id: number, more: Partial<ProviderSnapshot['corporations'][number]> = {}) => ({
  corporation_id,
  corporation_name: `Corporation ${corporation_id}`,
  ticker: 'CORP',
  alliance_id: alliance as number | null,
  ceo_id: ceoOf(corporation_id),
  ceo_name: `CEO ${corporation_id}`,
  ...more,
});
const top = (more: Partial<ProviderSnapshot['alliances'][number]> = {}) => ({
  alliance_id: alliance,
  alliance_name: `Alliance ${alliance}`,
  ticker: 'ALLI',
  executor_corporation_id: executor,
  ...more,
});
const pilot = (character_id: number, corporation_id: number | null) => ({
  character_id,
  character_name: `Pilot ${character_id}`,
  corporation_id,
});

async function find(snapshot: Partial<ProviderSnapshot>): Promise<void> {
  const all = { alliances: [], corporations: [], characters: [], ...snapshot };
  await inTransaction(app.db, (tx) => saveSnapshot(tx, all, app.clock.now()));
}

/** The alliance with both corporations, nobody in them. */
const registered = () => ({ alliances: [top()], corporations: [body(executor), body(second)] });

async function named(group_name: string): Promise<Group | undefined> {
  const short = (await ok(root.group.list())).find((group) => group.group_name === group_name);
  return short && ok(root.group.get({ params: short }));
}
async function must(group_name: string): Promise<Group> {
  const group = await named(group_name);
  if (group === undefined) throw new Error(`no group is named ${group_name}`);
  return group;
}
const members = (group: Group | undefined) => group?.members.map((member) => member.character_id);
const put = (client: Client, { group_id }: Group, change: object) =>
  client.group.update({ params: { group_id }, body: change });
const makeCoalition = (coalition_name: string) =>
  ok(root.coalition.create({ body: { coalition_name, ticker: 'CO' } }));

describe('D18b: one per corporation, alliance and coalition with registered members', () => {
  it('is created with the first member, with is_autogroup and the name of its organization', async () => {
    await find(registered());
    expect(await named(`Corporation ${executor}`)).toBeUndefined();
    expect(await named(`Alliance ${alliance}`)).toBeUndefined();
    await find({ characters: [pilot(1 + number, executor)] });
    for (const name of [`Corporation ${executor}`, `Alliance ${alliance}`]) {
      expect(await named(name)).toMatchObject({
        is_autogroup: true,
        authorized_to_login: null,
        description: '',
        owner: null,
        members: [{ character_id: 1 + number, character_name: `Pilot ${1 + number}` }],
      });
    }
    expect(await named(`Corporation ${second}`)).toBeUndefined();
  });

  it('is created by a real sign-in of the first member', async () => {
    const [home] = app.provider.world.corporations;
    if (home === undefined || home.ceoId === null) throw new Error('an empty world');
    const { coalition_id } = await makeCoalition('Of the world');
    await ok(root.corporation.register({ params: { corporation_id: home.id } }));
    await ok(
      root.coalition.update({ params: { coalition_id }, body: { add_member_corporations: [home.id] } }),
    );
    await app.signIn(home.ceoId);
    expect(await named(home.name)).toMatchObject({ is_autogroup: true, owner: { character_id: home.ceoId } });
    expect(members(await named('Of the world'))).toEqual([home.ceoId]);
  });

  it('is created when the sign-in of a guest makes it a member', async () => {
    const { world } = app.provider;
    const [home, host] = world.corporations.slice(3, 5);
    const guest = world.membersOf(home?.id ?? 0).find((id) => id !== home?.ceoId);
    if (home === undefined || host === undefined || guest === undefined) throw new Error('an empty world');
    const { coalition_id } = await makeCoalition('Of its home');
    for (const { id } of [home, host])
      await ok(root.corporation.register({ params: { corporation_id: id } }));
    await app.db.deleteFrom('groups').where('corporation_id', '=', home.id).execute();
    await app.db.deleteFrom('users').where('corporation_id', '=', home.id).execute();
    await addUser(app, { id: guest, corporation: host.id, level: -1 });
    await ok(
      root.coalition.update({ params: { coalition_id }, body: { add_member_corporations: [home.id] } }),
    );
    await app.signIn(guest);
    expect(members(await named(home.name))).toEqual([guest]);
  });

  it('of a coalition follows alliances and corporations, and has no owner', async () => {
    await find({
      ...registered(),
      corporations: [body(executor), body(second, { alliance_id: null })],
      characters: [pilot(1 + number, executor), pilot(2 + number, second), pilot(ceoOf(executor), executor)],
    });
    const name = `Coalition ${number}`;
    const params = await makeCoalition(name);
    const change = (body: object) => ok(root.coalition.update({ params, body }));
    expect(await named(name)).toBeUndefined();
    await change({ add_member_corporations: [second] });
    expect(members(await named(name))).toEqual([2 + number]);
    await change({ add_member_alliances: [alliance], add_member_corporations: [executor] });
    expect(members(await named(name))?.sort()).toEqual([1 + number, 2 + number, ceoOf(executor)].sort());
    expect(await named(name)).toMatchObject({ is_autogroup: true, owner: null });
    await change({ member_alliances: [], member_corporations: [] });
    expect(members(await named(name))).toEqual([]);
  });

  it('is created for alliance and coalition when a corporation with members joins the alliance', async () => {
    await find({ ...registered(), corporations: [body(executor), body(second, { alliance_id: null })] });
    const name = `Coalition ${number}`;
    const params = await makeCoalition(name);
    await ok(root.coalition.update({ params, body: { member_alliances: [alliance] } }));
    await find({ characters: [pilot(1 + number, second)] });
    expect(await named(`Alliance ${alliance}`)).toBeUndefined();
    expect(await named(name)).toBeUndefined();
    await find({ corporations: [body(second)] });
    for (const each of [`Alliance ${alliance}`, name])
      expect(members(await named(each))).toEqual([1 + number]);
  });

  it('stays when it becomes empty', async () => {
    await find({ ...registered(), characters: [pilot(1 + number, second)] });
    const before = await must(`Corporation ${second}`);
    await find({ characters: [pilot(1 + number, null)] });
    expect(await named(`Corporation ${second}`)).toEqual({ ...before, members: [] });
  });

  it('costs two statements when there is nothing to do', async () => {
    await find({ ...registered(), characters: [pilot(1 + number, second)] });
    const before = app.statements.length;
    await ensureAutogroups(app.db, { corporations: [second] }, app.clock.now());
    expect(app.statements.length - before).toBe(2);
  });
});

describe('D18b: members follow the registry at once', () => {
  it('characters and corporations that move', async () => {
    const people = [pilot(1 + number, executor), pilot(2 + number, second)];
    await find({ ...registered(), characters: people });
    expect(members(await named(`Alliance ${alliance}`))).toEqual([1 + number, 2 + number]);
    await find({ characters: [pilot(1 + number, second)] });
    expect(members(await named(`Corporation ${executor}`))).toEqual([]);
    expect(members(await named(`Corporation ${second}`))).toEqual([1 + number, 2 + number]);
    await find({ corporations: [body(second, { alliance_id: null })] });
    expect(members(await named(`Alliance ${alliance}`))).toEqual([]);
  });

  it('guests are excluded until they are members', async () => {
    await find(registered());
    await addUser(app, { id: 1 + number, corporation: second, level: -1 });
    await find({ corporations: [body(second)] });
    expect(await named(`Corporation ${second}`)).toBeUndefined();
    await find({ characters: [pilot(2 + number, second)] });
    expect(members(await named(`Corporation ${second}`))).toEqual([2 + number]);
    await find({ characters: [pilot(1 + number, second)] });
    expect(members(await named(`Corporation ${second}`))).toEqual([1 + number, 2 + number]);
  });

  it('a deleted user is gone from them (D19b)', async () => {
    await find({ ...registered(), characters: [pilot(1 + number, second)] });
    await ok(root.user.delete({ params: { character_id: 1 + number } }));
    expect(members(await named(`Corporation ${second}`))).toEqual([]);
  });
});

describe('D18b: the owner is the CEO, if a user and member', () => {
  const ceo = (corporation: number, home = corporation) => ({
    ...pilot(ceoOf(corporation), home),
    character_name: `CEO ${corporation}`,
  });
  const owners = async () =>
    Promise.all(
      [`Corporation ${executor}`, `Corporation ${second}`, `Alliance ${alliance}`].map(
        async (name) => (await named(name))?.owner?.character_id ?? null,
      ),
    );

  it('of the corporation, and of the executor for an alliance; follows the office', async () => {
    await find({ ...registered(), characters: [pilot(1 + number, executor), pilot(2 + number, second)] });
    expect(await owners()).toEqual([null, null, null]);
    await find({ characters: [ceo(executor), ceo(second)] });
    expect(await owners()).toEqual([ceoOf(executor), ceoOf(second), ceoOf(executor)]);
    await find({ alliances: [top({ executor_corporation_id: second })], corporations: [body(second)] });
    expect(await owners()).toEqual([ceoOf(executor), ceoOf(second), ceoOf(second)]);
    await find({ corporations: [body(second, { ceo_id: 2 + number, ceo_name: 'New' })] });
    expect(await owners()).toEqual([ceoOf(executor), 2 + number, 2 + number]);
  });

  it('there is none while the CEO is elsewhere or a guest, or its executor has left', async () => {
    await find({ ...registered(), characters: [ceo(executor), ceo(second, executor)] });
    expect(await owners()).toEqual([ceoOf(executor), null, ceoOf(executor)]);
    await find({ corporations: [body(executor, { alliance_id: null })] });
    expect(await owners()).toEqual([ceoOf(executor), null, null]);
    await setLevel(app, ceoOf(executor), -1);
    expect(await owners()).toEqual([null, null, null]);
  });

  it('is always a member', async () => {
    await find({ ...registered(), characters: [ceo(executor), pilot(1 + number, executor)] });
    for (const name of [`Corporation ${executor}`, `Alliance ${alliance}`]) {
      const group = await must(name);
      expect(group.members).toContainEqual(group.owner);
    }
  });
});

describe('D18b: tied by id, never found by name', () => {
  it('a hand-made group with that name keeps it, and the autogroup gets a suffix', async () => {
    const name = `Corporation ${second}`;
    const made = await ok(root.group.create({ body: { group_name: name.toUpperCase() } }));
    await find({ ...registered(), characters: [pilot(1 + number, second)] });
    expect(await ok(root.group.get({ params: made }))).toEqual(made);
    expect(members(await named(`${name} (corporation ${second})`))).toEqual([1 + number]);
  });

  it('organizations with equal names all get one, suffixed by kind and id', async () => {
    const name = `One name ${number}`;
    const { coalition_id } = await makeCoalition(name);
    await find({
      alliances: [top({ alliance_name: name })],
      corporations: [executor, second].map((id) => body(id, { corporation_name: name })),
      characters: [pilot(1 + number, executor), pilot(2 + number, second)],
    });
    await ok(root.coalition.update({ params: { coalition_id }, body: { add_member_alliances: [alliance] } }));
    const names = (await ok(root.group.list())).map((group) => group.group_name);
    const suffixes = [
      '',
      ` (coalition ${coalition_id})`,
      ` (corporation ${executor})`,
      ` (corporation ${second})`,
    ];
    expect(names.filter((one) => one.startsWith(name)).sort()).toEqual(suffixes.map((one) => name + one));
    expect((await must(name)).members).toHaveLength(2);
  });

  it('the suffixed name may be taken too', async () => {
    const name = `Corporation ${second}`;
    const suffix = ` (corporation ${second})`;
    for (const group_name of [name, name + suffix]) await ok(root.group.create({ body: { group_name } }));
    await find({ ...registered(), characters: [pilot(1 + number, second)] });
    expect(members(await named(name + suffix + suffix))).toEqual([1 + number]);
  });

  it('creating a group with the name of an autogroup is a 409 (D7)', async () => {
    await find({ ...registered(), characters: [pilot(1 + number, second)] });
    const group_name = `CORPORATION ${second}`;
    expect(await root.group.create({ body: { group_name } })).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining(`group named "${group_name}"`) },
    });
  });

  it('follows renames of its organization, and keeps id, description and authorized_to_login', async () => {
    await find({ ...registered(), characters: [pilot(1 + number, second)] });
    const before = await must(`Corporation ${second}`);
    await ok(put(root, before, { description: 'Ours', authorized_to_login: true }));
    await find({
      alliances: [top({ alliance_name: `Renamed ${alliance}` })],
      corporations: [body(second, { corporation_name: `Renamed ${second}` })],
    });
    expect(await named(`Renamed ${second}`)).toMatchObject({
      group_id: before.group_id,
      description: 'Ours',
      authorized_to_login: true,
    });
    expect(await named(`Renamed ${alliance}`)).toMatchObject({ is_autogroup: true });
    expect(await named(before.group_name)).toBeUndefined();
  });

  it('two organizations that swap their names, or get the same name, both keep their groups', async () => {
    await find({ ...registered(), characters: [pilot(1 + number, executor), pilot(2 + number, second)] });
    const [one, two] = [`Corporation ${executor}`, `Corporation ${second}`];
    await find({
      corporations: [body(executor, { corporation_name: two }), body(second, { corporation_name: one })],
    });
    expect(members(await named(`${two} (corporation ${executor})`))).toEqual([1 + number]);
    const shared = `Shared ${number}`;
    await find({ corporations: [executor, second].map((id) => body(id, { corporation_name: shared })) });
    expect(members(await named(shared))).toEqual([1 + number]);
    expect(members(await named(`${shared} (corporation ${second})`))).toEqual([2 + number]);
  });
});

describe('D18b: what may be edited', () => {
  it.each([
    { add_members: [] },
    { members: ['(built-in)'] },
    { remove_members: ['(built-in)'] },
    { owner: '(built-in)' },
  ])('not members and owner: %o is a 409 (D7), nothing changes', async (change) => {
    await find({ ...registered(), characters: [pilot(1 + number, second)] });
    const group = await must(`Corporation ${second}`);
    expect(await put(root, group, { ...change, description: 'new' })).toMatchObject({
      status: 409,
      body: {
        detail: 'This is an autogroup: the service itself keeps its members and owner.',
        code: 'autogroup_kept',
      },
    });
    expect(await ok(root.group.get({ params: group }))).toEqual(group);
  });

  it('description and authorized_to_login, which then counts for its members (D27)', async () => {
    await find({ ...registered(), characters: [pilot(1 + number, second)] });
    const dyn = await makeToken(app, 'dyn', 0, uuidOf(app.root));
    const { jwt } = await makeToken(app, 'use', 1 + number, dyn.uuid);
    const status = async () => (await app.client(jwt).token.current()).status;
    expect(await status()).toBe(401);
    const group = await must(`Alliance ${alliance}`);
    const change = { description: 'All of us', authorized_to_login: true };
    expect(await ok(put(root, group, change))).toMatchObject({ ...change, members: group.members });
    expect(await status()).toBe(200);
    await ok(put(root, await must(`Corporation ${second}`), { authorized_to_login: false }));
    expect(await status()).toBe(401);
  });

  it('its CEO owns it and may change the description below level 9, but not authorized_to_login', async () => {
    await find(registered());
    const client = await callerAt(app, { id: ceoOf(second), level: 0, corporation: second });
    await find({ corporations: [body(second)] });
    const group = await must(`Corporation ${second}`);
    expect((await put(client, group, { description: 'Mine' })).status).toBe(200);
    expect((await put(client, group, { members: [] })).status).toBe(409);
    expect((await put(client, group, { authorized_to_login: true })).status).toBe(403);
    await find({ corporations: [body(second, { ceo_id: 7, ceo_name: 'Other' })] });
    expect((await put(client, group, { description: 'Mine' })).status).toBe(403);
  });

  it('it cannot be deleted: 409 (D7); it is deleted with its coalition', async () => {
    await find({ ...registered(), characters: [pilot(1 + number, second)] });
    const name = `Coalition ${number}`;
    const params = await makeCoalition(name);
    await ok(root.coalition.update({ params, body: { add_member_alliances: [alliance] } }));
    const group = await must(name);
    expect(await root.group.delete({ params: group })).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('autogroup') },
    });
    expect(await ok(root.group.get({ params: group }))).toEqual(group);
    await ok(root.coalition.delete({ params }));
    expect((await root.group.get({ params: group })).status).toBe(404);
  });

  it('the voice autogroup has stored members, and is protected in the same way (D41)', async () => {
    await find({ ...registered(), characters: [pilot(1 + number, second)] });
    const group_id = 'f0'.repeat(12);
    const group_name = `Voice ${number}`;
    const row = { group_id, group_name, name_key: group_name.toLowerCase(), is_voice: true };
    await app.db.insertInto('groups').values(row).execute();
    await app.db
      .insertInto('group_members')
      .values({ group_id, character_id: 1 + number })
      .execute();
    const group = await must(group_name);
    expect(group).toMatchObject({ is_autogroup: true, owner: null });
    expect(members(group)).toEqual([1 + number]);
    expect((await put(root, group, { members: [] })).status).toBe(409);
    expect((await put(root, group, { description: 'Heard' })).status).toBe(200);
    expect((await root.group.delete({ params: group })).status).toBe(409);
  });
});
