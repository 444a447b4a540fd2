import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { UserShort } from '../../contract/user.ts';
import { ok } from '../../sdk/src/index.ts';
import { inTransaction } from '../../server/database/transaction.ts';
import { ensureVoiceGroup, enterGroup } from '../../server/voice/voice.queries.ts';
import { letIn, setLevel } from '../fixtures/registry.ts';
import { addCoalition, addUser, makeToken, uuidOf } from '../fixtures/users.ts';
import { type Client, startTestApp, type TestApp } from '../harness/app.ts';
import { callerAt } from '../harness/caller.ts';
import { expectPage, startLogin, TITLES, trySignIn, userRow, userTokenOf } from '../harness/sign-in.ts';

/** Two corporations without an alliance that are let in and invite guests. */
const HOST = 98_000_011;
const OTHER_HOST = 98_000_012;
/** A registered corporation in a coalition without authorized_to_login. */
const OUTSIDE = 98_000_005;
/** A corporation that exceeds the number of invitations. */
const CROWDED = 98_000_003;
const UNKNOWN = 98_999_999;
const HOUR = 3_600_000;

let app: TestApp;
let root: Client;
let dyn: string;
/** Members of HOST by level: 1 may invite and list, 2 may delete. */
let inviter: Client;
let deleter: Client;
/** Characters of corporations that are not let in; each test uses its own. */
let strangers: number[];

beforeAll(async () => {
  app = await startTestApp({ worker: true, provider: { characters: 400 } });
  root = app.client(app.root);
  dyn = await app.dynamicToken();
  await letIn(app, { corporations: [HOST, OTHER_HOST] });
  await root.corporation.register({ params: { corporation_id: OUTSIDE } });
  inviter = await callerAt(app, { id: 2_120_000_001, level: 1, corporation: HOST });
  deleter = await callerAt(app, { id: 2_120_000_002, level: 2, corporation: HOST });
  // CEOs would get a level; these characters are plain members.
  strangers = app.provider.world.membersOf(98_000_006).filter((id) => id > 2_112_000_012);
});
afterAll(() => app.stop());

const stranger = (): number => strangers.shift() as number;

async function invite(host = HOST, by = inviter): Promise<string> {
  const answer = await by.corporation.createGuestCode({ params: { corporation_id: host } });
  if (answer.status !== 200) throw new Error(`no invitation: ${answer.status}`);
  expect(Object.keys(answer.body)).toEqual(['state_code']);
  return answer.body.state_code;
}

async function follow(characterId: number, stateCode: string, token = dyn): Promise<Response> {
  return trySignIn(app, { characterId }, { dyn: token, stateCode });
}

async function makeGuest(characterId = stranger(), host = HOST): Promise<{ id: number; token: string }> {
  const token = userTokenOf(await follow(characterId, await invite(host, root)));
  expect(await userRow(app, characterId)).toMatchObject({ clearance_level: -1, corporation_id: host });
  return { id: characterId, token };
}

async function guestsOf(corporation_id: number): Promise<UserShort[]> {
  const answer = await inviter.corporation.listGuests({ params: { corporation_id } });
  expect(answer.status).toBe(200);
  return answer.body as UserShort[];
}

const remove = (character_id: number, by = deleter, corporation_id = HOST) =>
  by.corporation.deleteGuest({ params: { corporation_id, character_id } });

const nameOf = (id: number) => app.provider.world.character(id)?.name ?? '';

/** Users who make invitations, each other ones. */
let makers = 2_120_000_101;

async function barred(id: number): Promise<void> {
  const { group_id } = await ok(root.group.create({ body: { group_name: `Without ${id}` } }));
  await ok(root.group.update({ params: { group_id }, body: { authorized_to_login: false } }));
  await app.db.insertInto('group_members').values({ group_id, character_id: id }).execute();
}

const setCorporation = (id: number, corporation_id: number) =>
  app.db.updateTable('users').set({ corporation_id }).where('character_id', '=', id).execute();

