import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Event } from '../../contract/event.ts';
import { type Application, type Group, ok } from '../../sdk/src/index.ts';
import { judgeMemberships } from '../../server/application/judge-memberships.ts';
import { inTransaction } from '../../server/database/transaction.ts';
import { noticeHandover } from '../../server/sign-in/notice-handover.ts';
import { removeUsers } from '../../server/user/remove-users.ts';
import { allEvents } from '../fixtures/events.ts';
import { statementsOf } from '../fixtures/grants.ts';
import { apply, decide, joiningScenes, type Person, type PutPolicy } from '../fixtures/joining.ts';
import { admitUser, setLevel } from '../fixtures/registry.ts';
import { addCoalition, addOrganizations, makeToken, uuidOf } from '../fixtures/users.ts';
import { type Client, startTestApp, type TestApp } from '../harness/app.ts';
import { meanwhile } from '../harness/meanwhile.ts';
import { testRun } from '../harness/run.ts';

const [ONE, OTHER] = [98_770_001, 98_770_002] as const;
const [SECOND, HOUR, DAY] = [1_000, 3_600_000, 86_400_000];

let app: TestApp;
let root: Client;
let scenes: ReturnType<typeof joiningScenes>;

beforeAll(async () => {
  app = await startTestApp();
  root = app.client(app.root);
  await addOrganizations(app, [{ corporations: [ONE] }, { corporations: [OTHER] }]);
  scenes = joiningScenes(app, 7_200_000, [ONE, OTHER]);
});
afterAll(() => app.stop());

const judge = () => judgeMemberships(app.app.services, testRun('judge-memberships', { force: true }));

/** The events since the work began. */
async function eventsOf(work: () => Promise<unknown>): Promise<Event[]> {
  const before = (await allEvents(app.db)).length;
  await work();
  return (await allEvents(app.db)).slice(before);
}

function the(events: readonly Event[], type: Event['type'], n = 0): Event {
  const found = events.filter((event) => event.type === type)[n];
  if (found === undefined) throw new Error(`no ${type} among ${events.map((event) => event.type).join()}`);
  return found;
}

const own = async ({ client }: Person) => (await ok(client.application.list()))[0];

async function group(policy?: PutPolicy, members: readonly Person[] = []): Promise<Group> {
  const made = await ok(root.group.create({ body: { group_name: `Made ${scenes.next()}` } }));
  const names = members.map(({ name }) => name);
  if (names.length > 0) await ok(root.group.update({ params: made, body: { add_members: names } }));
  if (policy !== undefined) await ok(root.group.setPolicy({ params: made, body: policy }));
  return made;
}

async function handOver({ id, name }: Person): Promise<void> {
  const seller = app.db.updateTable('users').set({ owner_hash: 'seller' });
  await seller.where('character_id', '=', id).execute();
  await noticeHandover(app.app.services, { characterId: id, characterName: name, ownerHash: 'buyer' });
  // As the new owner's first sign-in leaves it.
  const proven = app.db.updateTable('users').set({ proven_on: app.clock.now() });
  await proven.where('character_id', '=', id).execute();
}

