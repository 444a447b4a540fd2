import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Event } from '../../contract/event.ts';
import { type Group, ok } from '../../sdk/src/index.ts';
import { judgeMemberships } from '../../server/application/judge-memberships.ts';
import { inTransaction } from '../../server/database/transaction.ts';
import { saveSnapshot } from '../../server/registry/save-snapshot.ts';
import { noticeHandover } from '../../server/sign-in/notice-handover.ts';
import { eventsOf, misfits } from '../fixtures/events.ts';
import { apply, decide, joiningScenes, type Person, type Scene } from '../fixtures/joining.ts';
import { letIn, setLevel } from '../fixtures/registry.ts';
import { addOrganizations, makeToken, uuidOf } from '../fixtures/users.ts';
import { type Client, startTestApp, type TestApp } from '../harness/app.ts';
import { meanwhile, untilBehind } from '../harness/meanwhile.ts';
import { testRun } from '../harness/run.ts';
import { atTwoProcesses, trySignIn } from '../harness/sign-in.ts';

/** Writes that read something before they wait for a lock, while another write changes it. */

const [ONE, OTHER] = [98_970_001, 98_970_002] as const;
const IN_GAME = 98_000_011;
const TRADED = 2_112_000_049;
const DELETE = 'delete from users where character_id = $1';
/** All of a user's memberships, which whoever deletes it or hands it over locks after the user itself. */
const MEMBERSHIPS = 'select from group_members where character_id = $1 for update';

let app: TestApp;
let root: Client;
let scenes: ReturnType<typeof joiningScenes>;

beforeAll(async () => {
  app = await startTestApp();
  root = app.client(app.root);
  await addOrganizations(app, [{ corporations: [ONE] }, { corporations: [OTHER] }]);
  await letIn(app, { corporations: [IN_GAME] });
  scenes = joiningScenes(app, 7_900_000, [ONE, OTHER]);
});
afterAll(() => app.stop());

const group = () => ok(root.group.create({ body: { group_name: `Overtaken ${scenes.next()}` } }));

/** Gives a character the owner who sells it. */
async function sell({ id }: Person): Promise<void> {
  const seller = app.db.updateTable('users').set({ owner_hash: 'seller' });
  await seller.where('character_id', '=', id).execute();
}

/** Has the game hand a character over, as the new owner's sign-in notices. */
async function handOver(person: Person): Promise<void> {
  const { id, name } = person;
  await sell(person);
  await noticeHandover(app.app.services, { characterId: id, characterName: name, ownerHash: 'buyer' });
}

/** The character is handed over while the work, which began before, waits for what `lock` locks. */
async function handedOverDuring<T>(
  person: Person,
  [lock, ...values]: readonly [string, ...unknown[]],
  work: () => Promise<T>,
): Promise<T> {
  let handing: Promise<void> | undefined;
  const done = await meanwhile(app, lock, values, work, async (other) => {
    handing = handOver(person);
    await untilBehind(other, 2, handing);
  });
  await handing;
  return done;
}

