import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { addGrants } from '../fixtures/grants.ts';
import { letIn, setLevel } from '../fixtures/registry.ts';
import { addHome, addMember, addUser, HOME, makeToken, uuidOf } from '../fixtures/users.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { INSUFFICIENT, needs } from '../harness/refusals.ts';

let app: TestApp;
let lastId = 2_170_000_000;

beforeAll(async () => {
  app = await startTestApp({ worker: true });
  await addHome(app);
});
afterAll(() => app.stop());

const FORBIDDEN = { status: 403, body: { detail: INSUFFICIENT } };

function remove(id: number, token = app.root) {
  return app.client(token).user.delete({ params: { character_id: id } });
}

const status = async (token: string) => (await app.client(token).user.list()).status;

describe('D15: who may delete a user', () => {
  it('level 9, with at least the level of the user', async () => {
    const [eight, nine, ten] = [
      await addMember(app, ++lastId, 8),
      await addMember(app, ++lastId, 9),
      await addMember(app, ++lastId, 10),
    ];
    const target = await addMember(app, ++lastId, 0);
    expect(await remove(target.id, eight.jwt)).toMatchObject(FORBIDDEN);
    await setLevel(app, target.id, 10);
    expect(await remove(target.id, nine.jwt)).toMatchObject({
      status: 403,
      body: { detail: needs(10, 9, 'deleting a user of level 10') },
    });
    await setLevel(app, target.id, 9);
    expect(await remove(target.id, nine.jwt)).toMatchObject({ status: 200, body: undefined });
    expect(await remove(nine.id, ten.jwt)).toMatchObject({ status: 200 });
  });

  it('the level of the token counts, if it is below that of its owner (D23)', async () => {
    const sponsor = await addMember(app, ++lastId, 9);
    const per = await makeToken(app, 'per', sponsor.id, uuidOf(app.root));
    const made = await app.client(per.jwt).token.createUserToken();
    if (made.status !== 200) throw new Error('no user token');
    const target = await addMember(app, ++lastId, 10);
    expect(await remove(target.id, made.body.user_token)).toMatchObject(FORBIDDEN);
    await setLevel(app, target.id, 9);
    expect(await remove(target.id, made.body.user_token)).toMatchObject({ status: 200 });
  });

  it('D16: nobody deletes the built-in user', async () => {
    expect(await remove(0)).toMatchObject({
      status: 403,
      body: {
        detail: 'Insufficient clearance level: nobody deletes the built-in user.',
        code: 'forbidden_to_all',
      },
    });
    expect(await status(app.root)).toBe(200);
  });

  it('D6: a user that does not exist is a 404', async () => {
    expect(await remove(7)).toMatchObject({ status: 404, body: { detail: 'Could not find user 7' } });
  });

  it('a guest can be deleted', async () => {
    const id = ++lastId;
    await addUser(app, { id, level: -1, corporation: HOME.corporation });
    expect(await remove(id)).toMatchObject({ status: 200 });
    expect(await remove(id)).toMatchObject({ status: 404 });
  });
});