describe('D111: applications stay', () => {
  it('pending ones to a deleted group are void because of that, and all stay readable with its name', async () => {
    const { applicant, moderator, params } = await scenes.scene({ reapply_hours: 0 });
    const other = await scenes.person();
    const rejected = await apply(other, params);
    await ok(decide(moderator, rejected, 'rejected'));
    const asked = await apply(applicant, params);
    const { group_name } = await ok(root.group.get({ params }));
    const events = await eventsOf(() => ok(root.group.delete({ params })));
    const ends = the(events, 'application.decided');
    expect(ends).toMatchObject({
      targets: [
        { id: asked.application_id },
        { id: params.group_id, name: group_name },
        { type: 'user', name: applicant.name },
      ],
      changes: [{ field: 'state', before: 'pending', after: 'void' }],
      cause: { event_id: the(events, 'group.deleted').event_id },
    });
    expect(await own(applicant)).toMatchObject({
      ...{ application_id: asked.application_id, state: 'void', message: 'Please' },
      group: { group_id: params.group_id, group_name },
    });
    expect(await own(other)).toMatchObject({ state: 'rejected', reason: 'So it is', group: { group_name } });
    const late = await decide({ client: root }, asked, 'approved');
    expect(late).toMatchObject({ status: 409, body: { code: 'application_decided' } });
    expect((await decide(moderator, asked, 'approved')).status).toBe(403);
  });

  it('those of a deleted user go, and pending ones end by an event because of that, as do memberships', async () => {
    const { applicant, params } = await scenes.scene();
    const asked = await apply(applicant, params);
    await group({}, [applicant]);
    const character_id = applicant.id;
    const events = await eventsOf(() => ok(root.user.delete({ params: { character_id } })));
    const cause = { event_id: the(events, 'user.deleted').event_id };
    expect(the(events, 'application.decided')).toMatchObject({
      targets: [{ id: asked.application_id }, {}, {}],
      cause,
    });
    const left = events.filter(
      ({ type, targets }) => type === 'group.members_changed' && !/Corporation/.test(targets[0]?.name ?? ''),
    );
    // The one that lets it in, too.
    expect(left).toMatchObject([{ cause }, { cause }]);
    expect(await ok(root.group.applications({ params }))).toEqual([]);
  });

  it('however many users are deleted at once, each because of its own deletion, by as many statements', async () => {
    const { applicant, params } = await scenes.scene();
    const others = [await scenes.person(), await scenes.person()];
    for (const one of [applicant, ...others]) await apply(one, params);
    await group({}, [applicant, ...others]);
    const remove = (people: readonly Person[]) => () =>
      inTransaction(app.db, (tx) => {
        const ids = people.map(({ id }) => id);
        return removeUsers(app.app.services, tx, ids, { by: null, now: app.clock.now() });
      });
    const counts: number[] = [];
    const events = await eventsOf(async () => {
      for (const people of [[applicant], others])
        counts.push((await statementsOf(app, remove(people))).length);
    });
    expect(counts[1]).toBe(counts[0]);
    const ends = events.filter(({ type }) => type === 'application.decided');
    const deletions = new Map(
      events.flatMap(({ type, targets, event_id }) =>
        type === 'user.deleted' ? [[targets[0]?.id, event_id]] : [],
      ),
    );
    expect(ends).toHaveLength(3);
    for (const { targets, cause } of ends) expect(cause?.event_id).toBe(deletions.get(targets[2]?.id));
  });

  it('are listed in the order in which they were made, however many within a second', async () => {
    const { owner, params } = await scenes.scene();
    const made: string[] = [];
    for (let n = 0; n < 6; n += 1) made.unshift((await apply(await scenes.person(), params)).application_id);
    const listed = await ok(owner.client.group.applications({ params }));
    expect(listed.map(({ application_id }) => application_id)).toEqual(made);
    const pages: Application[] = [];
    for await (const one of pagesOf(owner, params)) pages.push(one);
    expect(pages.map(({ application_id }) => application_id)).toEqual(made);
  });

  it('show the questions that were asked, whatever the group asks now', async () => {
    const { owner, applicant, params } = await scenes.scene({ questions: ['Why?'] });
    await ok(applicant.client.group.apply({ params, body: { answers: ['Because'] } }));
    await ok(owner.client.group.setPolicy({ params, body: { questions: ['Who?', 'Where?'] } }));
    expect(await own(applicant)).toMatchObject({ questions: ['Why?'], answers: ['Because'] });
  });

  it('end when their applicant is added by hand, and when the group gets a login switch', async () => {
    const { applicant, params } = await scenes.scene();
    const other = await scenes.person();
    for (const one of [applicant, other]) await apply(one, params);
    const added = await eventsOf(() =>
      ok(root.group.update({ params, body: { add_members: [applicant.name] } })),
    );
    expect([(await own(applicant))?.state, (await own(other))?.state]).toEqual(['void', 'pending']);
    const cause = { event_id: the(added, 'group.members_changed').event_id };
    expect(the(added, 'application.decided')).toMatchObject({ cause });
    const shut = await eventsOf(() => ok(root.group.update({ params, body: { authorized_to_login: true } })));
    expect((await own(other))?.state).toBe('void');
    expect(the(shut, 'application.decided')).toMatchObject({
      cause: { event_id: the(shut, 'group.updated').event_id },
    });
  });

  it('D29b: rejections and counts of a former owner bind the new one no more', async () => {
    const { applicant, moderator, params } = await scenes.scene();
    await ok(decide(moderator, await apply(applicant, params), 'rejected'));
    await sql`insert into applications (application_id, group_id, group_name, character_id, state, message, questions,
        answers, created_on, expires_on, decided_on)
      select lpad(n::text, 24, 'c'), lpad(n::text, 24, 'd'), 'Gone', ${applicant.id}, 'rejected', '', '{}', '{}',
        ${app.clock.now()}, ${app.clock.now()}, ${app.clock.now()}
      from generate_series(1, 50) n`.execute(app.db);
    const again = () => applicant.client.group.apply({ params });
    expect(await again()).toMatchObject({ body: { code: 'reapply_later' } });
    app.clock.advance(SECOND);
    await handOver(applicant);
    await admitUser(app, applicant.id);
    const { jwt } = await makeToken(app, 'per', applicant.id, uuidOf(app.root));
    expect(await app.client(jwt).group.apply({ params })).toMatchObject({
      status: 200,
      body: { state: 'pending' },
    });
  });
});

