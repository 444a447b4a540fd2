import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Event } from '../../contract/event.ts';
import { inTransaction } from '../../server/database/transaction.ts';
import { soleId } from '../../server/person/person-id.ts';
import { saveSnapshot } from '../../server/registry/save-snapshot.ts';
import { eventNews } from '../fixtures/events.ts';
import { letIn } from '../fixtures/registry.ts';
import { addHome, addMember, addOrganizations, addUser, HOME, makeToken, uuidOf } from '../fixtures/users.ts';
import { type Client, startTestApp, type TestApp } from '../harness/app.ts';
import { meanwhile } from '../harness/meanwhile.ts';
import { trySignIn } from '../harness/sign-in.ts';

const COUSINS = 98_100_777;
const ALLIANCE = 99_000_001;
/** A member of a corporation of the alliance that is not registered yet. */
const FIRST = 2_112_000_023;
let app: TestApp;
let root: Client;
beforeAll(async () => {
  app = await startTestApp();
  root = app.client(app.root);
  await addHome(app);
  await addOrganizations(app, [{ corporations: [COUSINS] }]);
});
afterAll(() => app.stop());

const news = eventNews(() => app.db);
/** The distinct types of the events of some work, in order. */
async function typesOf(work: () => Promise<unknown>): Promise<string[]> {
  await news();
  await work();
  return [...new Set((await news()).map(({ type }) => type))];
}
let ids = 2_116_000_000;
async function member(level = 0) {
  ids += 1;
  return addMember(app, ids, level);
}
beforeEach(news);

type Done<A> = A extends { status: 200 | 201; body: infer B } ? B : never;
async function ok<A extends { status: number; body: unknown }>(answer: Promise<A>): Promise<Done<A>> {
  const { status, body } = await answer;
  if (status >= 300) throw new Error(`${status}: ${JSON.stringify(body)}`);
  return body as Done<A>;
}

