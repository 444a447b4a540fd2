import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Group, type GroupPolicy, ok } from '../../sdk/src/index.ts';
import { judgeMemberships } from '../../server/application/judge-memberships.ts';
import { findJoinable } from '../../server/policy/policy.queries.ts';
import { statementsOf } from '../fixtures/grants.ts';
import { addCoalition, addOrganizations } from '../fixtures/users.ts';
import { type Client, startTestApp, type TestApp } from '../harness/app.ts';
import { callerAt } from '../harness/caller.ts';
import { meanwhile } from '../harness/meanwhile.ts';
import { INSUFFICIENT } from '../harness/refusals.ts';
import { rowsRead } from '../harness/rows-read.ts';
import { testRun } from '../harness/run.ts';
import { send } from '../harness/send.ts';

const ALLIANCE = 99_750_001;
const [ONE, TWO, OTHER] = [98_750_001, 98_750_002, 98_750_003] as const;
const COALITION = 'cd'.repeat(12);
const UNKNOWN = '0123456789abcdef01234567';
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const FORBIDDEN = { status: 403, body: { detail: INSUFFICIENT } };

type Put = NonNullable<Parameters<Client['group']['setPolicy']>[0]['body']>;

let app: TestApp;
let root: Client;
let made = 0;

beforeAll(async () => {
  app = await startTestApp();
  root = app.client(app.root);
  await addOrganizations(app, [{ alliance: ALLIANCE, corporations: [ONE, TWO] }, { corporations: [OTHER] }]);
  await addCoalition(app, COALITION, { corporations: [OTHER] }, null);
  await person(ONE);
  // Creates the autogroups, now that the organizations have members.
  await addOrganizations(app, [{ alliance: ALLIANCE, corporations: [ONE, TWO] }]);
});
afterAll(() => app.stop());
beforeEach(() => {
  made += 100;
});

interface Person {
  readonly id: number;
  readonly name: string;
  readonly client: Client;
}

async function person(corporation: number | undefined, level = 0): Promise<Person> {
  const id = 7_000_000 + ++made;
  const client = await callerAt(app, { id, level, ...(corporation !== undefined && { corporation }) });
  return { id, name: `Character ${id}`, client };
}

/** A group of this owner with members and a policy, which the owner sets if it may, otherwise level 9. */
async function group(owner: Person, policy: Put = {}, members: readonly Person[] = []): Promise<Group> {
  const { group_id } = await ok(root.group.create({ body: { group_name: `Group ${++made}` } }));
  const body = { owner: owner.name, members: [owner, ...members].map(({ name }) => name) };
  await ok(root.group.update({ params: { group_id }, body }));
  const client = policy.reach === 'person' ? root : owner.client;
  await ok(client.group.setPolicy({ params: { group_id }, body: policy }));
  return ok(root.group.get({ params: { group_id } }));
}

async function membersOf({ group_id }: Group): Promise<number[]> {
  const { members } = await ok(root.group.get({ params: { group_id } }));
  return members.map(({ character_id }) => character_id);
}

const judge = () => judgeMemberships(app.app.services, testRun('judge-memberships'));

