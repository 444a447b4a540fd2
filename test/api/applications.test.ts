import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Event } from '../../contract/event.ts';
import { type Application, type Group, type GroupPolicy, ok } from '../../sdk/src/index.ts';
import { findApplicationsOf, findApplicationsTo } from '../../server/application/application.queries.ts';
import { judgeMemberships } from '../../server/application/judge-memberships.ts';
import { noticeHandover } from '../../server/sign-in/notice-handover.ts';
import { apply, decide, joiningScenes, type Person, type PutPolicy } from '../fixtures/joining.ts';
import { setLevel } from '../fixtures/registry.ts';
import { addOrganizations } from '../fixtures/users.ts';
import { type Client, startTestApp, type TestApp } from '../harness/app.ts';
import { meanwhile } from '../harness/meanwhile.ts';
import { INSUFFICIENT } from '../harness/refusals.ts';
import { rowsRead } from '../harness/rows-read.ts';
import { testRun } from '../harness/run.ts';
import { send } from '../harness/send.ts';

const [ONE, OTHER] = [98_760_001, 98_760_002] as const;
const UNKNOWN = '0123456789abcdef01234567';
const [HOUR, DAY] = [3_600_000, 86_400_000];
const FORBIDDEN = { status: 403, body: { detail: INSUFFICIENT } };

let app: TestApp;
let root: Client;
let scenes: ReturnType<typeof joiningScenes>;

beforeAll(async () => {
  app = await startTestApp({ connections: 8 });
  root = app.client(app.root);
  await addOrganizations(app, [{ corporations: [ONE] }, { corporations: [OTHER] }]);
  scenes = joiningScenes(app, 7_100_000, [ONE, OTHER]);
});
afterAll(() => app.stop());

const person = (corporation?: number, level?: number) => scenes.person(corporation, level);
const scene = (policy?: PutPolicy) => scenes.scene(policy);
const isMember = (group: Group, member: Person) => scenes.isMember(group, member);

async function eventsOf(applicationId: string): Promise<string[]> {
  const { rows } = await sql<{ type: string }>`
    select type from events where ${`application:${applicationId}`} = any(targets) order by type`.execute(
    app.db,
  );
  return rows.map(({ type }) => type);
}

