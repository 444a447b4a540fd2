import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { level } from '../../contract/access.ts';
import type { PutCoalition } from '../../contract/coalition.ts';
import type { PutGroupPolicy } from '../../contract/policy.ts';
import { createCastellan, type Event, type Group, ok, type PreviewChange } from '../../sdk/src/index.ts';
import type { Admission } from '../../server/access/admission.ts';
import { type Caller, findCaller } from '../../server/access/caller.queries.ts';
import { judgeMemberships } from '../../server/application/judge-memberships.ts';
import { updateCoalition } from '../../server/coalition/coalition.ts';
import type { Services } from '../../server/services/services.ts';
import { rehearse } from '../../server/standing/rehearse.ts';
import { storedUsers } from '../../server/standing/standing.queries.ts';
import type { PutPolicy } from '../fixtures/joining.ts';
import { setLevel } from '../fixtures/registry.ts';
import { addCoalition, addOrganizations, addUser, makeToken, uuidOf } from '../fixtures/users.ts';
import { type Client, startTestApp, type TestApp } from '../harness/app.ts';
import { callerAt } from '../harness/caller.ts';
import { snapshot } from '../harness/dump.ts';
import { meanwhile } from '../harness/meanwhile.ts';
import { CHARACTERS, CORPORATIONS } from '../harness/model/world.ts';
import { plans } from '../harness/reach/plan.ts';
import { groupId, settle } from '../harness/reach/settle.ts';
import { INSUFFICIENT } from '../harness/refusals.ts';
import { testRun } from '../harness/run.ts';
import { send } from '../harness/send.ts';
import { changesBetween, changesOf, changesTold, look } from '../harness/standings.ts';

const ALLIANCE = 99_700_001;
const [ONE, TWO] = [98_700_001, 98_700_002] as const;
const COALITION = 'ca'.repeat(12);
const params = { coalition_id: COALITION };
const UNKNOWN = '0123456789abcdef01234567';
const PREVIEW = 'application/vnd.castellan.preview+json';

let app: TestApp;
let root: Client;

beforeAll(async () => {
  app = await startTestApp();
  root = app.client(app.root);
  await addOrganizations(app, [{ alliance: ALLIANCE, corporations: [ONE, TWO] }]);
  await addCoalition(app, COALITION, { alliances: [ALLIANCE] });
  await person(1, 'Ada', ONE, 3);
  await person(2, 'brim', ONE);
  await person(3, 'Cleo', TWO);
  // Creates the autogroups, now that the organizations have members.
  await ok(root.coalition.update({ params, body: { member_alliances: [] } }));
  await ok(root.coalition.update({ params, body: { member_alliances: [ALLIANCE] } }));
  await addOrganizations(app, [{ alliance: ALLIANCE, corporations: [ONE, TWO] }]);
});
afterAll(() => app.stop());

/** A member with a valid grant of publicData. */
async function person(id: number, name: string, corporation: number, level = 0): Promise<void> {
  await addUser(app, { id, name, corporation, level });
  await grant(id);
}

async function grant(character_id: number): Promise<void> {
  await app.db
    .insertInto('grants')
    .values({
      grant_id: crypto.randomUUID(),
      character_id,
      scopes: ['publicData'],
      refresh_token: Buffer.alloc(1),
    } as never)
    .execute();
}

async function group(group_name: string, members: readonly string[] = []): Promise<Group> {
  const made = await ok(root.group.create({ body: { group_name } }));
  return ok(root.group.update({ params: made, body: { add_members: [...members] } }));
}

/** The entries of a preview as `about effect: names`. */
function told(changes: readonly PreviewChange[]): string[] {
  return changes.map(({ about, effect, group, from_level, to_level, count, users }) => {
    const what = [about, effect, group?.group_name, from_level, to_level].filter((word) => word != null);
    expect(users).toHaveLength(Math.min(count, 100));
    return `${what.join(' ')}: ${users.map(({ character_name }) => character_name).join()}`;
  });
}