describe('D110: the policy of a group', () => {
  it('is closed and visible to everyone when none is set', async () => {
    const owner = await person(ONE);
    const { group_id } = await ok(root.group.create({ body: { group_name: 'Plain' } }));
    expect(await ok(owner.client.group.policy({ params: { group_id } }))).toEqual({
      joining: 'closed',
      visible_to: 'everyone',
      eligible: {
        alliances: [],
        corporations: [],
        coalitions: [],
        groups_any: [],
        groups_none: [],
        min_level: 0,
      },
      moderators: { users: [], groups: [] },
      reach: 'character',
      grace_hours: 24,
      reapply_hours: 24,
      questions: [],
      expire_days: 30,
    });
    const applied = await owner.client.group.apply({ params: { group_id } });
    expect(applied).toMatchObject({ status: 409, body: { code: 'joining_closed' } });
  });

  it('can be set by the owner or level 9: fields one by one, conditions and moderators each as a whole', async () => {
    const owner = await person(ONE);
    const stranger = await person(ONE, 8);
    const params = await group(owner, {
      joining: 'application',
      eligible: { alliances: [ALLIANCE], min_level: 2 },
    });
    const set = (client: Client, body: Put) => client.group.setPolicy({ params, body });
    expect(await set(stranger.client, { joining: 'open' })).toMatchObject(FORBIDDEN);
    expect(await set(root, { questions: ['Why?'] })).toMatchObject({
      status: 200,
      body: {
        joining: 'application',
        questions: ['Why?'],
        eligible: { alliances: [ALLIANCE], min_level: 2 },
      },
    });
    const replaced = await ok(set(owner.client, { eligible: { corporations: [TWO, ONE, TWO] } }));
    expect(replaced.eligible).toMatchObject({ alliances: [], corporations: [ONE, TWO], min_level: 0 });
    expect(await ok(root.group.policy({ params }))).toEqual(replaced);
  });

  it('of a group whose authorized_to_login is set can be set only by level 9', async () => {
    const owner = await person(ONE);
    const params = await group(owner);
    await ok(root.group.update({ params, body: { authorized_to_login: true } }));
    expect(await owner.client.group.setPolicy({ params, body: { joining: 'open' } })).toMatchObject(
      FORBIDDEN,
    );
    expect((await root.group.setPolicy({ params, body: { joining: 'open' } })).status).toBe(200);
  });

  it('set by an owner counts as closed once authorized_to_login is set, and is shown so, until level 9 sets one', async () => {
    const owner = await person(ONE);
    const joiner = await person(TWO);
    const params = await group(owner, { joining: 'open', grace_hours: 0 });
    await ok(root.group.update({ params, body: { authorized_to_login: true } }));
    const joined = await joiner.client.group.apply({ params });
    expect(joined).toMatchObject({ status: 409, body: { code: 'joining_closed' } });
    const listed = await ok(joiner.client.group.joinable());
    expect(listed.map(({ group: { group_id } }) => group_id)).not.toContain(params.group_id);
    const shown = await ok(root.group.policy({ params }));
    expect(shown).toMatchObject({ joining: 'closed', grace_hours: 0 });
    // Whoever changes something else has not read that it is open.
    expect(await ok(root.group.setPolicy({ params, body: { questions: ['Why?'] } }))).toEqual({
      ...shown,
      questions: ['Why?'],
    });
    await ok(root.group.setPolicy({ params, body: { joining: 'open', questions: [] } }));
    expect((await joiner.client.group.apply({ params })).status).toBe(200);
  });

  it('is refused for autogroups, and with ids that do not exist', async () => {
    const autogroup = (await ok(root.group.list())).find(
      ({ group_name }) => group_name === `Corporation ${ONE}`,
    );
    const auto = await root.group.setPolicy({ params: autogroup as Group, body: { joining: 'open' } });
    expect(auto).toMatchObject({ status: 409, body: { code: 'autogroup_kept' } });
    const params = await group(await person(ONE));
    const named: Put[] = [
      { eligible: { alliances: [77] } },
      { eligible: { coalitions: [UNKNOWN] } },
      { eligible: { groups_any: [UNKNOWN] } },
      { moderators: { users: [77] } },
      { moderators: { groups: [UNKNOWN] } },
    ];
    for (const body of named) expect((await root.group.setPolicy({ params, body })).status).toBe(404);
    const itself = await root.group.setPolicy({
      params,
      body: { eligible: { groups_none: [params.group_id] } },
    });
    expect(itself.status).toBe(422);
    const missing = await root.group.setPolicy({ params: { group_id: UNKNOWN }, body: {} });
    expect(missing.status).toBe(404);
  });

  it('attack: nobody learns by applying whether there is a policy that he may not see', async () => {
    const [joiner, owner] = [await person(ONE), await person(ONE)];
    const hidden = await group(owner, { joining: 'application', visible_to: 'members', questions: ['Why?'] });
    const { group_id } = await ok(root.group.create({ body: { group_name: `None ${++made}` } }));
    const heardBy = async (client: Client) => {
      const answers = [hidden, { group_id }].flatMap((params) =>
        [{}, { message: 'x', answers: ['y'] }].map(async (body) => {
          const { status, body: said } = await client.group.apply({ params, body });
          return JSON.stringify([status, said]).replace(/"request_id":"[^"]*"/, '');
        }),
      );
      return [...new Set(await Promise.all(answers))];
    };
    expect(await heardBy(joiner.client)).toEqual([expect.stringContaining('joining_closed')]);
    // D23: the built-in user sees all policies, its tokens no more than their sponsor.
    const { user_token } = await ok(joiner.client.token.createUserToken());
    expect(await heardBy(app.client(user_token))).toEqual([expect.stringContaining('forbidden_to_all')]);
  });

  it('is seen by those that it says, and by whoever decides', async () => {
    const owner = await person(ONE);
    const [inside, outside, moderator] = [await person(ONE), await person(OTHER), await person(OTHER)];
    const policy: Put = {
      joining: 'application',
      visible_to: 'eligible',
      eligible: { corporations: [ONE] },
      moderators: { users: [moderator.id] },
    };
    const params = await group(owner, policy);
    const status = async ({ client }: Person) => (await client.group.policy({ params })).status;
    const found = async ({ client }: Person) =>
      (await ok(client.group.joinable())).some(({ group: { group_id } }) => group_id === params.group_id);
    expect([await status(inside), await status(outside), await status(moderator)]).toEqual([200, 404, 200]);
    expect([await found(inside), await found(outside)]).toEqual([true, false]);
    await ok(owner.client.group.setPolicy({ params, body: { visible_to: 'members' } }));
    expect([await status(inside), await status(owner)]).toEqual([404, 200]);
    expect((await root.group.policy({ params })).status).toBe(200);
  });
});