describe('POST /corporation/{corporation_id}/guest: create a state code for a new guest', () => {
  it('rule: a user that logs in with a guest state code is considered a guest of the corporation', async () => {
    const id = stranger();
    await expectPage(await trySignIn(app, { characterId: id }, { dyn }), 403, TITLES.notAllowed);
    userTokenOf(await follow(id, await invite()));
    expect(await userRow(app, id)).toMatchObject({ clearance_level: -1, corporation_id: HOST });
    expect(await guestsOf(HOST)).toContainEqual({ character_id: id, character_name: nameOf(id) });
  });

  it('D25: the login also requests the scopes that the corporation requires, with its own PKCE challenge', async () => {
    const params = { corporation_id: HOST };
    await root.corporation.update({ params, body: { mandatory_ext_scopes: ['ext-mail.read_mail.v1'] } });
    const logins = await Promise.all(
      [await invite(), await invite()].map((stateCode) => startLogin(app, { dyn, stateCode })),
    );
    const queries = logins.map(({ login_url }) => new URL(login_url).searchParams);
    for (const query of queries) {
      expect(query.get('scope')?.split(' ').sort()).toEqual(['esi-mail.read_mail.v1', 'publicData']);
      expect(query.get('code_challenge')).toMatch(/^[\w-]{43}$/);
    }
    expect(queries[0]?.get('code_challenge')).not.toBe(queries[1]?.get('code_challenge'));
    await root.corporation.update({ params, body: { mandatory_ext_scopes: [] } });
  });

  it('D28: the code works with any dyn token, and then only with that one', async () => {
    const id = stranger();
    const stateCode = await invite();
    const another = await app.dynamicToken('https://other.example/app');
    await startLogin(app, { dyn: another, stateCode });
    await expect(startLogin(app, { dyn, stateCode })).rejects.toThrow('404');
    userTokenOf(await follow(id, stateCode, another));
  });

  it('D28: the code is used once', async () => {
    const stateCode = await invite();
    const { login_url } = await startLogin(app, { dyn, stateCode });
    const [first, second] = [stranger(), stranger()];
    userTokenOf(await app.browse(login_url, { characterId: first }));
    await expectPage(await app.browse(login_url, { characterId: second }), 400, TITLES.badRequest);
    await expect(startLogin(app, { dyn, stateCode })).rejects.toThrow('404');
    expect(await userRow(app, second)).toBeUndefined();
  });

  it('D28: of many concurrent uses of one link, one succeeds', async () => {
    const { login_url } = await startLogin(app, { dyn, stateCode: await invite() });
    const many = Array.from({ length: 6 }, stranger);
    const answers = await Promise.all(many.map((characterId) => app.browse(login_url, { characterId })));
    expect(answers.map(({ status }) => status).sort()).toEqual([302, 400, 400, 400, 400, 400]);
    const guests = (await guestsOf(HOST)).map(({ character_id }) => character_id);
    expect(many.filter((id) => guests.includes(id))).toHaveLength(1);
  });

  it('D28: the code lives 24 hours', async () => {
    const [early, late] = [await invite(), await invite()];
    app.clock.advance(24 * HOUR - 60_000);
    const id = stranger();
    userTokenOf(await follow(id, early));
    app.clock.advance(61_000);
    await expect(startLogin(app, { dyn, stateCode: late })).rejects.toThrow('404');
  });

  describe('a corporation has at most 100 valid codes', () => {
    const create = (corporation_id: number) =>
      root.corporation.createGuestCode({ params: { corporation_id } });
    const statuses = async (many: number, host: number) =>
      (await Promise.all(Array.from({ length: many }, () => create(host)))).map(({ status }) => status);
    const full = {
      status: 409,
      body: {
        detail: `Corporation ${CROWDED} has 100 living guest codes already: one of them must be used or expire first.`,
        code: 'too_many_guest_codes',
      },
    };

    it('of any number requested concurrently 100 are made; the rest is a 409, and other corporations have their own', async () => {
      await root.corporation.register({ params: { corporation_id: CROWDED } });
      const made = await statuses(130, CROWDED);
      expect(made.filter((status) => status === 200)).toHaveLength(100);
      expect(made.filter((status) => status === 409)).toHaveLength(30);
      expect(await create(CROWDED)).toMatchObject(full);
      expect(await create(OUTSIDE)).toMatchObject({ status: 200 });
    });

    it('a used or dead code makes room for another', async () => {
      const [used, dead] = await app.db
        .selectFrom('state_codes')
        .select('state_code')
        .where('corporation_id', '=', CROWDED)
        .limit(2)
        .execute();
      const change = (code = '', to: object) =>
        app.db.updateTable('state_codes').set(to).where('state_code', '=', code).execute();
      await change(used?.state_code, { used_on: app.clock.now() });
      expect(await create(CROWDED)).toMatchObject({ status: 200 });
      expect(await create(CROWDED)).toMatchObject(full);
      await change(dead?.state_code, { tries: 5 });
      expect(await create(CROWDED)).toMatchObject({ status: 200 });
      expect(await create(CROWDED)).toMatchObject(full);
    });

    it('expired codes make room for as many others', async () => {
      app.clock.advance(24 * HOUR);
      expect(await create(CROWDED)).toMatchObject({ status: 200 });
    });
  });

  it.each([
    ['may not log in any more', (id: number) => barred(id)],
    ['has left the corporation', (id: number) => setCorporation(id, OTHER_HOST)],
    ['has lost the level for it', (id: number) => setLevel(app, id, 0)],
    ['is gone', (id: number) => app.db.deleteFrom('users').where('character_id', '=', id).execute()],
  ])('D28: the code does not work once the user who made it %s', async (_, change) => {
    const maker = makers++;
    const by = await callerAt(app, { id: maker, level: 1, corporation: HOST });
    const [early, late] = [await invite(HOST, by), await invite(HOST, by)];
    userTokenOf(await follow(stranger(), early));
    await change(maker);
    const id = stranger();
    await expectPage(await follow(id, late), 403, TITLES.notAllowed);
    expect(await userRow(app, id)).toBeUndefined();
  });

  it.each([9, 10])(
    'D27b, D28: that of level %s works, too, where nothing lets its maker log in',
    async (level) => {
      const maker = makers++;
      await addUser(app, { id: maker, level });
      const by = app.client((await makeToken(app, 'per', maker, uuidOf(app.root))).jwt);
      const id = app.provider.world.membersOf(OUTSIDE).at(-level) as number;
      userTokenOf(await follow(id, await invite(HOST, by)));
      expect(await userRow(app, id)).toMatchObject({ clearance_level: -1, corporation_id: HOST });
    },
  );

  it('a corporation that is not registered is a 404 that names kind and id', async () => {
    for (const corporation_id of [UNKNOWN, 1_000_006]) {
      expect(await inviter.corporation.createGuestCode({ params: { corporation_id } })).toMatchObject({
        status: 404,
        body: { detail: `Could not find corporation ${corporation_id}` },
      });
    }
  });
});