describe('D111: the states of an application', () => {
  it('questions_changed: answers to what the group does not ask any more, or in another order, are not stored', async () => {
    const { owner, applicant, params } = await scene({ questions: ['Why?', 'Since when?'] });
    const apply = (questions?: string[]) =>
      applicant.client.group.apply({ params, body: { answers: ['Because', '2019'], questions } });
    const swapped = ['Since when?', 'Why?'];
    for (const asked of [swapped, ['Why?'], [], ['Why?', 'since when?']]) {
      expect(await apply(asked)).toMatchObject({ status: 409, body: { code: 'questions_changed' } });
    }
    await ok(owner.client.group.setPolicy({ params, body: { questions: [...swapped, 'Who?'] } }));
    expect(await apply(swapped)).toMatchObject({ status: 409, body: { code: 'questions_changed' } });
    await ok(owner.client.group.setPolicy({ params, body: { questions: swapped } }));
    expect(await ok(apply(swapped))).toMatchObject({ questions: swapped, answers: ['Because', '2019'] });
  });

  it('D111: an application made while joining is being closed is refused', async () => {
    const { owner, applicant, params } = await scene();
    const close = "update group_policies set joining = 'closed' where group_id = $1";
    const answer = await meanwhile(app, close, [params.group_id], () =>
      applicant.client.group.apply({ params, body: {} }),
    );
    expect(answer).toMatchObject({ status: 409, body: { code: 'joining_closed' } });
    // As its events say again.
    await ok(owner.client.group.setPolicy({ params, body: { joining: 'application' } }));
  });

  it('pending → approved: the applicant is a member, and sees the reason but not the note', async () => {
    const { moderator, applicant, params, owner } = await scene({ questions: ['Why?'] });
    const incomplete = await applicant.client.group.apply({ params, body: { message: 'x' } });
    expect(incomplete).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', 'answers'] }] } });
    const body = { message: 'Please', answers: ['Because'] };
    const asked = await ok(applicant.client.group.apply({ params, body }));
    expect(asked).toMatchObject({
      state: 'pending',
      message: 'Please',
      questions: ['Why?'],
      answers: ['Because'],
      applicant: { character_id: applicant.id },
      group: { group_id: params.group_id },
      decided_on: null,
    });
    expect(await isMember(params, applicant)).toBe(false);
    const decided = await ok(decide(moderator, asked, 'approved'));
    expect(decided).toMatchObject({
      state: 'approved',
      reason: 'So it is',
      note: 'Hm',
      decided_by: { character_id: moderator.id },
    });
    expect(await isMember(params, applicant)).toBe(true);
    expect(await ok(applicant.client.application.list())).toMatchObject([{ reason: 'So it is', note: null }]);
    const listed = await ok(owner.client.group.applications({ params }));
    expect(listed).toMatchObject([{ reason: 'So it is', note: 'Hm' }]);
    expect(await eventsOf(asked.application_id)).toEqual(['application.created', 'application.decided']);
  });

  it('a moderator does not read the note on the own application, nor on that of another own character', async () => {
    const { owner, moderator, applicant, params } = await scene();
    await scenes.link(moderator, applicant);
    for (const who of [moderator, applicant]) {
      const asked = await apply(who, params);
      const body = { decision: 'rejected', reason: 'Not now', note: 'A spy, do not tell him' } as const;
      await ok(owner.client.application.decide({ params: asked, body }));
    }
    const notesFor = async (reader: typeof owner) =>
      (await ok(reader.client.group.applications({ params }))).map(({ note }) => note);
    expect(await notesFor(moderator)).toEqual([null, null]);
    expect(await notesFor(owner)).toEqual(Array(2).fill('A spy, do not tell him'));
  });

  it('pending → rejected: the next application is possible only after a while', async () => {
    const { moderator, applicant, params } = await scene({ reapply_hours: 2 });
    await ok(decide(moderator, await apply(applicant, params), 'rejected'));
    expect(await isMember(params, applicant)).toBe(false);
    const again = await applicant.client.group.apply({ params });
    expect(again).toMatchObject({ status: 409, body: { code: 'reapply_later' } });
    app.clock.advance(2 * HOUR);
    expect((await apply(applicant, params)).state).toBe('pending');
  });

  it('pending → withdrawn, by the applicant alone', async () => {
    const { moderator, applicant, params } = await scene();
    const asked = await apply(applicant, params);
    const request = { params: asked };
    expect((await moderator.client.application.withdraw(request)).status).toBe(404);
    expect((await applicant.client.application.withdraw(request)).status).toBe(200);
    const twice = await applicant.client.application.withdraw(request);
    expect(twice).toMatchObject({ status: 409, body: { code: 'application_decided' } });
    expect(await decide(moderator, asked, 'approved')).toMatchObject({ status: 409 });
  });

  it('pending → expired, in effect even before the job has run', async () => {
    const { moderator, applicant, params } = await scene({ expire_days: 1 });
    const asked = await apply(applicant, params);
    app.clock.advance(DAY);
    const late = await decide(moderator, asked, 'approved');
    expect(late).toMatchObject({ status: 409, body: { code: 'application_decided' } });
    const seen = async () => {
      const [own] = await ok(applicant.client.application.list());
      const states = ['expired', 'pending'] as const;
      const lists = states.map((state) =>
        ok(moderator.client.group.applications({ params, query: { state } })),
      );
      const open = await ok(moderator.client.application.list({ query: { role: 'moderator' } }));
      return [
        own?.state,
        own?.decided_on,
        ...(await Promise.all(lists)).map(({ length }) => length),
        open.length,
      ];
    };
    const expired = ['expired', asked.expires_on, 1, 0, 0];
    expect(await seen()).toEqual(expired);
    app.clock.advance(HOUR);
    await judgeMemberships(app.app.services, testRun('judge-memberships'));
    expect(await seen()).toEqual(expired);
  });

  it('an expired one does not prevent another application, even before the job has run', async () => {
    const { applicant, params } = await scene({ expire_days: 1 });
    const first = await apply(applicant, params);
    const may = async () => {
      const listed = await ok(applicant.client.group.joinable());
      return listed.find(({ group }) => group.group_id === params.group_id);
    };
    expect(await may()).toMatchObject({ may_join: false, application_id: first.application_id });
    app.clock.advance(DAY);
    expect(await may()).toMatchObject({ may_join: true, application_id: null });
    const second = await apply(applicant, params);
    const states = (await ok(applicant.client.application.list())).map(({ application_id, state }) => [
      application_id,
      state,
    ]);
    expect(states).toEqual([
      [second.application_id, 'pending'],
      [first.application_id, 'expired'],
    ]);
    expect(await eventsOf(first.application_id)).toEqual(['application.created', 'application.decided']);
  });

  it('pending → void, when the applicant can no longer join', async () => {
    const { owner, applicant, params } = await scene();
    await apply(applicant, params);
    const other = await person();
    await apply(other, params);
    await ok(root.group.update({ params, body: { add_members: [other.name] } }));
    await ok(owner.client.group.setPolicy({ params, body: { eligible: { corporations: [OTHER] } } }));
    expect((await ok(applicant.client.application.list()))[0]?.state).toBe('void');
    expect((await ok(other.client.application.list()))[0]?.state).toBe('void');
  });

  it('if joining is open, the applicant is a member at once', async () => {
    const { applicant, params } = await scene({ joining: 'open' });
    expect((await apply(applicant, params)).state).toBe('approved');
    expect(await isMember(params, applicant)).toBe(true);
    const again = await applicant.client.group.apply({ params });
    expect(again).toMatchObject({ status: 409, body: { code: 'already_member' } });
  });

  it('each user has one pending application to a group, however many are sent concurrently', async () => {
    const { applicant, params, owner } = await scene();
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => applicant.client.group.apply({ params })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409]);
    expect(answers.find(({ status }) => status === 409)?.body).toMatchObject({ code: 'application_pending' });
    expect(await ok(owner.client.group.applications({ params, query: { state: 'pending' } }))).toHaveLength(
      1,
    );
  });

  it('decided applications never change, not even by SQL', async () => {
    const { moderator, applicant, params } = await scene();
    const asked = await apply(applicant, params);
    await ok(decide(moderator, asked, 'rejected'));
    const again = await decide(moderator, asked, 'approved');
    expect(again).toMatchObject({ status: 409, body: { code: 'application_decided' } });
    const change = app.db.updateTable('applications').set({ state: 'pending', decided_on: null });
    await expect(change.where('application_id', '=', asked.application_id).execute()).rejects.toThrow(
      'stays',
    );
  });

  it('of two concurrent decisions one takes effect', async () => {
    const { owner, moderator, applicant, params } = await scene();
    const asked = await apply(applicant, params);
    const answers = await Promise.all([
      decide(moderator, asked, 'approved'),
      decide(owner, asked, 'rejected'),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    const [state] = (await ok(applicant.client.application.list())).map(({ state }) => state);
    expect(await isMember(params, applicant)).toBe(state === 'approved');
  });
});