describe('D110: eligible', () => {
  it.each([
    ['a corporation', { corporations: [ONE] }, true],
    ['its alliance', { alliances: [ALLIANCE] }, true],
    ['one of several organizations', { corporations: [OTHER], alliances: [ALLIANCE] }, true],
    ['another corporation', { corporations: [TWO] }, false],
    ['another coalition', { coalitions: [COALITION] }, false],
    ['a level that it has', { min_level: 1 }, true],
    ['a level that it lacks', { min_level: 2 }, false],
    ['no condition', {}, true],
    ['all of them at once', { corporations: [ONE], min_level: 2 }, false],
  ] as [string, NonNullable<Put['eligible']>, boolean][])('by %s', async (_, eligible, may) => {
    const joiner = await person(ONE, 1);
    const params = await group(await person(ONE), { joining: 'open', eligible });
    const answer = await joiner.client.group.apply({ params });
    expect(answer.status).toBe(may ? 200 : 409);
    if (!may) expect(answer.body).toMatchObject({ code: 'not_eligible' });
  });

  it('by a coalition of its corporation', async () => {
    const params = await group(await person(ONE), { joining: 'open', eligible: { coalitions: [COALITION] } });
    expect((await (await person(OTHER)).client.group.apply({ params })).status).toBe(200);
    expect((await (await person(TWO)).client.group.apply({ params })).status).toBe(409);
  });

  it('by groups that a user is in, and groups that it is not in, including autogroups', async () => {
    const [joiner, owner] = [await person(ONE), await person(ONE)];
    const [one, other] = [await group(owner, {}, [joiner]), await group(owner)];
    const auto = (await ok(joiner.client.user.groups({ params: { character: joiner.name } }))).find(
      ({ is_autogroup }) => is_autogroup,
    );
    const asked: [NonNullable<Put['eligible']>, boolean][] = [
      [{ groups_any: [one.group_id, other.group_id] }, true],
      [{ groups_any: [other.group_id] }, false],
      [{ groups_none: [other.group_id] }, true],
      [{ groups_none: [one.group_id, other.group_id] }, false],
      [{ groups_any: [auto?.group_id ?? ''] }, true],
      [{ groups_none: [auto?.group_id ?? ''] }, false],
    ];
    for (const [eligible, may] of asked) {
      const params = await group(owner, { joining: 'open', eligible });
      expect((await joiner.client.group.apply({ params })).status, JSON.stringify(eligible)).toBe(
        may ? 200 : 409,
      );
    }
  });

  it('is shown beforehand, with the reason', async () => {
    const [joiner, owner] = [await person(ONE), await person(ONE)];
    const open = await group(owner, { joining: 'open' });
    const high = await group(owner, {
      joining: 'application',
      eligible: { min_level: 3 },
      questions: ['Why?'],
    });
    const shut = await group(owner, { joining: 'closed' });
    const listed = new Map(
      (await ok(joiner.client.group.joinable())).map((one) => [one.group.group_id, one]),
    );
    expect(listed.get(open.group_id)).toMatchObject({
      may_join: true,
      why: 'You may join.',
      joining: 'open',
    });
    expect(listed.get(high.group_id)).toMatchObject({
      may_join: false,
      why: 'That needs level 3; you have 0.',
      questions: ['Why?'],
    });
    expect(listed.has(shut.group_id)).toBe(false);
    const owns = (await ok(owner.client.group.joinable())).find(
      ({ group: { group_id } }) => group_id === open.group_id,
    );
    expect(owns).toMatchObject({ may_join: false, why: 'You are a member already.' });
  });

  it('attack: who has made very many applications makes the list of all groups no dearer', async () => {
    const [many, owner] = [await person(ONE), await person(ONE)];
    const groups: string[] = [];
    for (let n = 0; n < 20; n += 1) groups.push((await group(owner, { joining: 'application' })).group_id);
    const now = app.clock.now();
    const made_on = new Date(now.getTime() - HOUR);
    await sql`insert into users (character_id, character_name, name_key)
      select 7800000 + n, 'Other ' || n, 'other ' || n from generate_series(1, 1000) n`.execute(app.db);
    // Theirs, one of each, and 2,000 of one, all but the last withdrawn.
    await sql`insert into applications (application_id, group_id, character_id, message, answers, created_on, expires_on,
        state, decided_on)
      select lpad(to_hex(n), 24, '0'), (${groups}::text[])[1 + n % 20],
        case when n <= 1000 then 7800000 + n else ${many.id} end, 'x', '{}', ${made_on}, ${made_on},
        case when n = 3000 then 'rejected' else 'withdrawn' end, ${made_on}
      from generate_series(1, 3000) n`.execute(app.db);
    await sql`analyze applications`.execute(app.db);
    const { found, read } = await rowsRead(app.db, 'applications', (db) => findJoinable(db, many.id, now));
    const waits = found.filter(({ rejected_until }) => rejected_until !== null);
    expect(waits.map(({ group_id }) => group_id)).toEqual([groups[0]]);
    expect(waits[0]?.rejected_until).toEqual(new Date(made_on.getTime() + 24 * HOUR));
    expect(read).toBeLessThan(4_000);
  });
});