describe('D121: a preview shows who would gain or lose what', () => {
  it('coalition: users that lose login permission and autogroup, in order of names', async () => {
    await ok(root.coalition.update({ params, body: { ticker: 'ONE', add_member_corporations: [TWO] } }));
    const preview = await ok(root.coalition.update.preview({ params, body: { member_alliances: [] } }));
    expect(told(preview.changes)).toEqual([
      'login lost: Ada,brim',
      `group lost Coalition ${COALITION}: Ada,brim`,
    ]);
    await ok(root.coalition.update({ params, body: { remove_member_corporations: [TWO] } }));
    const all = await ok(root.coalition.delete.preview({ params }));
    expect(told(all.changes)).toEqual([
      'login lost: Ada,brim,Cleo',
      `group lost Coalition ${COALITION}: Ada,brim,Cleo`,
    ]);
  });

  it('coalition, corporation, alliance: users whose refresh tokens would no longer be enough', async () => {
    const body = { mandatory_ext_scopes: ['ext-mail.read_mail.v1' as const] };
    const [corporation_id, alliance_id] = [ONE, ALLIANCE];
    const previews = {
      coalition: await ok(root.coalition.update.preview({ params, body })),
      alliance: await ok(root.alliance.update.preview({ params: { alliance_id }, body })),
      corporation: await ok(root.corporation.update.preview({ params: { corporation_id }, body })),
    };
    expect(told(previews.coalition.changes)).toEqual(['validity lost: Ada,brim,Cleo']);
    expect(told(previews.alliance.changes)).toEqual(['validity lost: Ada,brim,Cleo']);
    expect(told(previews.corporation.changes)).toEqual(['validity lost: Ada,brim']);
  });

  it('group: members, and the login permission that they gain or lose by it', async () => {
    const made = await group('Divers', ['Ada']);
    const body = { members: ['brim'], authorized_to_login: false };
    const { changes } = await ok(root.group.update.preview({ params: made, body }));
    expect(told(changes)).toEqual([
      'login lost: brim',
      'group lost Divers: Ada',
      'group gained Divers: brim',
    ]);
    expect(told((await ok(root.group.delete.preview({ params: made }))).changes)).toEqual([
      'group lost Divers: (built-in),Ada',
    ]);
  });

  it('D27b: administrators keep their tokens when a group bars them, so they are not counted', async () => {
    await person(6, 'Fay', ONE, 9);
    const closed = { authorized_to_login: false };
    const coalition = await ok(root.coalition.update.preview({ params, body: closed }));
    expect(told(coalition.changes)).toEqual(['login lost: Ada,brim,Cleo']);
    const made = await group('Kept out', ['Ada', 'Fay']);
    const { changes } = await ok(root.group.update.preview({ params: made, body: closed }));
    expect(told(changes)).toEqual(['login lost: Ada']);
    await ok(root.group.delete({ params: made }));
    await ok(root.user.delete({ params: { character_id: 6 } }));
  });

  it('D27b: a barred user gains login permission by becoming an administrator, and loses it with the level', async () => {
    await person(7, 'Gus', ONE);
    await addUser(app, { id: 8, name: 'Hal' });
    const made = await group('Keeps out', ['Gus']);
    await ok(root.group.update({ params: made, body: { authorized_to_login: false } }));
    // One is barred, the other is not let in.
    for (const [character_id, name] of [
      [7, 'Gus'],
      [8, 'Hal'],
    ] as const) {
      const params = { character_id };
      for (const administrator of [9, 10]) {
        const raise = { params, body: { clearance_level: administrator } };
        const up = await ok(root.user.update.preview(raise));
        expect(told(up.changes)).toEqual([
          `login gained: ${name}`,
          `level gained 0 ${administrator}: ${name}`,
        ]);
        await ok(root.user.update(raise));
        const lower = { params, body: { clearance_level: 0 } };
        const down = await ok(root.user.update.preview(lower));
        expect(told(down.changes)).toEqual([`login lost: ${name}`, `level lost ${administrator} 0: ${name}`]);
        await ok(root.user.update(lower));
      }
      await ok(root.user.delete({ params }));
    }
    await ok(root.group.delete({ params: made }));
  });

  it('levels: the former and the new level', async () => {
    const { changes } = await ok(
      root.user.update.preview({ params: { character_id: 1 }, body: { clearance_level: 1 } }),
    );
    expect(told(changes)).toEqual(['level lost 3 1: Ada']);
    const nothing = await ok(root.user.update.preview({ params: { character_id: 1 } }));
    expect(nothing.changes).toEqual([]);
  });

  it('a deleted user loses login permission, groups and valid refresh token; a guest likewise', async () => {
    const { changes } = await ok(root.user.delete.preview({ params: { character_id: 3 } }));
    expect(told(changes)).toEqual([
      'login lost: Cleo',
      'level lost 0: Cleo',
      `group lost Alliance ${ALLIANCE}: Cleo`,
      `group lost Coalition ${COALITION}: Cleo`,
      `group lost Corporation ${TWO}: Cleo`,
      'validity lost: Cleo',
    ]);
    await addUser(app, { id: 4, name: 'Guest', corporation: ONE, level: -1 });
    const guest = { corporation_id: ONE, character_id: 4 };
    const answer = await ok(root.corporation.deleteGuest.preview({ params: guest }));
    expect(told(answer.changes)).toEqual(['login lost: Guest', 'level lost -1: Guest']);
    await addUser(app, { id: 5, name: 'Five', corporation: ONE, level: 5 });
    const five = await ok(root.user.delete.preview({ params: { character_id: 5 } }));
    expect(five.changes.filter(({ about }) => about === 'level')).toMatchObject([
      { effect: 'lost', from_level: 5, to_level: null, count: 1, users: [{ character_id: 5 }] },
    ]);
    await ok(root.user.delete({ params: { character_id: 5 } }));
  });

  it('D110: who leaves a group at once because he is no longer eligible, and what hung on that', async () => {
    await person(30, 'Ina', ONE, 3);
    await person(31, 'Jon', ONE, 3);
    await addUser(app, { id: 32, name: 'Kim' });
    const names = ['Ina', 'Jon', 'Kim'];
    const [first, second, patient] = [
      await group('Able', names),
      await group('Ready', names),
      await group('Slow', names),
    ];
    const groups_any = [first.group_id];
    await ok(root.group.update({ params: second, body: { authorized_to_login: true } }));
    const soon = { grace_hours: 0 };
    await ok(root.group.setPolicy({ params: second, body: { ...soon, eligible: { groups_any } } }));
    await ok(root.group.setPolicy({ params: patient, body: { grace_hours: 1, eligible: { groups_any } } }));
    const remove = { params: first, body: { remove_members: ['Ina', 'Kim'] } };
    expect(told((await ok(root.group.update.preview(remove))).changes)).toEqual([
      'login lost: Kim',
      'group lost Able: Ina,Kim',
      'group lost Ready: Ina,Kim',
    ]);
    await ok(root.group.setPolicy({ params: first, body: { ...soon, eligible: { min_level: 3 } } }));
    const lower = { params: { character_id: 30 }, body: { clearance_level: 2 } };
    expect(told((await ok(root.user.update.preview(lower))).changes)).toEqual([
      'level lost 3 2: Ina',
      'group lost Able: Ina',
      'group lost Ready: Ina',
    ]);
    // Who leaves anyway does not leave because of this.
    await setLevel(app, 31, 2);
    const raise = { params: { character_id: 31 }, body: { clearance_level: 1 } };
    expect(told((await ok(root.user.update.preview(raise))).changes)).toEqual(['level lost 2 1: Jon']);
    const describe = { params: first, body: { description: 'x' } };
    expect(told((await ok(root.group.update.preview(describe))).changes)).toEqual([]);
    for (const made of [patient, second, first]) await ok(root.group.delete({ params: made }));
    for (const character_id of [30, 31, 32]) await ok(root.user.delete({ params: { character_id } }));
  });

  it.each([
    ['once his grace is over', 24],
    ['at once', 0],
  ])('of a policy: not who leaves %s without the change, too', async (_, grace_hours) => {
    await person(35, 'Ned', ONE, 3);
    await person(36, 'Ole', ONE, 3);
    const params = await group('Strict', ['Ned', 'Ole']);
    await ok(root.group.setPolicy({ params, body: { grace_hours, eligible: { min_level: 3 } } }));
    await setLevel(app, 35, 2);
    const preview = async (body: PutPolicy) =>
      told((await ok(root.group.setPolicy.preview({ params, body }))).changes);
    expect(await preview({ questions: ['Why?'] })).toEqual([]);
    expect(await preview({ eligible: { min_level: 4 } })).toEqual(['group lost Strict: Ole']);
    // Where only the grace ends by it, the change is what puts him out now.
    expect(await preview({ grace_hours: 0 })).toEqual(grace_hours > 0 ? ['group lost Strict: Ned'] : []);
    await ok(root.group.delete({ params }));
    for (const character_id of [35, 36]) await ok(root.user.delete({ params: { character_id } }));
  });

  it('D110: an alt leaves with the character by which it was eligible', async () => {
    await person(33, 'Lea', ONE, 3);
    await person(34, 'Max', TWO);
    const person_id = 'fe'.repeat(12);
    await app.db.transaction().execute(async (tx) => {
      await tx
        .insertInto('persons')
        .values({ person_id, main_id: 33, created_on: app.clock.now() })
        .execute();
      const rows = [33, 34].map((character_id) => ({ person_id, character_id }));
      await tx.insertInto('person_characters').values(rows).execute();
    });
    const made = await group('Family', ['Lea', 'Max']);
    const policy = { reach: 'person', grace_hours: 0, eligible: { min_level: 3 } } as const;
    await ok(root.group.setPolicy({ params: made, body: policy }));
    const lower = { params: { character_id: 33 }, body: { clearance_level: 2 } };
    expect(told((await ok(root.user.update.preview(lower))).changes)).toEqual([
      'level lost 3 2: Lea',
      'group lost Family: Lea,Max',
    ]);
    const { changes } = await ok(root.user.delete.preview({ params: { character_id: 33 } }));
    expect(told(changes)).toContain('group lost Family: Lea,Max');
    await ok(root.group.delete({ params: made }));
    for (const character_id of [34, 33]) await ok(root.user.delete({ params: { character_id } }));
  });

  it('the client whose calls give bodies has it, too', async () => {
    const castellan = createCastellan({ baseUrl: app.url, token: app.root });
    const { changes } = await castellan.user.delete.preview({ params: { character_id: 2 } });
    expect(changes[0]).toMatchObject({ about: 'login', effect: 'lost', count: 1 });
  });

  it('names the first hundred, and counts them all', async () => {
    const corporation = 98_700_009;
    await addOrganizations(app, [{ corporations: [corporation] }]);
    await addCoalition(app, 'cb'.repeat(12), { corporations: [corporation] });
    await sql`insert into users (character_id, character_name, name_key, corporation_id)
      select 700000 + n, 'Pilot ' || to_char(n, 'FM00000'), 'pilot ' || to_char(n, 'FM00000'), ${corporation}
      from generate_series(1, 3000) n`.execute(app.db);
    const { changes } = await ok(
      root.coalition.delete.preview({ params: { coalition_id: 'cb'.repeat(12) } }),
    );
    expect(changes.map(({ about, effect, count }) => [about, effect, count])).toEqual([
      ['login', 'lost', 3000],
    ]);
    const names = changes[0]?.users.map(({ character_name }) => character_name);
    expect(names).toHaveLength(100);
    expect([names?.[0], names?.[99]]).toEqual(['Pilot 00001', 'Pilot 00100']);
  });
});