describe('a policy that is set', () => {
  it('D111: while a moderator is handed over, leaves the new owner no moderator', async () => {
    const { owner, moderator, params } = await scenes.scene();
    const named = await group();
    const lock = 'select from groups where group_id = $1 for update';
    const body = { eligible: { groups_any: [named.group_id] } };
    const events = await eventsOf(app.db, () =>
      handedOverDuring(moderator, [lock, named.group_id], () =>
        ok(owner.client.group.setPolicy({ params, body })),
      ),
    );
    expect((await ok(root.group.policy({ params }))).moderators.users).toEqual([]);
    // Whoever follows the events knows it, too: the hand-over comes after the policy that still names him.
    const told = events.filter(({ type, targets }) =>
      type === 'group.updated' ? targets[0]?.id === params.group_id : type === 'user.handed_over',
    );
    expect(told.map(({ type }) => type)).toEqual(['group.updated', 'user.handed_over']);
  });

  it('D111: while a moderator is deleted, leaves it out', async () => {
    const { owner, moderator, params } = await scenes.scene();
    const answer = await meanwhile(app, DELETE, [moderator.id], () =>
      owner.client.group.setPolicy({ params, body: { grace_hours: 1 } }),
    );
    expect(answer).toMatchObject({ status: 200, body: { moderators: { users: [] } } });
  });

  it('D110: with a moderator who is being deleted, is a 404', async () => {
    const { owner, params } = await scenes.scene();
    const { id } = await scenes.person();
    const answer = await meanwhile(app, DELETE, [id], () =>
      owner.client.group.setPolicy({ params, body: { moderators: { users: [id] } } }),
    );
    expect(answer).toMatchObject({ status: 404, body: { detail: expect.stringContaining(String(id)) } });
  });

  it('D110: with a coalition that is being deleted, is a 404', async () => {
    const { owner, params } = await scenes.scene();
    const named = { coalition_name: `Named ${scenes.next()}`, ticker: 'N' };
    const { coalition_id: id } = await ok(root.coalition.create({ body: named }));
    const answer = await meanwhile(app, 'delete from coalitions where coalition_id = $1', [id], () =>
      owner.client.group.setPolicy({ params, body: { eligible: { coalitions: [id] } } }),
    );
    expect(answer).toMatchObject({ status: 404, body: { detail: expect.stringContaining(id) } });
  });

  it('D110: by its owner, while the group is given to another, is refused', async () => {
    const { owner, moderator, params } = await scenes.scene();
    await ok(root.group.update({ params, body: { add_members: [moderator.name] } }));
    const given = 'update groups set owner_id = $2 where group_id = $1';
    const answer = await meanwhile(app, given, [params.group_id, moderator.id], () =>
      owner.client.group.setPolicy({ params, body: { joining: 'open' } }),
    );
    expect(answer.status).toBe(403);
  });

  it('D110: while a group that it names is deleted, stays but for that', async () => {
    const [named, { params }] = [await group(), await scenes.scene()];
    const body = { eligible: { groups_any: [named.group_id], min_level: 1 } };
    await ok(root.group.setPolicy({ params, body }));
    const setting = `update group_policies set joining = 'closed', moderator_groups = '{}', coalitions = $2
      where group_id = $1`;
    await meanwhile(app, setting, [params.group_id, ['ab'.repeat(12)]], () =>
      ok(root.group.delete({ params: named })),
    );
    expect(await ok(root.group.policy({ params }))).toMatchObject({
      eligible: { coalitions: ['ab'.repeat(12)], groups_any: [] },
    });
  });

  it('D110: while the job waits, is the one by which it judges', async () => {
    const both = [await scenes.scene({ grace_hours: 0 }), await scenes.scene({ grace_hours: 0 })];
    // The job locks groups by their ids.
    const [first, { owner, applicant: member, params }] = both.sort((one, other) =>
      one.params.group_id < other.params.group_id ? -1 : 1,
    ) as [Scene, Scene];
    const asking = { eligible: { min_level: 2 } };
    await setLevel(app, member.id, 2);
    for (const one of [first.params, params]) {
      await ok(root.group.update({ params: one, body: { add_members: [member.name] } }));
    }
    await ok(owner.client.group.setPolicy({ params, body: asking }));
    await setLevel(app, member.id, 0);
    const lock = 'select from groups where group_id = $1 for update';
    const judge = () => judgeMemberships(app.app.services, testRun('judge-memberships'));
    await meanwhile(app, lock, [first.params.group_id], judge, () =>
      ok(owner.client.group.setPolicy({ params, body: { eligible: { min_level: 0 } } })),
    );
    expect(await scenes.isMember(params, member)).toBe(true);
  });
});

describe('a decision', () => {
  it('D111: about an application that is withdrawn at that moment, is a 409', async () => {
    const { moderator, applicant, params } = await scenes.scene();
    const asked = await apply(applicant, params);
    const withdrawn = `update applications set state = 'withdrawn', decided_on = now()
      where application_id = $1`;
    const answer = await meanwhile(app, withdrawn, [asked.application_id], () =>
      decide(moderator, asked, 'rejected'),
    );
    expect(answer).toMatchObject({ status: 409, body: { code: 'application_decided' } });
  });
});

describe('an application of OpenID Connect', () => {
  it('D81: that shall let in a group that is being deleted, is a 404', async () => {
    const body = { client_name: 'Wiki', redirect_uris: ['https://wiki.example/back'] };
    const { client_id } = await ok(root.oidc.createClient({ body }));
    const { group_id } = await group();
    const answer = await meanwhile(app, 'delete from groups where group_id = $1', [group_id], () =>
      root.oidc.updateClient({ params: { client_id }, body: { allowed_groups: [group_id] } }),
    );
    expect(answer).toMatchObject({ status: 404, body: { detail: expect.stringContaining(group_id) } });
  });
});