async function* pagesOf({ client }: Person, params: Group): AsyncIterable<Application> {
  for (let after: string | undefined; ; ) {
    const { body, headers } = await client.group.applications({ params, query: { limit: 2, after } });
    yield* body as Application[];
    after = headers.get('x-next') ?? undefined;
    if (after === undefined) return;
  }
}

describe('D90: what follows from what', () => {
  it('a decision is told before the membership, which follows from it, and names everybody', async () => {
    const { applicant, moderator, params } = await scenes.scene({ eligible: { corporations: [ONE] } });
    await ok(root.group.update({ params, body: { authorized_to_login: true } }));
    await ok(root.group.setPolicy({ params, body: { joining: 'application' } }));
    const asked = await apply(applicant, params);
    const approval = await eventsOf(() => ok(decide(moderator, asked, 'approved')));
    const kept = await scenes.scene({ joining: 'open' });
    const joined = await eventsOf(() => apply(kept.applicant, kept.params));
    for (const events of [approval, joined]) {
      const [decision, members] = [the(events, 'application.decided'), the(events, 'group.members_changed')];
      expect(members.cause).toEqual({ event_id: decision.event_id, run_id: null, job: null });
      expect(decision.position).toBeLessThan(members.position ?? 0);
      expect(decision.targets[2]?.name).toMatch(/^Character/);
    }
    const leaving = await eventsOf(() => ok(kept.applicant.client.group.leave({ params: kept.params })));
    expect(the(leaving, 'group.members_changed').cause).toBeNull();
  });

  it('who leaves by a new policy, and whose application ends by it, does so because of it', async () => {
    const { applicant, owner, params } = await scenes.scene({ grace_hours: 0 });
    const member = await scenes.person();
    await ok(root.group.update({ params, body: { add_members: [member.name] } }));
    await apply(applicant, params);
    const policy = { eligible: { corporations: [OTHER] } };
    const events = await eventsOf(() => ok(owner.client.group.setPolicy({ params, body: policy })));
    const cause = { event_id: the(events, 'group.updated').event_id };
    expect(the(events, 'group.members_changed')).toMatchObject({ cause });
    expect(the(events, 'application.decided')).toMatchObject({ cause });
  });

  it('D29b: what a character loses by a hand-over follows from it', async () => {
    const { applicant, params } = await scenes.scene();
    await apply(applicant, params);
    await group({}, [applicant]);
    const events = await eventsOf(() => handOver(applicant));
    const cause = { event_id: the(events, 'user.handed_over').event_id };
    expect(the(events, 'application.decided')).toMatchObject({ cause });
    expect(the(events, 'group.members_changed')).toMatchObject({ cause });
    expect(the(events, 'group.members_changed', 1)).toMatchObject({ cause });
  });

  it('level 9 that makes an owner’s policy count is told of, though nothing else of the policy differs', async () => {
    const { params, owner } = await scenes.scene({ joining: 'open' });
    const again = await eventsOf(() => ok(owner.client.group.setPolicy({ params })));
    expect(again).toEqual([]);
    const events = await eventsOf(() => ok(root.group.setPolicy({ params })));
    expect(events).toMatchObject([
      { type: 'group.updated', changes: [{ field: 'by_administrator', before: false, after: true }] },
    ]);
  });

  it('targets have names wherever there are any', async () => {
    const names = new Set<string>();
    for (const { type, targets } of await allEvents(app.db)) {
      for (const target of targets) {
        if (!['user', 'corporation', 'alliance', 'group', 'coalition'].includes(target.type)) continue;
        expect(target.name, `${type} ${target.type}:${target.id}`).toMatch(/./);
        names.add(target.type);
      }
    }
    expect(names.size).toBeGreaterThan(2);
    const { user_token } = await ok((await scenes.person()).client.token.createUserToken());
    expect(user_token).toMatch(/./);
    const made = the([...(await allEvents(app.db))].reverse(), 'token.created');
    expect(made.targets[1]).toMatchObject({ type: 'user', name: '(built-in)' });
  });
});