describe('D111: applications are bounded', () => {
  it('the total number of bytes of message and answers', async () => {
    const { applicant, params } = await scene({ questions: ['One?', 'Two?'] });
    const body = (bytes: number) => ({
      message: 'é'.repeat(2000),
      answers: ['x'.repeat(4000), 'y'.repeat(bytes)],
    });
    const refused = await applicant.client.group.apply({ params, body: body(193) });
    expect(refused).toMatchObject({
      status: 422,
      body: {
        detail: [{ loc: ['body'], msg: 'Must hold at most 8192 bytes of text in all, and holds 8193' }],
      },
    });
    expect((await applicant.client.group.apply({ params, body: body(192) })).status).toBe(200);
  });

  /** Inserts this many recent applications of a user, each to another group. */
  async function madeBefore({ id }: Person, count: number, state: 'pending' | 'rejected'): Promise<void> {
    const [now, base] = [app.clock.now(), scenes.next() * 100];
    await sql`insert into groups (group_id, group_name, name_key)
      select lpad((${base}::int + n)::text, 24, 'a'), 'Of ' || ${base}::int + n, 'of ' || ${base}::int + n
      from generate_series(1, ${count}) n`.execute(app.db);
    await sql`insert into applications (application_id, group_id, character_id, state, message, answers, created_on,
        expires_on, decided_on)
      select lpad((${base}::int + n)::text, 24, 'b'), lpad((${base}::int + n)::text, 24, 'a'), ${id}, ${state}, '', '{}',
        ${now}, ${new Date(now.getTime() + 2 * DAY)}, ${state === 'pending' ? null : now}::timestamptz
      from generate_series(1, ${count}) n`.execute(app.db);
  }

  it('200 pending ones of one user, however many are sent concurrently', async () => {
    const { applicant, ...one } = await scene();
    const others = [await scene(), await scene()];
    await madeBefore(applicant, 198, 'pending');
    const groups = [one.params, ...others.map(({ params }) => params)];
    const answers = await Promise.all(groups.map((params) => applicant.client.group.apply({ params })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 409]);
    expect(answers.find(({ status }) => status === 409)?.body).toMatchObject({
      code: 'too_many_applications',
    });
    const [first] = await ok(applicant.client.application.list());
    await ok(applicant.client.application.withdraw({ params: first as Application }));
    const refused = groups.find((_, n) => answers[n]?.status === 409) as Group;
    expect((await applicant.client.group.apply({ params: refused })).status).toBe(200);
  });

  it('500 in a day, including those to open groups', async () => {
    const { applicant, params } = await scene({ joining: 'open' });
    await madeBefore(applicant, 499, 'rejected');
    expect((await apply(applicant, params)).state).toBe('approved');
    await ok(applicant.client.group.leave({ params }));
    const refused = await applicant.client.group.apply({ params });
    expect(refused).toMatchObject({ status: 409, body: { code: 'too_many_applications' } });
    app.clock.advance(DAY);
    expect((await applicant.client.group.apply({ params })).status).toBe(200);
  });

  it('a page has at most 100, and the next one continues', async () => {
    const { params, owner } = await scene();
    await sql`insert into users (character_id, character_name, name_key)
      select 7900000 + n, 'Crowd ' || n, 'crowd ' || n from generate_series(1, 150) n`.execute(app.db);
    await sql`insert into applications (application_id, group_id, character_id, message, answers, created_on, expires_on)
      select lpad(to_hex(n), 24, '0'), ${params.group_id}, 7900000 + n, 'x', '{}', ${app.clock.now()},
        ${new Date(app.clock.now().getTime() + DAY)} from generate_series(1, 150) n`.execute(app.db);
    const { group_id } = params;
    const list = (query: string) =>
      send<Application[]>(app, 'GET', `/group/${group_id}/application?${query}`, { token: app.root });
    expect(await ok(owner.client.group.applications({ params: { group_id } }))).toHaveLength(100);
    const first = await list('');
    const page = await list(`limit=50&after=${first.headers['x-next']}`);
    const ids = [...first.json, ...page.json].map(({ application_id }) => application_id);
    expect([new Set(ids).size, page.headers['x-next']]).toEqual([150, undefined]);
    for (const query of [
      'limit=101',
      'limit=0',
      'after=1',
      `after=${UNKNOWN}`,
      'after=W10',
      'after=WyIxIl0',
    ]) {
      const refused = await send(app, 'GET', `/group/${group_id}/application?${query}`, { token: app.root });
      expect(refused.status, query).toBe(422);
    }
    const own = await send<Application[]>(app, 'GET', '/application?role=moderator&limit=3', {
      token: app.root,
    });
    expect([own.json.length, own.headers['x-next']]).toEqual([3, expect.any(String)]);
  });
});