describe('D121: a preview looks at those alone whom the change can affect', () => {
  const elsewhere = 98_700_011;
  const admission = async (): Promise<Admission> => ({
    caller: (await findCaller(app.db, uuidOf(app.root))) as Caller,
    rule: level(9).access,
    params,
    body: undefined,
    clock: app.clock,
  });
  /** Ids of the users whose standing is computed for a change of the coalition. */
  async function looksAt(body: PutCoalition): Promise<number[]> {
    const admitted = await admission();
    let looked: { character_id: number }[] = [];
    const change = async (services: Services) => {
      await updateCoalition(services, admitted, COALITION, body);
      looked = (await sql<{ character_id: number }>`${storedUsers} order by 1`.execute(services.db)).rows;
    };
    await rehearse(app.app.services, change, async () => null);
    return looked.map(({ character_id }) => character_id);
  }

  it('of a coalition that changes its members: those that come and go, not all the others', async () => {
    await addOrganizations(app, [{ corporations: [elsewhere] }]);
    await addUser(app, { id: 11, name: 'Newcomer', corporation: elsewhere });
    expect(await looksAt({ add_member_corporations: [elsewhere] })).toEqual([11]);
    const present = await looksAt({ remove_member_alliances: [ALLIANCE] });
    expect(present).toEqual(expect.arrayContaining([1, 2, 3]));
    expect(await looksAt({ ticker: 'ANEW' })).toEqual([]);
    expect(
      await looksAt({ mandatory_ext_scopes: ['publicData'], add_member_corporations: [elsewhere] }),
    ).toEqual([...present, 11]);
    await ok(root.user.delete({ params: { character_id: 11 } }));
  });
});