describe('attack: an invitation demotes or moves nobody, and gives nobody authority over others', () => {
  it.each([0, 2, 4, 8, 9, 10])(
    'D28: an admitted user at level %s keeps level, corporation and tokens',
    async (level) => {
      const id = app.provider.world.membersOf(OTHER_HOST)[1] as number;
      const before = await app.signIn(id, { dyn });
      await setLevel(app, id, level);
      userTokenOf(await follow(id, await invite()));
      expect(await userRow(app, id)).toMatchObject({ clearance_level: level, corporation_id: OTHER_HOST });
      expect(await before.client.token.current()).toMatchObject({ status: 200 });
      expect(await guestsOf(HOST)).not.toContainEqual(expect.objectContaining({ character_id: id }));
      expect(await remove(id)).toMatchObject({ status: 404 });
    },
  );

  it('D28: a newcomer whose own corporation is let in becomes its member, not a guest', async () => {
    const id = app.provider.world.membersOf(OTHER_HOST)[2] as number;
    userTokenOf(await follow(id, await invite()));
    expect(await userRow(app, id)).toMatchObject({ clearance_level: 0, corporation_id: OTHER_HOST });
  });

  it('D28: a member of the inviting corporation itself stays a member', async () => {
    const id = app.provider.world.membersOf(HOST)[1] as number;
    userTokenOf(await follow(id, await invite()));
    expect(await userRow(app, id)).toMatchObject({ clearance_level: 0, corporation_id: HOST });
    expect(await remove(id)).toMatchObject({ status: 404, body: { detail: `Could not find guest ${id}` } });
  });

  it('D28: a guest of one corporation is not taken over by another', async () => {
    const { id } = await makeGuest(stranger(), OTHER_HOST);
    userTokenOf(await follow(id, await invite(HOST)));
    expect(await userRow(app, id)).toMatchObject({ clearance_level: -1, corporation_id: OTHER_HOST });
    expect(await remove(id)).toMatchObject({ status: 404 });
  });

  it('D28: a guest that is the CEO of another corporation stays as it is when that one is registered', async () => {
    const corporation_id = 98_000_010;
    const id = app.provider.world.corporation(corporation_id)?.ceoId as number;
    await addUser(app, { id, level: -1, corporation: HOST, name: nameOf(id) });
    const before = await userRow(app, id);
    app.clock.advance(1000);
    await root.corporation.register({ params: { corporation_id } });
    const after = await userRow(app, id);
    expect(after).toMatchObject({ clearance_level: -1, corporation_id: HOST });
    expect(after?.updated_on).toEqual(before?.updated_on);
  });

  it('D28: an administrator who is not admitted is refused and keeps the level', async () => {
    const id = app.provider.world.membersOf(OUTSIDE)[1] as number;
    await addUser(app, { id, level: 9, corporation: OUTSIDE, name: nameOf(id) });
    await expectPage(await follow(id, await invite()), 403, TITLES.notAllowed);
    expect(await userRow(app, id)).toMatchObject({ clearance_level: 9, corporation_id: OUTSIDE });
  });

  it('D27: a user barred by a group is refused, and a refused sign-in stores nothing (D26b)', async () => {
    const { id } = await makeGuest();
    const created = await root.group.create({ body: { group_name: 'Shut out' } });
    const { group_id } = created.body as { group_id: string };
    await root.group.update({
      params: { group_id },
      body: { add_members: [nameOf(id)], authorized_to_login: false },
    });
    const before = await userRow(app, id);
    await expectPage(await follow(id, await invite()), 403, TITLES.notAllowed);
    expect(await userRow(app, id)).toEqual(before);
    await root.group.delete({ params: { group_id } });
  });

  it('D27: a corporation that is not let in itself cannot let guests in', async () => {
    await addCoalition(app, 'c5'.repeat(12), { corporations: [OUTSIDE] }, null);
    const id = stranger();
    await expectPage(await follow(id, await invite(OUTSIDE, root)), 403, TITLES.notAllowed);
    expect(await userRow(app, id)).toBeUndefined();
  });

  it('§3: a guest may do nothing, and nobody can set its level (D16)', async () => {
    const { id, token } = await makeGuest();
    const guest = app.client(token);
    for (const answer of [
      await guest.corporation.get({ params: { corporation_id: HOST } }),
      await guest.corporation.listGuests({ params: { corporation_id: HOST } }),
      await guest.corporation.createGuestCode({ params: { corporation_id: HOST } }),
      await guest.corporation.deleteGuest({ params: { corporation_id: HOST, character_id: id } }),
      await guest.user.list(),
      await guest.token.current(),
    ]) {
      expect(answer).toMatchObject({ status: 403 });
    }
    const body = { clearance_level: 1 };
    const params = { character_id: id };
    for (const by of [deleter, root]) {
      expect(await by.user.update({ params, body })).toMatchObject({ status: 403 });
    }
  });

  it('D35: guests are not tracked with the corporation', async () => {
    const { id } = await makeGuest();
    const { body } = await inviter.corporation.tracking({ params: { corporation_id: HOST } });
    expect(JSON.stringify(body)).not.toContain(String(id));
  });
});