describe('a member who leaves', () => {
  it('D111: while it becomes the owner, is refused', async () => {
    const member = await scenes.person();
    const params = await group();
    await ok(root.group.update({ params, body: { add_members: [member.name] } }));
    const given = 'update groups set owner_id = $2 where group_id = $1';
    const answer = await meanwhile(app, given, [params.group_id, member.id], () =>
      member.client.group.leave({ params }),
    );
    expect(answer).toMatchObject({ status: 409, body: { code: 'owner_stays' } });
  });
});

describe('a hand-over', () => {
  it('D91: tells of every group that the character leaves, also of one that it was added to meanwhile', async () => {
    const person = await scenes.person();
    const params = await group();
    const { uuid } = await makeToken(app, 'per', person.id, uuidOf(app.root));
    let adding: Promise<unknown> | undefined;
    const events = await eventsOf(app.db, async () => {
      const lock = 'select from tokens where uuid = $1 for update';
      await meanwhile(
        app,
        lock,
        [uuid],
        () => handOver(person),
        async (other) => {
          adding = ok(root.group.update({ params, body: { add_members: [person.name] } }));
          await untilBehind(other, 2, adding);
        },
      );
      await adding;
    });
    const changes = events.flatMap(({ targets, changes }) =>
      targets[0]?.id === params.group_id ? changes.flatMap((one) => ('added' in one ? [one] : [])) : [],
    );
    const last = changes.findLast(({ added, removed }) => [...added, ...removed].includes(person.id));
    expect(last?.added.includes(person.id) ?? false).toBe(await scenes.isMember(params, person));
  });

  it('D29b: of two owners who sign in at once, one gets in', async () => {
    const dyn = await app.dynamicToken();
    const signIn = () => trySignIn(app, { characterId: TRADED }, { dyn });
    expect((await signIn()).status).toBe(302);
    let buyer: Promise<Response> | undefined;
    const lock = "select pg_advisory_xact_lock(hashtext('registering'), $1 % 256)";
    const seller = await atTwoProcesses(app, () =>
      meanwhile(app, lock, [TRADED], signIn, async (other) => {
        app.provider.world.handOver(TRADED);
        buyer = signIn();
        await untilBehind(other, 2);
      }),
    );
    const statuses = [seller.status, (await buyer)?.status];
    expect(statuses).toEqual([400, 302]);
    const tokens = app.db.selectFrom('tokens').select('uuid').where('owner_id', '=', TRADED);
    expect(await tokens.execute()).toHaveLength(1);
  });
});