/** Every operation with `dry_run`, with a request that would change much. */
async function trials(): Promise<[name: string, method: string, path: string, body?: object][]> {
  const { group_id } = await group(`Tried ${crypto.randomUUID()}`, ['Ada']);
  const scopes = { mandatory_ext_scopes: ['ext-mail.read_mail.v1'] };
  await app.db
    .insertInto('users')
    .values({
      character_id: 5,
      character_name: 'Eda',
      name_key: 'eda',
      corporation_id: ONE,
      clearance_level: -1,
    } as never)
    .onConflict((on) => on.doNothing())
    .execute();
  return [
    ['updateCoalition', 'PUT', `/coalition/${COALITION}`, { ...scopes, member_alliances: [], ticker: 'X' }],
    ['updateGroup', 'PUT', `/group/${group_id}`, { members: ['brim'], owner: 'brim', description: 'x' }],
    ['setGroupPolicy', 'PUT', `/group/${group_id}/policy`, { eligible: { min_level: 9 }, grace_hours: 2 }],
    ['updateCorporation', 'PUT', `/corporation/${ONE}`, scopes],
    ['updateAlliance', 'PUT', `/alliance/${ALLIANCE}`, scopes],
    ['updateUser', 'PUT', '/user/1', { clearance_level: 6 }],
    ['deleteCoalition', 'DELETE', `/coalition/${COALITION}`],
    ['deleteGroup', 'DELETE', `/group/${group_id}`],
    ['deleteUser', 'DELETE', '/user/1'],
    ['deleteGuest', 'DELETE', `/corporation/${ONE}/guest/5`],
  ];
}