describe('D111: the pending ones of a group', () => {
  it('are found without reading those that were decided, however many those are', async () => {
    const { params, applicant, owner } = await scene();
    await sql`insert into applications (application_id, group_id, character_id, state, message, answers, created_on,
        expires_on, decided_on)
      select lpad(n::text, 24, 'e'), ${params.group_id}, ${owner.id}, 'rejected', '', '{}', ${app.clock.now()},
        ${app.clock.now()}, ${app.clock.now()} from generate_series(1, 5000) n`.execute(app.db);
    const { application_id } = await apply(applicant, params);
    await sql`analyze applications`.execute(app.db);
    const page = { after: undefined, most: 100, now: app.clock.now() };
    const { found, read } = await rowsRead(app.db, 'applications', (db) =>
      findApplicationsTo(db, params.group_id, [owner.id], 'pending', page),
    );
    // No event tells of them.
    await app.db.deleteFrom('applications').where('character_id', '=', owner.id).execute();
    expect(found).toMatchObject([{ application_id }]);
    expect(read).toBeLessThan(1000);
  });
});

describe('D111: who decides', () => {
  it('attack: nobody decides their own application, neither a moderator nor level 10', async () => {
    const { params } = await scene();
    const mighty = await person(ONE, 10);
    const asked = await apply(mighty, params);
    expect(await decide(mighty, asked, 'approved')).toMatchObject({
      status: 403,
      body: { code: 'forbidden_to_all' },
    });
    const { user_token } = await ok(mighty.client.token.createUserToken());
    const sponsored = await decide({ client: app.client(user_token) }, asked, 'approved');
    expect(sponsored).toMatchObject({ status: 403, body: { code: 'forbidden_to_all' } });
    expect(await isMember(params, mighty)).toBe(false);
  });

  it('attack: a moderator of one group neither decides nor sees applications to another one', async () => {
    const [here, there] = [await scene(), await scene()];
    const asked = await apply(there.applicant, there.params);
    expect(await decide(here.moderator, asked, 'approved')).toMatchObject(FORBIDDEN);
    expect(await decide(here.moderator, { ...asked, application_id: UNKNOWN }, 'approved')).toMatchObject(
      FORBIDDEN,
    );
    expect(await here.moderator.client.group.applications({ params: there.params })).toMatchObject(FORBIDDEN);
    const nowhere = await root.group.applications({ params: { group_id: 'ff'.repeat(12) } });
    expect(nowhere).toMatchObject({ status: 404, body: { code: 'not_found' } });
    const theirs = await ok(here.moderator.client.application.list({ query: { role: 'moderator' } }));
    expect(theirs.map(({ application_id }) => application_id)).not.toContain(asked.application_id);
    expect((await decide({ client: root }, { ...asked, application_id: UNKNOWN }, 'approved')).status).toBe(
      404,
    );
    expect(await isMember(there.params, there.applicant)).toBe(false);
  });

  it('attack: the applicant is not eligible any more by the time of the approval', async () => {
    const { moderator, applicant, params } = await scene({ eligible: { min_level: 1, corporations: [ONE] } });
    await setLevel(app, applicant.id, 1);
    const asked = await apply(applicant, params);
    await setLevel(app, applicant.id, 0);
    const refused = await decide(moderator, asked, 'approved');
    expect(refused).toMatchObject({ status: 409, body: { code: 'not_eligible' } });
    expect(await isMember(params, applicant)).toBe(false);
    await setLevel(app, applicant.id, 1);
    expect((await decide(moderator, asked, 'approved')).status).toBe(200);
  });

  it('attack: joining was closed meanwhile, or authorized_to_login set on a group whose policy level 9 did not set', async () => {
    const { moderator, applicant, params } = await scene();
    const asked = await apply(applicant, params);
    // By the API the application would be void.
    const shut = app.db.updateTable('groups').set({ authorized_to_login: true });
    await shut.where('group_id', '=', params.group_id).execute();
    const refused = await decide(moderator, asked, 'approved');
    expect(refused).toMatchObject({ status: 409, body: { code: 'joining_closed' } });
    expect(await isMember(params, applicant)).toBe(false);
  });

  it('members of moderating groups decide, as long as they are members', async () => {
    const { owner, applicant, params } = await scene();
    const helper = await person(OTHER);
    const helpers = await ok(root.group.create({ body: { group_name: `Helpers ${scenes.next()}` } }));
    await ok(root.group.update({ params: helpers, body: { add_members: [helper.name] } }));
    const moderators = { groups: [helpers.group_id] };
    await ok(owner.client.group.setPolicy({ params, body: { moderators } }));
    const asked = await apply(applicant, params);
    const pending = await ok(helper.client.application.list({ query: { role: 'moderator' } }));
    expect(pending.map(({ application_id }) => application_id)).toEqual([asked.application_id]);
    await ok(root.group.update({ params: helpers, body: { remove_members: [helper.name] } }));
    expect(await decide(helper, asked, 'approved')).toMatchObject(FORBIDDEN);
    await ok(root.group.update({ params: helpers, body: { add_members: [helper.name] } }));
    expect((await decide(helper, asked, 'approved')).status).toBe(200);
  });

  it('a character that is handed over loses its applications and moderatorships (D29b)', async () => {
    const { moderator, applicant, params } = await scene();
    const asked = await apply(applicant, params);
    for (const { id } of [moderator, applicant]) {
      await app.db
        .updateTable('users')
        .set({ owner_hash: 'before' })
        .where('character_id', '=', id)
        .execute();
      const identity = { characterId: id, characterName: `Character ${id}`, ownerHash: 'after' };
      await noticeHandover(app.app.services, identity);
    }
    const { moderators } = await ok(root.group.policy({ params }));
    expect(moderators.users).toEqual([]);
    const [row] = await ok(root.group.applications({ params }));
    expect(row).toMatchObject({ application_id: asked.application_id, state: 'void' });
    // As the new owner's first sign-in leaves it.
    app.clock.advance(1_000);
    await app.db
      .updateTable('users')
      .set({ proven_on: app.clock.now() })
      .where('character_id', '=', applicant.id)
      .execute();
    const page = { after: undefined, most: 1, now: app.clock.now() };
    expect(await findApplicationsOf(app.db, applicant.id, page)).toEqual([]);
  });

  it('D23: a user token of the built-in user has no more rights than its demoted sponsor', async () => {
    const { applicant, params } = await scene({ visible_to: 'members' });
    const asked = await apply(applicant, params).catch(() => undefined);
    expect(asked).toBeUndefined();
    const open = await scene();
    await apply(open.applicant, open.params);
    const sponsor = await person(OTHER, 10);
    const made = await ok(sponsor.client.token.createUserToken());
    await setLevel(app, sponsor.id, 0);
    // The sponsor itself may decide, but not by this token.
    const moderators = { users: [sponsor.id] };
    await ok(root.group.setPolicy({ params: open.params, body: { moderators } }));
    expect(await ok(sponsor.client.application.list({ query: { role: 'moderator' } }))).toHaveLength(1);
    const client = app.client(made.user_token);
    expect((await client.group.applications({ params: open.params })).status).toBe(403);
    expect(await ok(client.application.list({ query: { role: 'moderator' } }))).toEqual([]);
    expect((await client.group.policy({ params })).status).toBe(404);
    expect(
      await client.group.leave({ params: await ok(root.group.create({ body: { group_name: 'Own' } })) }),
    ).toMatchObject(FORBIDDEN);
  });

  it('the built-in user joins no group', async () => {
    const { params } = await scene({ joining: 'open' });
    expect(await root.group.apply({ params })).toMatchObject({
      status: 403,
      body: { code: 'forbidden_to_all' },
    });
  });
});