describe('Group: updated_on', () => {
  const changed = async (params: Pick<Group, 'group_id'>, work: () => Promise<unknown>) => {
    app.clock.advance(SECOND);
    await work();
    const { updated_on } = await ok(root.group.get({ params }));
    return updated_on === app.clock.now().toISOString();
  };

  it('moves when somebody joins, leaves or is put out', async () => {
    const { applicant, moderator, params } = await scenes.scene({ joining: 'open' });
    expect(await changed(params, () => apply(applicant, params))).toBe(true);
    expect(await changed(params, () => ok(applicant.client.group.leave({ params })))).toBe(true);
    await ok(root.group.setPolicy({ params, body: { joining: 'application' } }));
    const asked = await apply(applicant, params);
    expect(await changed(params, () => ok(decide(moderator, asked, 'approved')))).toBe(true);
    expect(await changed(params, judge)).toBe(false);
    const strict = { grace_hours: 0, eligible: { min_level: 5 } };
    expect(await changed(params, () => ok(root.group.setPolicy({ params, body: strict })))).toBe(true);
    expect(await scenes.isMember(params, applicant)).toBe(false);
  });

  it.each([
    ['is deleted', ({ id }: Person) => ok(root.user.delete({ params: { character_id: id } }))],
    ['has a new owner', handOver],
  ])('moves when a member %s, in groups that it was in', async (_, leave) => {
    const member = await scenes.person();
    const [left, other] = [await group({}, [member]), await group()];
    expect(await changed(left, () => leave(member))).toBe(true);
    expect(await ok(root.group.get({ params: other }))).toMatchObject({ updated_on: other.updated_on });
    expect(await scenes.isMember(left, member)).toBe(false);
  });
});

describe('D110: who never was eligible does not cease to be it', () => {
  const later = async () => {
    await judge();
    app.clock.advance(30 * DAY);
    await judge();
  };

  it('a policy that asks nothing puts out nobody, guests neither', async () => {
    const [member, guest] = [await scenes.person(), await scenes.person()];
    await setLevel(app, guest.id, -1);
    const params = await group(undefined, [member, guest]);
    await ok(root.group.setPolicy({ params, body: {} }));
    await sql`update group_members set was_eligible = true where character_id = ${guest.id}`.execute(app.db);
    await later();
    for (const one of [member, guest]) expect(await scenes.isMember(params, one)).toBe(true);
  });

  it('who was added by hand without being eligible stays; who was eligible once leaves', async () => {
    const policy = { grace_hours: 1, eligible: { min_level: 2 } };
    const [never, once, shortly] = [
      await scenes.person(),
      await scenes.person(),
      await scenes.person(ONE, 2),
    ];
    const params = await group(policy, [never, once, shortly]);
    const added = [never, once, shortly].map(({ name }) => name);
    await ok(root.group.update({ params, body: { members: ['(built-in)'] } }));
    await ok(root.group.update({ params, body: { add_members: added } }));
    // Eligible between two runs of the job only: what counts is that it was when it was added.
    await setLevel(app, shortly.id, 0);
    await setLevel(app, once.id, 2);
    await judge();
    await setLevel(app, once.id, 0);
    await later();
    const stay = await Promise.all([never, once, shortly].map((one) => scenes.isMember(params, one)));
    expect(stay).toEqual([true, false, false]);
  });

  it('a new policy is for the members of that moment: the one before let them be ones, or none was there', async () => {
    const [here, there] = [await scenes.person(ONE), await scenes.person(OTHER)];
    const params = await group(undefined, [here, there]);
    await sql`update group_members set was_eligible = false where group_id = ${params.group_id}`.execute(
      app.db,
    );
    await ok(root.group.setPolicy({ params, body: { grace_hours: 0, eligible: { corporations: [ONE] } } }));
    expect(await scenes.isMember(params, here)).toBe(true);
    expect(await scenes.isMember(params, there)).toBe(false);
  });
});