describe('D121: nothing is stored', () => {
  // As JavaScript, Python, R and PHP write it: were one of these accepted but not tried, the change would be made.
  it.each(['true', 'True', 'TRUE', '1'])(
    'no row differs after a preview of any operation by dry_run=%s, not even in the queue of jobs',
    async (flag) => {
      const tried = await trials();
      const before = await snapshot(app.databaseUrl);
      for (const [name, method, path, body] of tried) {
        const { status, headers, json } = await send<{ changes: PreviewChange[] }>(
          app,
          method,
          `${path}?dry_run=${flag}`,
          {
            token: app.root,
            body,
          },
        );
        expect([name, status, headers['content-type']]).toEqual([name, 200, PREVIEW]);
        expect(json.changes.length, name).toBeGreaterThan(0);
      }
      expect(await snapshot(app.databaseUrl)).toEqual(before);
    },
  );

  it('without dry_run, and with dry_run=false or 0, answers are what they were', async () => {
    const { group_id } = await group('As ever', ['Ada']);
    const token = app.root;
    for (const query of ['', '?dry_run=false', '?dry_run=0']) {
      const updated = await send(app, 'PUT', `/group/${group_id}${query}`, {
        token,
        body: { description: query },
      });
      expect(updated.headers['content-type']).toBe('application/json');
      expect(updated.json).toMatchObject({ group_id, description: query });
      const extra = await group(`As ever ${query}`);
      const deleted = await send(app, 'DELETE', `/group/${extra.group_id}${query}`, { token });
      expect([deleted.status, deleted.text, deleted.headers['content-type']]).toEqual([200, '', undefined]);
    }
  });

  it('previews beside updates of the same record all answer', async () => {
    const made = await group('Contended', ['Ada', 'brim']);
    const calls = Array.from({ length: 24 }, (_, n) =>
      n % 2 === 0
        ? root.group.update.preview({ params: made, body: { members: ['Cleo'] } })
        : root.group.update({ params: made, body: { description: `${n}` } }),
    );
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual(calls.map(() => 200));
    expect((await ok(root.group.get({ params: made }))).members).toHaveLength(3);
  });
});