describe('D91: what somebody else changes at the same moment', () => {
  it('is no consequence of a group that begins to say who may log in', async () => {
    const member = await scenes.person();
    await app.db.deleteFrom('group_members').where('character_id', '=', member.id).execute();
    const params = await group();
    const body = { authorized_to_login: true, add_members: [member.name] };
    const events = await eventsOf(app.db, () =>
      meanwhile(
        app,
        'lock table group_members in share mode',
        [],
        () => ok(root.group.update({ params, body })),
        () => ok(root.user.update({ params: { character_id: member.id }, body: { clearance_level: 3 } })),
      ),
    );
    const told = events.filter(({ type }) => type === 'user.standing_changed');
    expect(told.map(({ changes }) => changes)).toEqual([
      [{ field: 'clearance_level', before: 0, after: 3 }],
      [{ field: 'may_log_in', before: false, after: true }],
    ]);
    expect(misfits(events)).toEqual([]);
  });

  /** A coalition that lets ONE in, and stops doing so while the work waits for the lock; the events of both. */
  async function shutOutDuring(lock: string, work: () => Promise<unknown>): Promise<Event[]> {
    const params = await ok(
      root.coalition.create({ body: { coalition_name: `Open ${scenes.next()}`, ticker: 'O' } }),
    );
    await ok(root.coalition.update({ params, body: { add_member_corporations: [ONE] } }));
    const events = await eventsOf(app.db, () =>
      meanwhile(app, lock, [], work, () =>
        ok(root.coalition.update({ params, body: { authorized_to_login: false } })),
      ),
    );
    await ok(root.coalition.delete({ params }));
    return events;
  }
  /** What the events tell of whether a user may log in. */
  const logins = (events: readonly Event[], { id }: Person) =>
    events.flatMap(({ type, targets, changes }) =>
      type === 'user.standing_changed' && targets[0]?.id === String(id)
        ? changes.filter(({ field }) => field === 'may_log_in')
        : [],
    );
  const LOST = { field: 'may_log_in', before: true, after: false };
  const MEMBERS = 'lock table group_members in share mode';

  const silent = {
    'joins a group': (member: Person, { params }: Scene) => ok(member.client.group.apply({ params })),
    'leaves a group': ({ client }: Person, { params }: Scene) => ok(client.group.leave({ params })),
    'is in a group that is deleted': (_: Person, { params }: Scene) => ok(root.group.delete({ params })),
    'is given a level': ({ id }: Person) =>
      ok(root.user.update({ params: { character_id: id }, body: { clearance_level: 3 } })),
  };
  it.each([
    ['joins a group', MEMBERS],
    ['leaves a group', MEMBERS],
    ['is in a group that is deleted', MEMBERS],
    ['is given a level', 'lock table users in share mode'],
  ] as const)('is told once: a login that a coalition takes from a user who %s', async (how, lock) => {
    const member = await scenes.person();
    const scene = await scenes.scene({ joining: 'open' });
    const { params } = scene;
    if (how !== 'joins a group') {
      await ok(root.group.update({ params, body: { add_members: [member.name] } }));
    }
    const events = await shutOutDuring(lock, () => silent[how](member, scene));
    expect(logins(events, member)).toEqual([LOST]);
    expect(misfits(events)).toEqual([]);
  });

  it('is told once: a login that a coalition takes from a member of another one whose members change', async () => {
    const [stays, joins] = [await scenes.person(ONE), await scenes.person(OTHER)];
    for (const { id } of [stays, joins]) {
      await app.db.deleteFrom('group_members').where('character_id', '=', id).execute();
    }
    const body = { coalition_name: `Other ${scenes.next()}`, ticker: 'S' };
    const params = await ok(root.coalition.create({ body }));
    await ok(root.coalition.update({ params, body: { add_member_corporations: [ONE] } }));
    const events = await shutOutDuring('lock table coalition_corporations in share mode', () =>
      ok(root.coalition.update({ params, body: { add_member_corporations: [OTHER] } })),
    );
    await ok(root.coalition.delete({ params }));
    expect(logins(events, stays)).toEqual([LOST]);
    // Whoever joins gains a login by that, which is told as well.
    expect(logins(events, joins)).toEqual([{ field: 'may_log_in', before: false, after: true }]);
    expect(misfits(events)).toEqual([]);
  });

  const asking = { eligible: { min_level: 2 }, grace_hours: 0 };
  const speaking = {
    'its members change': (params: Group, { name }: Person) =>
      ok(root.group.update({ params, body: { remove_members: [name] } })),
    'its policy is set': (params: Group) => ok(root.group.setPolicy({ params, body: asking })),
    'its members are judged': () => judgeMemberships(app.app.services, testRun('judge-memberships')),
  };
  it.each(Object.keys(speaking) as (keyof typeof speaking)[])(
    'is told once: a login that a coalition takes from a member of a group that lets in while %s',
    async (how) => {
      const [stays, leaves] = [await scenes.person(ONE, 2), await scenes.person(OTHER, 2)];
      const letting = await group();
      const add_members = [stays.name, leaves.name];
      await ok(root.group.update({ params: letting, body: { authorized_to_login: true, add_members } }));
      if (how === 'its members are judged') {
        await ok(root.group.setPolicy({ params: letting, body: asking }));
        // Whoever stays there leaves another one, which says nothing about logins.
        const params = await group();
        await ok(root.group.update({ params, body: { add_members: [stays.name] } }));
        await setLevel(app, stays.id, 3);
        await ok(root.group.setPolicy({ params, body: { ...asking, eligible: { min_level: 3 } } }));
        await setLevel(app, stays.id, 2);
      }
      await setLevel(app, leaves.id, 0);
      // The group is what lets it in.
      const others = app.db.deleteFrom('group_members').where('character_id', '=', leaves.id);
      await others.where('group_id', '!=', letting.group_id).execute();
      const events = await shutOutDuring(MEMBERS, () => speaking[how](letting, leaves));
      expect(logins(events, stays)).toEqual([LOST]);
      // Whoever does leave loses the login by that, which is told as well.
      expect(logins(events, leaves)).toEqual([LOST]);
      expect(misfits(events)).toEqual([]);
    },
  );

  it('is told once: a user who is deleted while its coalition says who may log in', async () => {
    const member = await scenes.person(OTHER);
    const params = await ok(root.coalition.create({ body: { coalition_name: 'Overtaken', ticker: 'O' } }));
    await ok(root.coalition.update({ params, body: { add_member_corporations: [OTHER] } }));
    const events = await eventsOf(app.db, () =>
      meanwhile(
        app,
        'lock table coalitions in share mode',
        [],
        () => ok(root.coalition.update({ params, body: { authorized_to_login: false } })),
        () => ok(root.user.delete({ params: { character_id: member.id } })),
      ),
    );
    await ok(root.coalition.delete({ params }));
    expect(events.filter(({ type }) => type === 'user.deleted')).toHaveLength(1);
    expect(misfits(events)).toEqual([]);
  });

  const works = {
    deleted: ({ id }: Person) => ok(root.user.delete({ params: { character_id: id } })),
    'deleted as a guest': ({ id }: Person) =>
      ok(root.corporation.deleteGuest({ params: { corporation_id: ONE, character_id: id } })),
    'handed over': handOver,
    'given a level': ({ id }: Person) =>
      ok(root.user.update({ params: { character_id: id }, body: { clearance_level: 3 } })),
  };
  it.each([
    ['deleted', MEMBERSHIPS],
    ['deleted as a guest', MEMBERSHIPS],
    ['handed over', MEMBERSHIPS],
    ['given a level', 'lock table users in share mode'],
  ] as const)('is told once: a coalition that a user comes into while it is %s', async (how, lock) => {
    const member = await scenes.person(ONE, how === 'deleted as a guest' ? -1 : 0);
    if (how === 'handed over') await sell(member);
    const body = { coalition_name: `Joined ${scenes.next()}`, ticker: 'J' };
    const params = await ok(root.coalition.create({ body }));
    let joining: Promise<unknown> | undefined;
    const events = await eventsOf(app.db, async () => {
      await meanwhile<unknown>(
        app,
        lock,
        lock === MEMBERSHIPS ? [member.id] : [],
        () => works[how](member),
        async (other) => {
          joining = ok(root.coalition.update({ params, body: { add_member_corporations: [ONE] } }));
          await untilBehind(other, 2, joining);
        },
      );
      await joining;
    });
    expect(events.map(({ type }) => type)).toContain('coalition.members_changed');
    expect(misfits(events)).toEqual([]);
  });

  it('is told once: a user who moves while its coalition says who may log in', async () => {
    const { id, name } = await scenes.person();
    const params = await ok(root.coalition.create({ body: { coalition_name: 'Left', ticker: 'L' } }));
    await ok(root.coalition.update({ params, body: { add_member_corporations: [ONE] } }));
    const moved = { character_id: id, character_name: name, corporation_id: OTHER };
    const snapshot = { alliances: [], corporations: [], characters: [moved] };
    const events = await eventsOf(app.db, () =>
      meanwhile(
        app,
        'lock table coalitions in share mode',
        [],
        () => ok(root.coalition.update({ params, body: { authorized_to_login: false } })),
        () => inTransaction(app.db, (tx) => saveSnapshot(tx, snapshot, app.clock.now())),
      ),
    );
    expect(events.map(({ type }) => type)).toContain('user.moved');
    expect(misfits(events)).toEqual([]);
  });

  it('is told once: a group that a user leaves while it is deleted', async () => {
    const member = await scenes.person();
    const params = await group();
    await ok(root.group.update({ params, body: { add_members: [member.name] } }));
    // Somebody who tells it, as far as this test is concerned.
    const leave = 'delete from group_members where group_id = $1 and character_id = $2';
    const events = await eventsOf(app.db, () =>
      meanwhile(app, leave, [params.group_id, member.id], () =>
        ok(root.user.delete({ params: { character_id: member.id } })),
      ),
    );
    const left = events.filter(({ targets }) => targets[0]?.id === params.group_id);
    expect(left).toEqual([]);
    expect(events.map(({ type }) => type)).toContain('user.deleted');
  });

  it('is told once: a user who is deleted while the members of its group are replaced', async () => {
    const [gone, other] = [await scenes.person(), await scenes.person()];
    const params = await group();
    await ok(root.group.update({ params, body: { add_members: [gone.name, other.name] } }));
    const replace = () => ok(root.group.update({ params, body: { members: [] } }));
    const events = await eventsOf(app.db, () => meanwhile(app, DELETE, [gone.id], replace));
    expect(events.map(({ type, changes }) => [type, changes])).toEqual([
      ['group.members_changed', [{ field: 'members', added: [], removed: [other.id] }]],
    ]);
  });

  it('is told once: a user who is handed over while it is the only one to be removed', async () => {
    const gone = await scenes.person();
    const params = await group();
    await ok(root.group.update({ params, body: { add_members: [gone.name] } }));
    const { updated_on } = await ok(root.group.get({ params }));
    app.clock.advance(1_000);
    const leave = 'delete from group_members where group_id = $1 and character_id = $2';
    const replace = () => ok(root.group.update({ params, body: { members: [] } }));
    const work = () => meanwhile(app, leave, [params.group_id, gone.id], replace);
    expect(await eventsOf(app.db, work)).toEqual([]);
    expect(await ok(root.group.get({ params }))).toMatchObject({ updated_on });
  });

  it('is told once: a user who is deleted while its group is', async () => {
    const [gone, other] = [await scenes.person(), await scenes.person()];
    const params = await group();
    await ok(root.group.update({ params, body: { add_members: [gone.name, other.name] } }));
    const remove = () => ok(root.group.delete({ params }));
    const events = await eventsOf(app.db, () => meanwhile(app, DELETE, [gone.id], remove));
    expect(events.map(({ type, changes }) => [type, type === 'group.deleted' || changes])).toEqual([
      ['group.members_changed', [{ field: 'members', added: [], removed: [0, other.id] }]],
      ['group.deleted', true],
    ]);
  });

  it('is what a sign-in gives, of which the refresh token is declared dead', async () => {
    const dyn = await app.dynamicToken();
    const signIn = () => trySignIn(app, { characterId: TRADED }, { dyn });
    await signIn();
    // Somebody who tells it, as far as this test is concerned.
    const dead = 'update grants set valid = false where character_id = $1';
    const events = await eventsOf(app.db, () => meanwhile(app, dead, [TRADED], signIn));
    const given = events.filter(({ type }) => type.startsWith('grant.'));
    expect(given.map(({ type, changes }) => [type, changes])).toEqual([
      ['grant.given', [{ field: 'scopes', before: [], after: ['publicData'] }]],
    ]);
  });

  it('is what an application of OpenID Connect was before', async () => {
    const { client_id } = await ok(
      root.oidc.createClient({
        body: { client_name: 'Wiki', redirect_uris: ['https://wiki.example/back'] },
      }),
    );
    const params = { client_id };
    const groups = [await group(), await group()];
    const lock = 'select from oidc_clients where client_id = $1 for update';
    const events = await eventsOf(app.db, () =>
      meanwhile(
        app,
        lock,
        [client_id],
        () =>
          Promise.all(
            groups.map(({ group_id }) =>
              ok(root.oidc.updateClient({ params, body: { allowed_groups: [group_id] } })),
            ),
          ),
        (other) => untilBehind(other, 2),
      ),
    );
    expect(events.filter(({ type }) => type === 'oidc.client_updated')).toHaveLength(2);
    expect(misfits(events)).toEqual([]);
  });
});

it('D93: an application of the built-in user gets no more webhooks than allowed by asking for two at once', async () => {
  const { webhook } = app.client(await app.dynamicToken());
  const create = () => webhook.create({ body: { url: 'http://127.0.0.1:9/hook', types: ['*'] } });
  for (let n = 1; n < 20; n += 1) await ok(create());
  const answers = await meanwhile(
    app,
    'lock table webhooks in share mode',
    [],
    () => Promise.all([create(), create()]),
    (other) => untilBehind(other, 2),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
});