describe('GET /corporation/{corporation_id}/guest: list guests of the corporation', () => {
  it('D9: UserShort, ordered by name ignoring case, then id; only guests of this corporation', async () => {
    const names = ['bo', 'Ann', 'ANN', 'Ödön', 'zoe', 'Bo'];
    const first = 2_140_000_000;
    for (const [index, name] of names.entries()) {
      await addUser(app, { id: first + index, level: -1, corporation: OUTSIDE, name });
    }
    await addUser(app, { id: first + 10, level: 0, corporation: OUTSIDE, name: 'A member' });
    const answer = await root.corporation.listGuests({ params: { corporation_id: OUTSIDE } });
    expect(answer.body).toEqual(
      [1, 2, 0, 5, 4, 3].map((index) => ({ character_id: first + index, character_name: names[index] })),
    );
  });

  it('D9: guests are not in GET /user', async () => {
    const { id } = await makeGuest();
    expect((await root.user.list()).body).not.toContainEqual(expect.objectContaining({ character_id: id }));
  });
});

describe('DELETE /corporation/{corporation_id}/guest/{character_id}: delete a guest', () => {
  it('D28: deletes that guest: its tokens are deleted, its refresh token is revoked at the provider (D19b)', async () => {
    const { id, token } = await makeGuest();
    const revoked = () => app.provider.requests.filter(({ path }) => path === '/v2/oauth/revoke').length;
    const before = revoked();
    expect(await app.client(token).token.current()).toMatchObject({ status: 403 });
    expect(await remove(id)).toMatchObject({ status: 200, body: undefined });
    expect(await app.client(token).token.current()).toMatchObject({
      status: 401,
      body: { detail: 'The token was revoked or is unknown.', code: 'token_revoked' },
    });
    expect(await userRow(app, id)).toBeUndefined();
    for (const table of ['tokens', 'grants']) {
      const column = table === 'tokens' ? 'owner_id' : 'character_id';
      const { rows } = await sql`select from ${sql.table(table)} where ${sql.ref(column)} = ${id}`.execute(
        app.db,
      );
      expect(rows).toEqual([]);
    }
    await vi.waitFor(() => expect(revoked()).toBe(before + 1), { timeout: 60_000 });
    expect(await guestsOf(HOST)).not.toContainEqual(expect.objectContaining({ character_id: id }));
  });

  it('D19b: deletion is no ban: the guest may be invited again', async () => {
    const { id } = await makeGuest();
    await remove(id);
    await makeGuest(id);
  });

  it('D27: a guest whom a group forbids to log in is deleted by level 9 alone, as another invitation would let it in', async () => {
    const { id } = await makeGuest();
    const character_name = (await userRow(app, id))?.character_name as string;
    const params = await ok(root.group.create({ body: { group_name: 'Barred' } }));
    const body = { add_members: [character_name], authorized_to_login: false };
    await ok(root.group.update({ params, body }));
    expect(await remove(id)).toMatchObject({ status: 403, body: { code: 'level_too_low' } });
    expect(await userRow(app, id)).toBeDefined();
    expect(await remove(id, root)).toMatchObject({ status: 200 });
    await ok(root.group.delete({ params }));
  });

  it('D18b: the voice autogroup forbids a guest nothing, so that it is deleted as others are', async () => {
    const { id } = await makeGuest();
    const group_id = await inTransaction(app.db, (tx) => ensureVoiceGroup(tx, 'Voice', app.clock.now()));
    // As of one who was on voice as a member.
    await enterGroup(app.db, group_id, id);
    await ok(root.group.update({ params: { group_id }, body: { authorized_to_login: false } }));
    expect(await remove(id)).toMatchObject({ status: 200 });
    await app.db.deleteFrom('groups').where('group_id', '=', group_id).execute();
  });

  it('D111: nor does anybody below level 9 delete one whom a group bars from another one, if level 9 has set that', async () => {
    const [{ id }, { id: another }] = [await makeGuest(), await makeGuest()];
    const suspended = await ok(root.group.create({ body: { group_name: 'Suspended' } }));
    const names = await Promise.all(
      [id, another].map(async (who) => (await userRow(app, who))?.character_name),
    );
    await ok(root.group.update({ params: suspended, body: { add_members: names as string[] } }));
    const officers = await ok(root.group.create({ body: { group_name: 'Officers' } }));
    const policy = {
      joining: 'open' as const,
      eligible: { corporations: [HOST], groups_none: [suspended.group_id] },
    };
    await ok(root.group.setPolicy({ params: officers, body: policy }));
    expect(await remove(id)).toMatchObject({ status: 403, body: { code: 'level_too_low' } });
    const { members } = await ok(root.group.get({ params: suspended }));
    expect(members).toContainEqual(expect.objectContaining({ character_id: id }));
    expect(await remove(id, root)).toMatchObject({ status: 200 });
    // An owner of both keeps nobody from those who answer for the corporation (D15).
    const owner = (await userRow(app, 2_120_000_001))?.character_name as string;
    for (const params of [officers, suspended]) await ok(root.group.update({ params, body: { owner } }));
    await ok(inviter.group.setPolicy({ params: officers, body: policy }));
    expect(await remove(another)).toMatchObject({ status: 200 });
    for (const params of [officers, suspended]) await ok(root.group.delete({ params }));
  });

  it('404 for a member, for a guest of another corporation and for an unknown id; 0 is no valid id here', async () => {
    const member = 2_120_000_001;
    const { id: elsewhere } = await makeGuest(stranger(), OTHER_HOST);
    for (const id of [member, elsewhere, 2_112_999_999]) {
      expect(await remove(id)).toMatchObject({
        status: 404,
        body: { detail: `Could not find guest ${id}` },
      });
    }
    expect(await userRow(app, member)).toMatchObject({ clearance_level: 1 });
    expect(await userRow(app, elsewhere)).toMatchObject({ clearance_level: -1 });
    expect(await remove(0)).toMatchObject({ status: 422 });
  });

  it('D15: needs level 2 and write authority over the corporation', async () => {
    const { id } = await makeGuest();
    const foreign = await callerAt(app, { id: 2_120_000_003, level: 7, corporation: OUTSIDE });
    expect(await remove(id, inviter)).toMatchObject({ status: 403 });
    expect(await remove(id, foreign)).toMatchObject({ status: 403 });
    expect(await userRow(app, id)).toBeDefined();
    expect(await remove(id, deleter)).toMatchObject({ status: 200 });
  });

  it('a guest who becomes a member in the meantime is not deleted', async () => {
    const { id } = await makeGuest();
    let removal: ReturnType<typeof remove> | undefined;
    await app.db.transaction().execute(async (tx) => {
      await tx.updateTable('users').set({ clearance_level: 0 }).where('character_id', '=', id).execute();
      removal = remove(id);
      const waiting = sql`
        select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      await expect.poll(async () => (await waiting.execute(app.db)).rows).not.toEqual([]);
    });
    expect(await removal).toMatchObject({ status: 404 });
    expect(await userRow(app, id)).toMatchObject({ clearance_level: 0 });
  });
});