describe('D121: a preview is refused as the change would be', () => {
  it('by level, authority, existence and conflict', async () => {
    const low = await callerAt(app, { id: 10, level: 2, corporation: TWO });
    const forbidden = { status: 403, body: { detail: INSUFFICIENT } };
    expect(await low.coalition.update.preview({ params })).toMatchObject(forbidden);
    expect(await low.coalition.delete.preview({ params })).toMatchObject(forbidden);
    expect(await low.corporation.update.preview({ params: { corporation_id: ONE } })).toMatchObject(
      forbidden,
    );
    const made = await group('Not theirs');
    expect(await low.group.update.preview({ params: made })).toMatchObject(forbidden);
    const raise = { params: { character_id: 1 }, body: { clearance_level: 4 } };
    expect(await low.user.update.preview(raise)).toMatchObject(forbidden);
    expect((await root.group.delete.preview({ params: { group_id: UNKNOWN } })).status).toBe(404);
    const autogroup = (await ok(root.group.list())).find(
      ({ group_name }) => group_name === `Corporation ${ONE}`,
    );
    expect((await root.group.delete.preview({ params: autogroup as Group })).status).toBe(409);
  });

  it('a malformed dry_run is a 422, and so is one of an operation without previews', async () => {
    for (const path of [
      `/coalition/${COALITION}?dry_run=maybe`,
      `/coalition/${COALITION}?dry_run=true&dry_run=true`,
    ]) {
      expect((await send(app, 'PUT', path, { token: app.root, body: {} })).status).toBe(422);
    }
    const creating = { token: app.root, body: { group_name: 'Tried' } };
    expect((await send(app, 'POST', '/group?dry_run=true', creating)).status).toBe(422);
    expect((await ok(root.group.list())).map(({ group_name }) => group_name)).not.toContain('Tried');
  });
});

it('D100: below level 9 a preview leaves out policies that reach persons: who leaves by one tells whose alt it is', async () => {
  const owner = await callerAt(app, { id: 30, level: 0, corporation: ONE });
  await person(31, 'Main', ONE);
  await person(32, 'Alt', TWO);
  const [own, other] = [await group('Of the owner'), await group('Reaches persons', ['Alt'])];
  await ok(root.group.update({ params: own, body: { members: ['Character 30'], owner: 'Character 30' } }));
  const person_id = 'e1'.repeat(12);
  await app.db.transaction().execute(async (tx) => {
    await tx.insertInto('persons').values({ person_id, main_id: 31, created_on: app.clock.now() }).execute();
    const rows = [31, 32].map((character_id) => ({ person_id, character_id }));
    await tx.insertInto('person_characters').values(rows).execute();
  });
  const eligible = { groups_none: [own.group_id] };
  await ok(root.group.setPolicy({ params: other, body: { reach: 'person', eligible, grace_hours: 0 } }));
  const asked = { params: own, body: { add_members: ['Main'] } };
  const named = async (client: Client) =>
    (await ok(client.group.update.preview(asked))).changes.map(({ effect, group: of, users }) => [
      effect,
      of?.group_name,
      ...users.map(({ character_name }) => character_name),
    ]);
  const gains = ['gained', 'Of the owner', 'Main'];
  expect(await named(owner)).toEqual([gains]);
  expect(await named(root)).toEqual([['lost', 'Reaches persons', 'Alt'], gains]);
});

it('D110: below level 9 a preview leaves out policies that the caller may not see', async () => {
  const owner = await callerAt(app, { id: 40, level: 0, corporation: ONE });
  await person(41, 'Nia', TWO);
  const [own, other] = [await group('Of a reader'), await group('Hidden', ['Nia'])];
  await ok(root.group.update({ params: own, body: { members: ['Character 40'], owner: 'Character 40' } }));
  const policy = (visible_to: 'members' | 'eligible', corporations: readonly number[]) => ({
    params: other,
    body: {
      visible_to,
      grace_hours: 0,
      eligible: { groups_none: [own.group_id], corporations: [...corporations] },
    },
  });
  const seen = async (client: Client) =>
    told((await ok(client.group.update.preview({ params: own, body: { add_members: ['Nia'] } }))).changes);
  const all = ['group lost Hidden: Nia', 'group gained Of a reader: Nia'];
  const gain = all.slice(1);

  await ok(root.group.setPolicy(policy('members', [])));
  expect((await owner.group.policy({ params: other })).status).toBe(404);
  expect(await seen(owner)).toEqual(gain);
  expect(await seen(root)).toEqual(all);
  await ok(root.group.setPolicy(policy('eligible', [TWO])));
  expect(await seen(owner)).toEqual(gain);

  await ok(root.group.setPolicy(policy('members', [])));
  await ok(root.group.update({ params: other, body: { add_members: ['Character 40'] } }));
  expect((await owner.group.policy({ params: other })).status).toBe(200);
  expect(await seen(owner)).toEqual(all);
});