describe('D110: reach', () => {
  /** Makes characters one person; the first is its main. */
  async function linked(...people: readonly Person[]): Promise<void> {
    const person_id = (++made).toString(16).padStart(24, 'e');
    const main_id = people[0]?.id ?? 0;
    await app.db.transaction().execute(async (tx) => {
      await tx.insertInto('persons').values({ person_id, main_id, created_on: app.clock.now() }).execute();
      const rows = people.map(({ id }) => ({ person_id, character_id: id }));
      await tx.insertInto('person_characters').values(rows).execute();
    });
  }
  const whyNot = async ({ client }: Person, { group_id }: Group) =>
    (await ok(client.group.joinable())).find(({ group }) => group.group_id === group_id);

  it('character: each counts for itself, even if it is linked', async () => {
    const [main, alt] = [await person(ONE, 2), await person(OTHER)];
    await linked(main, alt);
    const eligible = { corporations: [ONE], min_level: 1 };
    const params = await group(await person(ONE), { joining: 'open', eligible });
    expect((await alt.client.group.apply({ params })).status).toBe(409);
  });

  it('person: a character is eligible by another one that meets all conditions, and its level does not change', async () => {
    const [main, alt] = [await person(ONE, 2), await person(OTHER)];
    const eligible = { corporations: [ONE], min_level: 1 };
    const params = await group(await person(ONE), { joining: 'open', reach: 'person', eligible });
    expect(await whyNot(alt, params)).toMatchObject({
      may_join: false,
      why: 'That needs a character of level 1.',
    });
    await linked(main, alt);
    expect(await whyNot(alt, params)).toMatchObject({ may_join: true });
    expect((await ok(alt.client.group.apply({ params }))).state).toBe('approved');
    expect((await ok(alt.client.user.get({ params: { character_name: alt.name } }))).clearance_level).toBe(0);
  });

  it('person: conditions met by different characters do not add up', async () => {
    const [main, alt] = [await person(ONE), await person(OTHER, 2)];
    await linked(main, alt);
    const eligible = { corporations: [ONE], min_level: 1 };
    const params = await group(await person(ONE), { joining: 'open', reach: 'person', eligible });
    for (const one of [main, alt]) {
      expect((await one.client.group.apply({ params })).status).toBe(409);
      expect((await whyNot(one, params))?.why).toBe(
        'None of your characters meets all that is asked by itself.',
      );
    }
  });

  it('person: a group that bars one of its characters bars them all, including guests', async () => {
    const [owner, main, alt, guest] = [
      await person(ONE),
      await person(ONE),
      await person(ONE),
      await person(ONE),
    ];
    const barred = await group(owner, {}, [guest]);
    await linked(main, alt, guest);
    const params = await group(owner, {
      joining: 'open',
      reach: 'person',
      eligible: { groups_none: [barred.group_id] },
    });
    await app.db
      .updateTable('users')
      .set({ clearance_level: -1 })
      .where('character_id', '=', guest.id)
      .execute();
    expect((await whyNot(alt, params))?.why).toBe(
      'One of your characters is in a group that one must not be in.',
    );
    await ok(root.group.update({ params: barred, body: { remove_members: [guest.name] } }));
    expect(await whyNot(alt, params)).toMatchObject({ may_join: true });
  });

  it('person: neither a guest nor a character that was handed over makes others eligible', async () => {
    const [main, alt] = [await person(ONE), await person(OTHER)];
    await linked(main, alt);
    const eligible = { corporations: [ONE] };
    const params = await group(await person(ONE), { joining: 'open', reach: 'person', eligible });
    expect(await whyNot(alt, params)).toMatchObject({ may_join: true });
    const set = (values: object) =>
      app.db.updateTable('users').set(values).where('character_id', '=', main.id).execute();
    await set({ clearance_level: -1 });
    expect(await whyNot(alt, params)).toMatchObject({ may_join: false });
    await set({ clearance_level: 0, owner_hash: 'seller' });
    expect(await whyNot(alt, params)).toMatchObject({ may_join: true });
    await sql`insert into grants (grant_id, character_id, scopes, refresh_token, heard_owner)
      values (${crypto.randomUUID()}, ${main.id}, '{publicData}', '', 'buyer')`.execute(app.db);
    expect(await whyNot(alt, params)).toMatchObject({ may_join: false });
  });

  it('person: only level 9 sets, previews or changes it, because an owner could find out which characters are linked', async () => {
    const [owner, main, alt] = [await person(ONE), await person(ONE), await person(TWO)];
    await linked(main, alt);
    const params = await group(owner, {}, [main]);
    const { setPolicy } = owner.client.group;
    const probe: Put = { reach: 'person', eligible: { corporations: [TWO] }, grace_hours: 0 };
    expect(await setPolicy.preview({ params, body: probe })).toMatchObject(FORBIDDEN);
    expect(await setPolicy({ params, body: probe })).toMatchObject(FORBIDDEN);
    expect((await ok(root.group.setPolicy.preview({ params, body: probe }))).changes).toEqual([]);
    await ok(root.group.setPolicy({ params, body: { reach: 'person' } }));
    for (const body of [{ eligible: { corporations: [TWO] } }, { reach: 'character' } as const]) {
      expect(await setPolicy.preview({ params, body })).toMatchObject(FORBIDDEN);
      expect(await setPolicy({ params, body })).toMatchObject(FORBIDDEN);
    }
    expect(await membersOf(params)).toContain(main.id);
  });

  it('person: a policy that level 9 did not set counts as closed', async () => {
    const [main, alt] = [await person(ONE), await person(TWO)];
    await linked(main, alt);
    const eligible = { corporations: [ONE] };
    const params = await group(await person(ONE), { joining: 'open', reach: 'person', eligible });
    expect(await whyNot(alt, params)).toMatchObject({ may_join: true });
    await sql`update group_policies set by_administrator = false where group_id = ${params.group_id}`.execute(
      app.db,
    );
    expect(await whyNot(alt, params)).toBeUndefined();
    expect((await ok(root.group.policy({ params }))).joining).toBe('closed');
  });

  it('person: who is eligible by another one leaves when each has to be it by itself', async () => {
    const [owner, main, alt] = [await person(ONE), await person(ONE), await person(OTHER)];
    await linked(main, alt);
    const policy: Put = { reach: 'person', grace_hours: 0, eligible: { corporations: [ONE] } };
    const params = await group(owner, policy, [alt]);
    expect(await membersOf(params)).toContain(alt.id);
    await ok(root.group.setPolicy({ params, body: { reach: 'character' } }));
    expect(await membersOf(params)).toEqual([owner.id]);
  });

  it('person: a member no longer linked with an eligible character leaves after the grace', async () => {
    const [owner, main, alt] = [await person(ONE), await person(ONE), await person(OTHER)];
    await linked(main, alt);
    const policy = { joining: 'open', reach: 'person', grace_hours: 1 } as const;
    const params = await group(owner, { ...policy, eligible: { corporations: [ONE] } });
    await ok(alt.client.group.apply({ params }));
    await judge();
    expect(await membersOf(params)).toContain(alt.id);
    await app.db.deleteFrom('persons').execute();
    await judge();
    app.clock.advance(HOUR);
    await judge();
    expect(await membersOf(params)).toEqual([owner.id]);
  });
});