describe('D19b: what is deleted with a user', () => {
  it('its tokens with all their descendants, and their state codes', async () => {
    const user = await addMember(app, ++lastId, 10);
    const per = await makeToken(app, 'per', user.id, uuidOf(app.root));
    const made = await app.client(per.jwt).token.createDynamic({ body: { callback: 'http://127.0.0.1:9/' } });
    if (made.status !== 200) throw new Error('no dynamic token');
    const dyn = made.body.tkn;
    const stranger = await addMember(app, ++lastId);
    const descendants = [
      await makeToken(app, 'use', stranger.id, uuidOf(dyn)),
      await makeToken(app, 'use', 0, per.uuid),
    ];
    const login = await app.client(dyn).token.startLogin();
    expect(login.status).toBe(200);

    expect((await remove(user.id)).status).toBe(200);

    for (const { jwt } of [user, per, ...descendants]) expect(await status(jwt)).toBe(401);
    expect((await app.client(dyn).token.startLogin()).status).toBe(401);
    const codes = await app.db.selectFrom('state_codes').select('app_token').execute();
    expect(codes.map(({ app_token }) => app_token)).not.toContain(uuidOf(dyn));
    // Tokens that another user got elsewhere stay.
    expect(await status(stranger.jwt)).toBe(200);
  });

  it('memberships; groups that it owned have no owner', async () => {
    const user = await addMember(app, ++lastId, 9);
    const group = await app.client(user.jwt).group.create({ body: { group_name: 'Orphans' } });
    if (group.status !== 201) throw new Error(`no group: ${group.status}`);
    const { group_id } = group.body;
    const other = await addMember(app, ++lastId);
    await app.client(app.root).group.update({ params: { group_id }, body: { add_members: [other.name] } });
    await remove(user.id);
    expect(await app.client(app.root).group.get({ params: { group_id } })).toMatchObject({
      status: 200,
      body: { owner: null, members: [{ character_id: other.id }] },
    });
  });

  it.each([
    ['owns', true],
    ['is in', false],
  ])('locks the groups that it %s before the user, so that there is no deadlock', async (_, isOwner) => {
    const user = await addMember(app, ++lastId, 9);
    const owner = isOwner ? user : await addMember(app, ++lastId, 9);
    const group_name = `Being updated ${lastId}`;
    const group = await app.client(owner.jwt).group.create({ body: { group_name } });
    if (group.status !== 201) throw new Error(`no group: ${group.status}`);
    const { group_id } = group.body;
    await app.client(owner.jwt).group.update({ params: { group_id }, body: { add_members: [user.name] } });
    let removal: ReturnType<typeof remove> | undefined;
    await app.db.transaction().execute(async (update) => {
      await sql`select from groups where group_id = ${group_id} for no key update`.execute(update);
      removal = remove(user.id);
      const waiting = sql`
        select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      await expect.poll(async () => (await waiting.execute(app.db)).rows).not.toEqual([]);
      await sql`select from users where character_id = ${user.id} for key share nowait`.execute(update);
    });
    expect((await removal)?.status).toBe(200);
  });

  /** A corporation of the simulated game whose members are let in. */
  async function admitted() {
    const corporation = app.provider.world.corporations.find(({ npc, closed }) => !npc && !closed);
    if (corporation?.ceoId == null) throw new Error('the world has no such corporation');
    await letIn(app, { corporations: [corporation.id] });
    const { id, ceoId } = corporation;
    const member = app.provider.world.membersOf(id).find((member) => member !== ceoId);
    return { id, ceoId, member: member as number };
  }

  it('refresh tokens, which are revoked at the provider; its corporation keeps it as CEO', async () => {
    const { id, ceoId } = await admitted();
    const { user, token } = await app.signIn(ceoId);
    expect(user).toMatchObject({ is_ceo_of_corporation: true, available_ext_scopes: ['publicData'] });
    const revoked = () => app.provider.requests.filter(({ path }) => path === '/v2/oauth/revoke').length;
    const before = revoked();

    expect((await remove(ceoId)).status).toBe(200);

    expect(await status(token)).toBe(401);
    const grants = await app.db.selectFrom('grants').select('character_id').execute();
    expect(grants.map(({ character_id }) => character_id)).not.toContain(ceoId);
    await vi.waitFor(() => expect(revoked()).toBe(before + 1), { timeout: 60_000 });
    expect(await app.client(app.root).corporation.get({ params: { corporation_id: id } })).toMatchObject({
      status: 200,
      body: { ceo: { character_id: ceoId, character_name: user.character_name } },
    });
  });

  it('D34: refresh tokens that are dead, without revoking them: their encryption key may be gone', async () => {
    const [id = 0] = await addGrants(app, 2, ['ext-wallet.read_character_wallet.v1'], 50);
    const grants = () =>
      app.db
        .selectFrom('grants')
        .selectAll()
        .where('character_id', 'in', [id, id + 1]);
    const [, living] = await grants().orderBy('character_id').execute();
    const dead = { valid: false, cause: 'invalid_grant: Token missing/expired' };
    await app.db.updateTable('grants').set(dead).where('character_id', '=', id).execute();
    const ids = (await grants().execute()).map(({ grant_id }) => grant_id);

    for (const each of [id, id + 1]) expect((await remove(each)).status).toBe(200);

    expect(await grants().execute()).toEqual([]);
    const { rows } = await sql`
      select data->>'grant_id' as revoked from pgboss.job
      where name = 'revoke-grant' and data->>'grant_id' = any(${ids}::text[])`.execute(app.db);
    expect(rows).toEqual([{ revoked: living?.grant_id }]);
  });

  it('deletion is no ban: signing in registers the user again at level 0', async () => {
    const { member } = await admitted();
    const { token } = await app.signIn(member);
    await setLevel(app, member, 9);
    expect((await remove(member)).status).toBe(200);
    const again = await app.signIn(member);
    expect(again.user).toMatchObject({ character_id: member, clearance_level: 0 });
    expect(await status(token)).toBe(401);
  });
});