describe('D110: what a policy names is deleted', () => {
  const coalition = async (letsIn: readonly number[]) => {
    const id = scenes.next().toString(16).padStart(24, 'c');
    await addCoalition(app, id, { corporations: letsIn }, null);
    return id;
  };

  it('a coalition: the policy names what is left, because of that, and may be set as it is read', async () => {
    const id = await coalition([OTHER]);
    const params = await group({ joining: 'open', eligible: { coalitions: [id], corporations: [ONE] } });
    const events = await eventsOf(() => ok(root.coalition.delete({ params: { coalition_id: id } })));
    const updated = the(events, 'group.updated');
    expect(updated).toMatchObject({
      targets: [{ id: params.group_id }],
      cause: { event_id: the(events, 'coalition.deleted').event_id },
      reason: null,
    });
    const policy = await ok(root.group.policy({ params }));
    expect(updated.changes).toMatchObject([{ field: 'policy', after: JSON.stringify(policy) }]);
    expect(policy).toMatchObject({ joining: 'open', eligible: { coalitions: [], corporations: [ONE] } });
    expect((await root.group.setPolicy({ params, body: policy })).status).toBe(200);
  });

  it.each([
    ['the last of the organizations', 'coalitions'],
    ['the last of the groups of which one is asked for', 'groups_any'],
    ['a group whose members are barred', 'groups_none'],
  ] as const)('%s: joining closes, and pending applications are void by that', async (_, field) => {
    const left = field === 'groups_none' ? [(await group()).group_id] : [];
    const gone = field === 'coalitions' ? await coalition([ONE]) : (await group()).group_id;
    const applicant = await scenes.person();
    if (field === 'groups_any') {
      const params = { group_id: gone };
      await ok(root.group.update({ params, body: { add_members: [applicant.name] } }));
    }
    const params = await group({ joining: 'application', eligible: { [field]: [gone, ...left] } });
    await apply(applicant, params);
    const remove = () =>
      field === 'coalitions'
        ? ok(root.coalition.delete({ params: { coalition_id: gone } }))
        : ok(root.group.delete({ params: { group_id: gone } }));
    const events = await eventsOf(remove);
    const updated = the(events, 'group.updated');
    expect(updated.reason).toBe('joining is closed: what limited it was deleted');
    expect(the(events, 'application.decided')).toMatchObject({ cause: { event_id: updated.event_id } });
    expect(await ok(root.group.policy({ params }))).toMatchObject({
      joining: 'closed',
      eligible: { [field]: left },
    });
    const joiner = await scenes.person(OTHER);
    expect(await joiner.client.group.apply({ params })).toMatchObject({ body: { code: 'joining_closed' } });
  });

  it('a group that moderates, and the autogroup of a coalition', async () => {
    const helpers = await group();
    const id = await coalition([ONE]);
    await ok(
      root.coalition.update({ params: { coalition_id: id }, body: { add_member_corporations: [OTHER] } }),
    );
    const all = await ok(root.group.list());
    const auto = all.find(({ group_name }) => group_name === `Coalition ${id}`)?.group_id ?? '';
    const moderators = { groups: [helpers.group_id, auto] };
    const params = await group({ joining: 'open', moderators });
    await ok(root.group.delete({ params: helpers }));
    await ok(root.coalition.delete({ params: { coalition_id: id } }));
    const policy = await ok(root.group.policy({ params }));
    expect(policy).toMatchObject({ joining: 'open', moderators: { groups: [] } });
  });

  it('attack: while somebody sets a policy that names it, the deletion waits, or the setting finds it gone', async () => {
    const [named, params] = [await group(), await group()];
    const body = { eligible: { groups_none: [named.group_id] } };
    const lock = 'select from groups where group_id = $1 for update';
    const remove = 'delete from groups where group_id = $1';
    const answer = await meanwhile(
      app,
      lock,
      [named.group_id],
      () => root.group.setPolicy({ params, body }),
      (other) => other.query(remove, [named.group_id]),
    );
    expect(answer.status).toBe(404);
  });

  it('attack: a policy that changes while what it names is deleted does not name it again', async () => {
    const named = await group();
    const params = await group({ joining: 'open', eligible: { groups_none: [named.group_id] } });
    // As the deletion does both.
    const remove = `with gone as (delete from groups where group_id = $1)
      update group_policies set groups_none = '{}' where group_id = $2`;
    const answer = await meanwhile(app, remove, [named.group_id, params.group_id], () =>
      root.group.setPolicy({ params, body: { grace_hours: 2 } }),
    );
    expect(answer).toMatchObject({ status: 200, body: { grace_hours: 2 } });
    expect((await ok(root.group.policy({ params }))).eligible.groups_none).toEqual([]);
  });
});

it('D110: nothing is left to do an hour after all of it', async () => {
  app.clock.advance(HOUR);
  await judge();
  expect(await judge()).toEqual([]);
});