describe('D110: a member that is no longer eligible is removed after the grace', () => {
  /** A group for the members of a corporation, of which 50 of 80 have left that meanwhile. */
  async function crowdOf(owner: Person, corporation: number, grace_hours: number): Promise<Group> {
    await addOrganizations(app, [{ corporations: [corporation] }]);
    const crowd: Person[] = [];
    for (let n = 0; n < 80; n += 1) crowd.push(await person(corporation));
    const params = await group(owner, { grace_hours, eligible: { corporations: [corporation] } }, crowd);
    app.clock.advance(MINUTE);
    for (const { id } of crowd.slice(0, 50)) await move(id, OTHER);
    return params;
  }

  it('it is marked, stays if it is eligible again in time, and leaves at the end; the owner stays', async () => {
    const [owner, goes, returns] = [await person(OTHER), await person(ONE), await person(ONE)];
    const params = await group(owner, {}, [goes, returns]);
    await ok(
      owner.client.group.setPolicy({ params, body: { grace_hours: 2, eligible: { corporations: [ONE] } } }),
    );
    await judge();
    for (const { id } of [goes, returns]) await move(id, OTHER);
    await judge();
    app.clock.advance(HOUR);
    await judge();
    expect(await membersOf(params)).toEqual(expect.arrayContaining([owner.id, goes.id, returns.id]));
    await move(returns.id, ONE);
    await judge();
    app.clock.advance(HOUR);
    await judge();
    expect(new Set(await membersOf(params))).toEqual(new Set([owner.id, returns.id]));
    app.clock.advance(HOUR);
    await judge();
    expect(await membersOf(params)).toHaveLength(2);
  });

  it('D110: the grace of a member that was marked while the clock was ahead begins when it is right', async () => {
    const [owner, goes, returns] = [await person(OTHER), await person(ONE), await person(ONE)];
    const params = await group(owner, {}, [goes, returns]);
    await ok(
      owner.client.group.setPolicy({ params, body: { grace_hours: 2, eligible: { corporations: [ONE] } } }),
    );
    await judge();
    for (const { id } of [goes, returns]) await move(id, OTHER);
    await judge();
    const ahead = new Date(app.clock.now().getTime() + 10 * HOUR);
    await sql`update group_members set ineligible_since = ${ahead} where ineligible_since is not null`.execute(
      app.db,
    );
    await move(returns.id, ONE);
    await judge();
    app.clock.advance(2 * HOUR);
    await judge();
    expect(new Set(await membersOf(params))).toEqual(new Set([owner.id, returns.id]));
    // Nothing is left of the former mark.
    app.clock.advance(12 * HOUR);
    await move(returns.id, OTHER);
    await judge();
    expect(await membersOf(params)).toContain(returns.id);
  });

  it('a policy without grace takes effect at once, and a preview shows who will leave, whatever the grace', async () => {
    const [owner, goes] = [await person(ONE), await person(TWO)];
    const params = await group(owner, {}, [goes]);
    const eligible = { corporations: [ONE] };
    const { changes } = await ok(owner.client.group.setPolicy.preview({ params, body: { eligible } }));
    expect(changes).toMatchObject([
      { about: 'group', effect: 'lost', count: 1, users: [{ character_id: goes.id }] },
    ]);
    await ok(owner.client.group.setPolicy({ params, body: { eligible } }));
    expect(await membersOf(params)).toContain(goes.id);
    await ok(owner.client.group.setPolicy({ params, body: { grace_hours: 0 } }));
    expect(await membersOf(params)).toEqual([owner.id]);
  });

  it('a policy that level 9 puts in force takes effect at once, though nothing else of it differs', async () => {
    const [owner, goes] = [await person(ONE), await person(ONE)];
    const params = await group(owner, { grace_hours: 0, eligible: { corporations: [ONE] } }, [goes]);
    await ok(root.group.update({ params, body: { authorized_to_login: true } }));
    await move(goes.id, OTHER);
    await judge();
    expect(await membersOf(params)).toContain(goes.id);
    await ok(root.group.setPolicy({ params, body: {} }));
    expect(await membersOf(params)).toEqual([owner.id]);
  });

  it('D63: a run that would take something from more than 10 % of the users is held, however many groups they are in', async () => {
    const [owner, corporation] = [await person(ONE), 98_750_078];
    await addOrganizations(app, [{ alliance: 99_750_078, corporations: [corporation] }]);
    const crowd: Person[] = [];
    for (let n = 0; n < 80; n += 1) crowd.push(await person(corporation));
    const policy = { grace_hours: 0, eligible: { corporations: [corporation] } };
    const groups: Group[] = [];
    for (let n = 0; n < 8; n += 1) groups.push(await group(owner, policy, crowd));
    for (const { id } of crowd.slice(0, 50)) await move(id, OTHER);
    await judge();
    for (const params of groups) expect(await membersOf(params)).toHaveLength(81);
    // Others would be held, too.
    for (const { group_id } of groups) await ok(root.group.delete({ params: { group_id } }));
  });

  it('D63: attack: a policy that removes many members does not hold up other groups', async () => {
    const [owner, goes] = [await person(ONE), await person(ONE)];
    const first = 9_500_001;
    await sql`insert into users (character_id, character_name, name_key, corporation_id)
      select ${first}::int + n, 'Crowd ' || n, 'crowd ' || n, ${ONE} from generate_series(1, 200) n`.execute(
      app.db,
    );
    const crowd = await group(owner, { grace_hours: 1 });
    await sql`insert into group_members (group_id, character_id)
      select ${crowd.group_id}, ${first}::int + n from generate_series(1, 200) n`.execute(app.db);
    const other = await group(await person(ONE), { grace_hours: 1, eligible: { corporations: [ONE] } }, [
      goes,
    ]);
    await move(goes.id, OTHER);
    await judge();
    const policy = { params: crowd, body: { eligible: { min_level: 9 } } };
    await ok(owner.client.group.setPolicy(policy));
    app.clock.advance(HOUR);
    await judge();
    expect(await membersOf(other)).not.toContain(goes.id);
    expect(await membersOf(crowd)).toEqual([owner.id]);
  });

  it.each([
    ['groups_any', 'remove_members', 'members'],
    ['groups_none', 'add_members', 'remove_members'],
  ] as const)(
    'D63: attack: nor does an owner who changes a group of his own that the policy names in %s',
    async (condition, change, before) => {
      const [owner, goes] = [await person(ONE), await person(ONE)];
      const crowd = await Promise.all(Array.from({ length: 40 }, () => person(ONE)));
      const names = crowd.map(({ name }) => name);
      const key = await group(owner);
      await ok(owner.client.group.update({ params: key, body: { [before]: names } }));
      const eligible = { [condition]: [key.group_id] };
      const params = await group(owner, { grace_hours: 0, eligible }, crowd);
      const other = await group(await person(ONE), { grace_hours: 0, eligible: { corporations: [ONE] } }, [
        goes,
      ]);
      await judge();
      expect(await membersOf(params)).toHaveLength(41);
      await move(goes.id, OTHER);
      await ok(owner.client.group.update({ params: key, body: { [change]: names } }));
      await judge();
      expect(await membersOf(other)).not.toContain(goes.id);
      expect(await membersOf(params)).toEqual([owner.id]);
    },
  );

  it.each<[string, Put]>([
    ['nothing', {}],
    ['the questions', { questions: ['Since when?'] }],
    ['what it asks to the same', { grace_hours: 0, eligible: { corporations: [98_750_079] } }],
  ])(
    'D63: attack: whom a run may not remove stays when the owner sets %s, as the preview says',
    async (_, body) => {
      const owner = await person(ONE);
      const params = await crowdOf(owner, 98_750_079, 0);
      expect(await judge()).toHaveLength(50);
      const { changes } = await ok(owner.client.group.setPolicy.preview({ params, body }));
      expect(changes).toEqual([]);
      await ok(owner.client.group.setPolicy({ params, body }));
      expect(await membersOf(params)).toHaveLength(81);
      await judge();
      expect(await membersOf(params)).toHaveLength(81);
      await ok(root.group.delete({ params }));
    },
  );

  it('D63: attack: nor does that make removals intended whose grace it interrupts', async () => {
    const owner = await person(ONE);
    const params = await crowdOf(owner, 98_750_080, 1);
    await judge();
    app.clock.advance(MINUTE);
    await ok(owner.client.group.setPolicy({ params, body: { questions: ['Since when?'] } }));
    app.clock.advance(HOUR);
    // Held with whoever else's grace has ended by now.
    expect((await judge()).length).toBeGreaterThanOrEqual(50);
    expect(await membersOf(params)).toHaveLength(81);
    await ok(root.group.delete({ params }));
    await judge();
  });

  it('D63: nor does a policy stay one of later that was set while the clock was ahead', async () => {
    const params = await group(await person(ONE), { eligible: { corporations: [ONE] } });
    const policy = app.db.updateTable('group_policies').where('group_id', '=', params.group_id);
    await policy.set({ updated_on: new Date(app.clock.now().getTime() + 10 * HOUR) }).execute();
    await ok(root.group.setPolicy({ params, body: {} }));
    const stored = app.db.selectFrom('group_policies').select('updated_on');
    expect(await stored.where('group_id', '=', params.group_id).execute()).toEqual([
      { updated_on: app.clock.now() },
    ]);
  });

  it.each([
    ['groups_any', 9_600_000, 98_750_081, OTHER],
    ['groups_none', 9_700_000, ONE, 98_750_082],
  ] as const)(
    'D63: but a run is held where what many lose or get is the autogroup that the policy names in %s',
    async (condition, first, from, to) => {
      const corporation = condition === 'groups_any' ? from : to;
      await addOrganizations(app, [{ corporations: [corporation] }]);
      const { name } = await person(corporation);
      await addOrganizations(app, [{ corporations: [corporation] }]);
      const groups = await ok(root.user.groups({ params: { character: name } }));
      const auto = groups.find(({ is_autogroup }) => is_autogroup);
      const params = await group(await person(ONE), {
        grace_hours: 0,
        eligible: { [condition]: [auto?.group_id ?? ''] },
      });
      await sql`insert into users (character_id, character_name, name_key, corporation_id)
        select ${first}::int + n, 'Crew ' || n, 'crew ' || n, ${from} from generate_series(1, 80) n`.execute(
        app.db,
      );
      await sql`insert into group_members (group_id, character_id)
        select ${params.group_id}, ${first}::int + n from generate_series(1, 80) n`.execute(app.db);
      await judge();
      const crew = app.db.updateTable('users').set({ corporation_id: to });
      await crew
        .where('character_id', '>', first)
        .where('character_id', '<=', first + 80)
        .execute();
      expect(await judge()).toHaveLength(80);
      expect(await membersOf(params)).toHaveLength(81);
      await ok(root.group.delete({ params }));
    },
  );

  it('1,000 members are judged in one statement after their corporation moved', {
    timeout: 120_000,
  }, async () => {
    const [owner, corporation] = [await person(ONE), 98_750_077];
    await addOrganizations(app, [{ alliance: 99_750_077, corporations: [corporation] }]);
    const params = await group(owner, { grace_hours: 0 });
    await sql`insert into users (character_id, character_name, name_key, corporation_id)
      select 9000000 + n, 'Many ' || n, 'many ' || n, ${corporation} from generate_series(1, 1000) n`.execute(
      app.db,
    );
    // Otherwise checking foreign keys would scan all users for each of them.
    await sql`analyze users`.execute(app.db);
    await sql`insert into group_members (group_id, character_id)
      select ${params.group_id}, 9000000 + n from generate_series(1, 1000) n`.execute(app.db);
    await ok(owner.client.group.setPolicy({ params, body: { eligible: { alliances: [99_750_077] } } }));
    await app.db
      .updateTable('corporations')
      .set({ alliance_id: null })
      .where('corporation_id', '=', corporation)
      .execute();
    // D63: so many at once are held until somebody approves.
    expect(await judge()).toHaveLength(1_000);
    expect(await membersOf(params)).toHaveLength(1_001);
    const statements = await statementsOf(app, () =>
      judgeMemberships(app.app.services, testRun('judge-memberships', { force: true })),
    );
    expect(statements.filter((text) => text.includes('group_policies p join groups g'))).toHaveLength(1);
    expect(await membersOf(params)).toEqual([owner.id]);
  });
});