it('D14, D110: a preview leaves out policies that the caller, demoted while it waited, may not see', async () => {
  const owner = await callerAt(app, { id: 45, level: 9, corporation: ONE });
  await person(46, 'Ora', TWO);
  const [own, other] = [await group('Of one demoted'), await group('Kept from her', ['Ora'])];
  await ok(root.group.update({ params: own, body: { members: ['Character 45'], owner: 'Character 45' } }));
  await ok(
    root.group.setPolicy({
      params: other,
      body: { visible_to: 'members', grace_hours: 0, eligible: { groups_none: [own.group_id] } },
    }),
  );
  const preview = () =>
    ok(owner.group.update.preview({ params: own, body: { add_members: ['Ora'] } })).then(({ changes }) =>
      told(changes),
    );
  const gain = 'group gained Of one demoted: Ora';
  expect(await preview()).toEqual(['group lost Kept from her: Ora', gain]);
  const lock = 'select from groups where group_id = $1 for update';
  const demoted = await meanwhile(app, lock, [own.group_id], preview, () => setLevel(app, 45, 0));
  expect(demoted).toEqual([gain]);
});

it('D110, D121: a preview tells of the policies that the caller may see before the change', async () => {
  const [home, others] = ['c5'.repeat(12), 'c6'.repeat(12)];
  const [mine, theirs] = [99_700_005, 99_700_006];
  await addOrganizations(app, [
    { alliance: mine, corporations: [98_700_005] },
    { alliance: theirs, corporations: [98_700_006] },
  ]);
  await addCoalition(app, home, {});
  await addCoalition(app, others, { alliances: [mine, theirs] });
  const leader = await callerAt(app, { id: 50, level: 6, corporation: 98_700_005 });
  await person(51, 'Orla', 98_700_005);
  await person(52, 'Piet', 98_700_006);
  await ok(root.coalition.update({ params: { coalition_id: home }, body: { add_member_alliances: [mine] } }));
  const autogroup = (await ok(root.group.list())).find(({ group_name }) => group_name.endsWith(home));
  const hiding = async (name: string, member: string, eligible: PutGroupPolicy['eligible']) => {
    const made = await group(name, [member]);
    const policy = { visible_to: 'eligible' as const, grace_hours: 0, eligible };
    await ok(root.group.setPolicy({ params: made, body: policy }));
    return (await leader.group.policy({ params: made })).status;
  };
  expect(await hiding('Shown before', 'Orla', { coalitions: [home] })).toBe(200);
  expect(await hiding('Shown after', 'Piet', { groups_none: [autogroup?.group_id ?? ''] })).toBe(404);

  const body = { remove_member_alliances: [mine], add_member_alliances: [theirs] };
  const lost = async (client: Client) =>
    told(
      (await ok(client.coalition.update.preview({ params: { coalition_id: home }, body }))).changes,
    ).filter((change) => change.includes('group lost Shown'));
  expect(await lost(root)).toEqual(['group lost Shown after: Piet', 'group lost Shown before: Orla']);
  expect(await lost(leader)).toEqual(['group lost Shown before: Orla']);
});

it('D121: concurrent changes of others do not appear in a preview', async () => {
  await addUser(app, { id: 20, name: 'Finn', corporation: TWO });
  const preview = await rehearse(
    app.app.services,
    async ({ db, touches }) => {
      await touches(db, { users: [20] });
      await setLevel(app, 20, 5);
    },
    async () => null,
  );
  expect(preview.changes).toEqual([]);
});

/** Levels of users; some are administrators. */
const ranks = fc.array(fc.constantFrom(9, 10), { maxLength: 2 });

const conditions = fc.constantFrom(
  { min_level: 1 },
  { min_level: 2 },
  { corporations: [CORPORATIONS[0]], min_level: 1 },
);

/** At last some of the people lose their level. */
const demotions = [0, 1, 2].map((character): Tried => ({ do: 'set level', by: 0, character, level: 0 }));

/** Who is in the first group by this condition may be in the second one, which everybody is put into. */
async function policies(eligible: object): Promise<void> {
  const [first, second] = [groupId(0), groupId(1)].map((group_id) => ({ group_id })) as [Group, Group];
  const { members } = await ok(root.group.get({ params: first }));
  const add_members = members.map(({ character_name }) => character_name);
  await ok(root.group.update({ params: second, body: { add_members } }));
  await ok(root.group.setPolicy({ params: first, body: { eligible, grace_hours: 0 } }));
  const body = { eligible: { groups_any: [first.group_id] }, grace_hours: 0 };
  await ok(root.group.setPolicy({ params: second, body }));
  await judged();
}