it('D91: replaying the events rebuilds applications and policies', async () => {
  const applications = new Map<string, string>();
  const policies = new Map<string, GroupPolicy>();
  const byAdministrator = new Map<string, boolean>();
  const putIn = (id: string) => /^0{8}|^b{8}/.test(id);
  const { rows } = await sql<{ body: string }>`select body from events order by event_id`.execute(app.db);
  for (const { type, targets, changes } of rows.map(({ body }) => JSON.parse(body) as Event)) {
    const id = targets[0]?.id ?? '';
    // Those that tests inserted directly.
    if (type.startsWith('application.') && putIn(id)) continue;
    if (type === 'application.created') applications.set(id, 'pending');
    for (const change of changes) {
      if (!('after' in change)) continue;
      if (type === 'application.decided' && change.field === 'state')
        applications.set(id, String(change.after));
      if (change.field === 'by_administrator') byAdministrator.set(id, change.after === true);
      if (change.field === 'policy') policies.set(id, JSON.parse(String(change.after)) as GroupPolicy);
    }
  }
  const stored = await app.db.selectFrom('applications').select(['application_id', 'state']).execute();
  const made = stored.filter(({ application_id: id }) => !putIn(id));
  expect(made.length).toBeGreaterThan(5);
  expect(applications).toEqual(new Map(made.map(({ application_id, state }) => [application_id, state])));
  expect(new Set(applications.values()).size).toBe(6);
  for (const [group_id, policy] of policies) {
    const now = await ok(root.group.policy({ params: { group_id } }));
    // A hand-over or deletion ends moderatorships, and is an event itself.
    const users = policy.moderators.users.filter((id) => now.moderators.users.includes(id));
    const { authorized_to_login } = await ok(root.group.get({ params: { group_id } }));
    const usual = authorized_to_login === null && policy.reach === 'character';
    const joining = usual || byAdministrator.get(group_id) ? policy.joining : 'closed';
    expect(now).toEqual({ ...policy, joining, moderators: { ...policy.moderators, users } });
  }
});