async function move(id: number, corporation: number): Promise<void> {
  await app.db
    .updateTable('users')
    .set({ corporation_id: corporation })
    .where('character_id', '=', id)
    .execute();
}

describe('D111: leaving a group', () => {
  it('nobody lifts a bar: not from a group that keeps its members out of another, unless a stranger named it', async () => {
    const [owner, stranger, barred] = [await person(ONE), await person(ONE), await person(ONE)];
    const params = await group(owner, {}, [barred]);
    const eligible = { groups_none: [params.group_id] };
    const leave = () => barred.client.group.leave({ params });
    await group(stranger, { joining: 'open', eligible });
    const fleet = await group(owner, { joining: 'open', eligible });
    expect(await leave()).toMatchObject({ status: 409, body: { code: 'member_stays' } });
    await ok(owner.client.group.setPolicy({ params: fleet, body: { eligible: { groups_none: [] } } }));
    expect((await leave()).status).toBe(200);
  });

  it('nor does a policy bar anybody that is not in force, as level 9 did not set it', async () => {
    const [owner, member] = [await person(ONE), await person(ONE)];
    const params = await group(owner, {}, [member]);
    const fleet = await group(owner, { joining: 'open', eligible: { groups_none: [params.group_id] } });
    expect((await member.client.group.leave({ params })).status).toBe(409);
    await ok(root.group.update({ params: fleet, body: { authorized_to_login: true } }));
    expect((await member.client.group.leave({ params })).status).toBe(200);
  });

  it('anybody but the owner may; of autogroups nobody', async () => {
    const [owner, member, stranger] = [await person(ONE), await person(ONE), await person(ONE)];
    const params = await group(owner, {}, [member]);
    expect((await stranger.client.group.leave({ params })).status).toBe(404);
    expect(await owner.client.group.leave({ params })).toMatchObject({
      status: 409,
      body: { code: 'owner_stays' },
    });
    expect((await member.client.group.leave({ params })).status).toBe(200);
    expect(await membersOf(params)).toEqual([owner.id]);
    expect((await member.client.group.leave({ params: { group_id: UNKNOWN } })).status).toBe(404);
    expect((await member.client.group.apply({ params: { group_id: UNKNOWN } })).status).toBe(404);
    const auto = (await ok(root.user.groups({ params: { character: member.name } }))).find(
      ({ is_autogroup }) => is_autogroup,
    );
    const kept = await member.client.group.leave({ params: { group_id: auto?.group_id ?? '' } });
    expect(kept).toMatchObject({ status: 409, body: { code: 'autogroup_kept' } });
  });
});