/** The job, until nobody leaves any more by policies whose grace is over. */
async function judged(): Promise<void> {
  const judge = () => judgeMemberships(app.app.services, testRun('judge-memberships', { force: true }));
  while ((await judge()).some((change) => 'left' in change));
}

it('D121: what a preview says is what the update and the job then do, and what events tell of it, on random registries, administrators and all', {
  timeout: 300_000,
}, async () => {
  let [told, left] = [0, 0];
  const property = fc.asyncProperty(plans, ranks, conditions, async ({ world, tries }, levels, condition) => {
    for (const [i, level] of levels.entries()) {
      const user = world.users.get(CHARACTERS[i]?.id ?? 0);
      if (user !== undefined) user.level = level;
    }
    await settle(app, world);
    await policies(condition);
    const clients = new Map<number, Client>();
    for (const id of world.users.keys()) {
      if (id !== 0) clients.set(id, app.client((await makeToken(app, 'per', id, uuidOf(app.root))).jwt));
    }
    let before = await look(app, clients);
    const known = new Set<string>();
    await standingsToldSince(known);
    for (const one of [...tries, ...demotions]) {
      if (one.do === 'link') continue;
      const asked = ask(root, world.coalitions, one);
      if (asked === undefined) continue;
      const preview = await asked.preview();
      expect((await asked.update()).status).toBe(preview.status);
      if (preview.status !== 200) continue;
      const { changes } = preview.body as { changes: PreviewChange[] };
      await judged();
      const after = await look(app, clients);
      const expected = changesBetween(before, after);
      before = after;
      expect(changesOf(changes.map(withoutBuiltIn).filter(({ users }) => users.length > 0))).toEqual(
        expected,
      );
      told += expected.size;
      if (one.do === 'set level')
        left += [...expected].filter((change) => change.includes('group lost')).length;
      const rights = [...expected].filter((change) => /^(login|level) /.test(change));
      expect(changesTold(await standingsToldSince(known))).toEqual(new Set(rights));
    }
  });
  // Few registries suffice, but they must show something.
  for (let round = 0; round === 0 || (round < 9 && (told <= 5 || left === 0)); round++) {
    await fc.assert(property, { numRuns: 4, endOnFailure: true });
  }
  expect(told).toBeGreaterThan(5);
  // Nobody leaves a hand-made group by a level but by its policy.
  expect(left).toBeGreaterThan(0);
});

/** Events of changed standings that are not known yet, which are known from then on. */
async function standingsToldSince(known: Set<string>): Promise<Event[]> {
  const rows = await app.db
    .selectFrom('events')
    .select(['event_id', 'body'])
    .where('type', '=', 'user.standing_changed')
    .execute();
  const news = rows.filter(({ event_id }) => !known.has(event_id));
  for (const { event_id } of news) known.add(event_id);
  return news.map(({ body }) => JSON.parse(body) as Event);
}

/** All users except the built-in one. */
function withoutBuiltIn(change: PreviewChange): PreviewChange {
  return { ...change, users: change.users.filter(({ character_id }) => character_id !== 0) };
}

type Tried = Exclude<Parameters<Parameters<typeof plans.map>[0]>[0]['tries'][number], { do: 'link' }>;

function ask(client: Client, coalitions: readonly { id: string }[], one: Tried) {
  switch (one.do) {
    case 'update coalition': {
      const request = { params: { coalition_id: coalitions[one.which]?.id ?? '' }, body: one.body as object };
      return {
        preview: () => client.coalition.update.preview(request),
        update: () => client.coalition.update(request),
      };
    }
    case 'update group': {
      const request = { params: { group_id: groupId(one.which) }, body: one.body as object };
      return {
        preview: () => client.group.update.preview(request),
        update: () => client.group.update(request),
      };
    }
    case 'set level': {
      const params = { character_id: CHARACTERS[one.character]?.id ?? 0 };
      // Plans end below administrators.
      const request = { params, body: { clearance_level: one.level > 6 ? one.level + 2 : one.level } };
      return {
        preview: () => client.user.update.preview(request),
        update: () => client.user.update(request),
      };
    }
    case 'set policy': {
      // A preview includes what happens only after a grace.
      const request = { params: { group_id: groupId(one.which) }, body: { ...one.body, grace_hours: 0 } };
      return {
        preview: () => client.group.setPolicy.preview(request),
        update: () => client.group.setPolicy(request),
      };
    }
    default:
      return undefined;
  }
}