describe('D91: the events of each operation', () => {
  it('a refused sign-in, one that registers a user, and one that changes nothing', async () => {
    const dyn = await app.dynamicToken();
    const signIn = () => trySignIn(app, { characterId: FIRST }, { dyn });
    await news();
    await signIn();
    const app_token = uuidOf(dyn);
    const actor = { kind: 'user', character_id: FIRST, app_token };
    expect(await news()).toMatchObject([{ type: 'user.sign_in_refused', actor }]);
    await letIn(app, { alliances: [ALLIANCE] });
    await news();
    await signIn();
    const events = await news();
    const registered = events.find(({ type }) => type === 'corporation.registered');
    const consequences = events.filter(({ type }) =>
      /^(user.registered|(group|corporation).members)/.test(type),
    );
    expect(consequences.length).toBeGreaterThan(2);
    expect(events.indexOf(consequences[0] as Event)).toBeGreaterThan(0);
    for (const { cause } of consequences) expect(cause).toMatchObject({ event_id: expect.any(String) });
    expect(registered?.cause).toBeNull();
    const first = [...new Set(events.map(({ type }) => type))];
    expect(first).toEqual([
      ...['group.created', 'corporation.registered', 'alliance.members_changed', 'user.registered'],
      ...[
        'corporation.members_changed',
        'group.members_changed',
        'grant.given',
        'user.signed_in',
        'token.created',
      ],
    ]);
    expect(await typesOf(signIn)).toEqual(['user.signed_in', 'token.created']);
  });

  it('a level, and with it the login permission', async () => {
    const { id } = await member();
    await root.user.update({ params: { character_id: id }, body: { clearance_level: 5 } });
    expect(await news()).toMatchObject([
      {
        type: 'user.standing_changed',
        targets: [{ type: 'user', id: String(id) }],
        changes: [{ field: 'clearance_level', before: 0, after: 5 }],
        actor: { kind: 'app', character_id: 0 },
      },
    ]);
  });

  it("the leader of the alliance that a corporation joins gets the office's level back, and that is told", async () => {
    const [LED, JOINING, LEADER] = [99_100_888, 98_100_889, 98_100_888] as const;
    await addOrganizations(app, [{ alliance: LED, corporations: [LEADER] }, { corporations: [JOINING] }]);
    await addUser(app, { id: LEADER, corporation: LEADER });
    await news();
    const joining = {
      ...{ corporation_id: JOINING, corporation_name: 'Joining', ticker: 'JOIN', alliance_id: LED },
      ...{ ceo_id: JOINING, ceo_name: 'Joe' },
    };
    const snapshot = { alliances: [], corporations: [joining], characters: [] };
    await inTransaction(app.db, (tx) => saveSnapshot(tx, snapshot, app.clock.now()));
    expect((await news()).find(({ type }) => type === 'user.standing_changed')).toMatchObject({
      targets: [{ type: 'user', id: String(LEADER) }],
      changes: [{ field: 'clearance_level', before: 0, after: 4 }],
    });
  });

  it('the deletion of a user, and the memberships that end with it', async () => {
    const { id, name } = await member();
    const { group_id } = await ok(root.group.create({ body: { group_name: `Of ${id}` } }));
    await root.group.update({ params: { group_id }, body: { add_members: [name], owner: name } });
    await news();
    await root.user.delete({ params: { character_id: id } });
    const events = await news();
    expect(events[0]?.type).toBe('user.deleted');
    const types = ['corporation.members_changed', 'group.members_changed', 'group.updated'];
    expect(new Set(events.slice(1).map(({ type }) => type))).toEqual(new Set(types));
    const owner = { field: 'owner', before: id, after: null };
    for (const { type, changes } of events.slice(1))
      expect(changes).toEqual([
        type === 'group.updated' ? owner : { field: 'members', added: [], removed: [id] },
      ]);
    const cause = { event_id: events[0]?.event_id };
    const left = events.filter(({ targets }) => targets[0]?.id === group_id);
    expect(left).toMatchObject([{ cause }, { cause }]);
    // The organizations and their autogroups as well.
    expect(events.slice(1).map((event) => event.cause?.event_id)).toEqual(
      events.slice(1).map(() => cause.event_id),
    );
    await root.group.delete({ params: { group_id } });
    expect((await news()).at(-1)).toMatchObject({
      type: 'group.deleted',
      changes: expect.arrayContaining([{ field: 'group_name', before: `Of ${id}`, after: null }]),
    });
  });

  it('D91: what becomes of the person of a deleted user follows from the deletion', async () => {
    const [one, other, third] = [await member(), await member(), await member()];
    for (const { id } of [other, third]) {
      const { person_id } = await ok(root.user.person({ params: { character: String(one.id) } }));
      const body = { person_id: soleId(id), reason: 'One human.' };
      await ok(root.person.merge({ params: { person_id }, body }));
    }
    const unlinked = ({ id, name }: typeof one) => ({
      type: 'person.character_unlinked',
      targets: [{ id: String(id), name }, {}],
    });
    const main = {
      type: 'person.main_changed',
      changes: [{ field: 'main', before: one.id, after: other.id }],
    };
    for (const [gone, told] of [
      [one, [unlinked(one), main]],
      [other, [unlinked(other), unlinked(third)]],
    ] as const) {
      await news();
      await ok(root.user.delete({ params: { character_id: gone.id } }));
      const [deletion, ...others] = await news();
      expect(deletion?.type).toBe('user.deleted');
      const ofPersons = others.filter(({ type }) => type.startsWith('person.'));
      const cause = { event_id: deletion?.event_id };
      expect(ofPersons).toMatchObject(told.map((event) => ({ ...event, cause })));
    }
  });

  it('a coalition: its members, and as consequences with the cause their autogroups and standings', async () => {
    const { id } = await member();
    const body = { coalition_name: 'Pact', ticker: 'P' };
    const { coalition_id } = await ok(root.coalition.create({ body }));
    expect((await news()).map(({ type }) => type)).toEqual(['coalition.created']);
    const params = { coalition_id };
    await ok(root.coalition.update({ params, body: { add_member_alliances: [HOME.alliance] } }));
    const joined = await news();
    const [changed] = joined;
    expect(changed).toMatchObject({
      type: 'coalition.members_changed',
      changes: [{ field: 'member_alliances', added: [HOME.alliance], removed: [] }],
    });
    expect(joined.map(({ type }) => type)).toContain('group.created');
    expect(
      joined.find(({ type, targets }) => type === 'user.standing_changed' && targets[0]?.id === String(id)),
    ).toMatchObject({
      changes: [{ field: 'coalitions', after: expect.arrayContaining([coalition_id]) }],
      cause: { event_id: changed?.event_id },
    });
    const members = joined.find(
      ({ type, targets }) => type === 'group.members_changed' && targets[0]?.name === 'Pact',
    );
    expect(members?.changes).toMatchObject([{ field: 'members', added: expect.arrayContaining([id]) }]);
    await ok(root.coalition.delete({ params }));
    const deletion = await news();
    const types = deletion.map(({ type }) => type);
    expect(deletion[0]).toMatchObject({
      type: 'coalition.deleted',
      changes: expect.arrayContaining([{ field: 'ticker', before: 'P', after: null }]),
    });
    expect(deletion.at(-1)).toMatchObject({
      type: 'group.deleted',
      changes: [{ field: 'group_name', before: 'Pact', after: null }],
    });
    expect(types).toContain('user.standing_changed');
  });

  it('a group that bars its members: who may no longer log in', async () => {
    const { id, name } = await member();
    const { group_id } = await ok(root.group.create({ body: { group_name: 'Banned' } }));
    const params = { group_id };
    await root.group.update({ params, body: { authorized_to_login: false } });
    await news();
    const login = async () =>
      (await news())
        .filter(({ type }) => type === 'user.standing_changed')
        .map(({ targets, changes }) => [targets[0]?.id, changes]);
    await root.group.update({ params, body: { add_members: [name] } });
    expect(await login()).toEqual([[String(id), [{ field: 'may_log_in', before: true, after: false }]]]);
    // It does not bar administrators (D27b).
    for (const clearance_level of [9, 0]) {
      await ok(root.user.update({ params: { character_id: id }, body: { clearance_level } }));
      const may_log_in = clearance_level === 9;
      expect(await login()).toEqual([
        [
          String(id),
          [
            { field: 'clearance_level', before: 9 - clearance_level, after: clearance_level },
            { field: 'may_log_in', before: !may_log_in, after: may_log_in },
          ],
        ],
      ]);
    }
    await root.group.delete({ params });
    expect(await login()).toEqual([[String(id), [{ field: 'may_log_in', before: false, after: true }]]]);
  });

  it('tokens', async () => {
    const body = { callback: 'http://127.0.0.1:9/app' };
    expect(await typesOf(() => ok(root.token.createPermanent({ body })))).toEqual(['token.created']);
    expect(await typesOf(() => ok(root.token.createUserToken()))).toEqual(['token.created']);
    const { uuid } = await makeToken(app, 'per', 0);
    expect(await typesOf(() => ok(root.token.delete({ query: { uuid } })))).toEqual(['token.deleted']);
    const { jwt } = await member();
    expect(await typesOf(() => ok(app.client(jwt).token.logout()))).toEqual(['token.deleted']);
  });

  it('scopes of corporations and alliances, guest codes, runs of jobs', async () => {
    const scopes = { mandatory_ext_scopes: ['ext-mail.read_mail.v1' as const] };
    const corporation = { params: { corporation_id: COUSINS } };
    expect(await typesOf(() => ok(root.corporation.update({ ...corporation, body: scopes })))).toEqual([
      'corporation.updated',
    ]);
    expect(await typesOf(() => ok(root.corporation.update({ ...corporation, body: scopes })))).toEqual([]);
    expect(await typesOf(() => ok(root.corporation.createGuestCode(corporation)))).toEqual([
      'corporation.guest_invited',
    ]);
    const job = { params: { job_id: 'maintenance' } };
    expect(await typesOf(() => ok(root.system.runJob(job)))).toEqual(['job.requested']);
  });

  it('reading another user’s data: once an hour, and none for the own data', async () => {
    const { id, jwt } = await member();
    const read = (client: Client) => ok(client.history.wallet({ params: { character_id: id } }));
    expect(await typesOf(() => read(app.client(jwt)))).toEqual([]);
    expect(await typesOf(() => read(root))).toEqual(['history.read']);
    expect(await typesOf(() => read(root))).toEqual([]);
    app.clock.advance(3_600_001);
    expect(await typesOf(() => read(root))).toEqual(['history.read']);
    // Another owner has not been told of any.
    await app.db.updateTable('users').set({ owner_hash: 'new' }).where('character_id', '=', id).execute();
    expect(await typesOf(() => read(root))).toEqual(['history.read']);
  });

  it('reading another user’s data: once, however many read at the same time', async () => {
    const { id } = await member();
    const read = () => ok(root.history.wallet({ params: { character_id: id } }));
    // The first one cannot be told before the others come.
    await meanwhile(app, 'lock table events in share mode', [], () =>
      Promise.all(Array.from({ length: 10 }, read)),
    );
    expect((await news()).map(({ type }) => type)).toEqual(['history.read']);
  });

  it('reading another user’s data: again if it could not be told', async () => {
    const { id } = await member();
    const read = () => root.history.wallet({ params: { character_id: id } });
    await sql`alter table events add constraint refused check (type <> 'history.read') not valid`.execute(
      app.db,
    );
    const refused = await Promise.all([read(), read()]);
    await sql`alter table events drop constraint refused`.execute(app.db);
    expect(refused.map(({ status }) => status)).toEqual([500, 500]);
    expect(await typesOf(() => ok(read()))).toEqual(['history.read']);
  });

  it('D91: what was refused was not read', async () => {
    const { id } = await member();
    const params = { character_id: id };
    const beyond = await root.history.wallet({ params, headers: { page: 2 } });
    expect(beyond.status).toBe(422);
    expect((await root.history.mail({ params: { ...params, mail_id: 5 } })).status).toBe(404);
    expect((await root.history.storeLocation({ params })).status).toBe(404);
    expect(await news()).toEqual([]);
    expect(await typesOf(() => ok(root.history.wallet({ params })))).toEqual(['history.read']);
  });

  it('D94: asking for data without a grant uses none', async () => {
    const { id } = await member();
    const params = { esi_path: `characters/${id}/skills` };
    const ask = () => root.ext.forward({ params, body: { on_behalf_of: id } });
    expect(await ask()).toMatchObject({ status: 404, body: { code: 'no_refresh_token' } });
    expect(await news()).toEqual([]);
  });

  it('leaving a group that lets its members in: by the member, by its policy', async () => {
    const { group_id } = await ok(root.group.create({ body: { group_name: 'Pilots' } }));
    const params = { group_id };
    await ok(root.group.update({ params, body: { authorized_to_login: true } }));
    const [leaver, stranger] = [++ids, ++ids];
    const names = [await addUser(app, { id: leaver }), await addUser(app, { id: stranger })];
    await ok(root.group.update({ params, body: { add_members: names } }));
    const barred = async () =>
      (await news())
        .filter(({ type }) => type === 'user.standing_changed')
        .map(({ targets, changes }) => [targets[0]?.id, changes]);
    expect(await barred()).toHaveLength(2);
    const lost = [{ field: 'may_log_in', before: true, after: false }];
    const { jwt } = await makeToken(app, 'per', leaver, uuidOf(app.root));
    await ok(app.client(jwt).group.leave({ params }));
    expect(await barred()).toEqual([[String(leaver), lost]]);
    const eligible = { corporations: [HOME.corporation] };
    await ok(root.group.setPolicy({ params, body: { joining: 'open', eligible, grace_hours: 0 } }));
    expect(await barred()).toEqual([[String(stranger), lost]]);
  });
});