describe('D110: the contents of a policy are validated', () => {
  it('refuses unknown fields, levels and values', async () => {
    const { group_id } = await group(await person(ONE));
    const bodies = [
      { joining: 'maybe' },
      { eligible: { min_level: 11 } },
      { eligible: { pilots: [] } },
      { grace_hours: -1 },
      { expire_days: 0 },
      { questions: [''] },
      { moderators: { users: ['Ada'] } },
    ];
    for (const body of bodies) {
      const answer = await send(app, 'PUT', `/group/${group_id}/policy`, { token: app.root, body });
      expect(answer.status, JSON.stringify(body)).toBe(422);
    }
    const policy: GroupPolicy = await ok(root.group.policy({ params: { group_id } }));
    expect(policy.joining).toBe('closed');
  });
});

it('D110: whoever ceases to be eligible while it joins leaves like everybody else', async () => {
  const [owner, player] = [await person(ONE), await person(ONE)];
  const key = await group(owner, {}, [player]);
  const eligible = { groups_any: [key.group_id] };
  const joined = await group(owner, { joining: 'open', grace_hours: 0, eligible });
  // Judged already, and about to be stored.
  const answer = await meanwhile(
    app,
    'lock table group_members in share row exclusive mode',
    [],
    () => player.client.group.apply({ params: joined, body: { message: '' } }),
    (other) =>
      other.query('delete from group_members where group_id = $1 and character_id = $2', [
        key.group_id,
        player.id,
      ]),
  );
  expect(answer.status).toBe(200);
  expect(await membersOf(joined)).toContain(player.id);
  await judge();
  expect(await membersOf(joined)).not.toContain(player.id);
});
