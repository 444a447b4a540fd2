import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { paginate } from '../../sdk/src/index.ts';
import { nameKey } from '../../server/database/name-key.ts';
import { ensureAutogroups } from '../../server/group/autogroup.queries.ts';
import { findUsersAsked } from '../../server/user/list-users.ts';
import { statementsOf } from '../fixtures/grants.ts';
import { addCoalition, addHome, addMember, addOrganizations, addUser, HOME } from '../fixtures/users.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { send } from '../harness/send.ts';

let app: TestApp;
let caller: Awaited<ReturnType<typeof addMember>>;

type Query = NonNullable<Parameters<ReturnType<TestApp['client']>['user']['list']>[0]>['query'];

const ALLY = { alliance: 99_300_001, corporation: 98_300_001, second: 98_300_002 };
const LONE = 98_300_003;
const COALITION = 'e1'.repeat(12);

/** Name, corporation and level. Names differ in case only, fold, or contain characters with a meaning in patterns. */
const PEOPLE: readonly (readonly [string, number, number])[] = [
  ['Ada Vale', ALLY.corporation, 0],
  ['ada vale', ALLY.corporation, 3],
  ['Brim 100% Vale', ALLY.corporation, 0],
  ['Under_score', ALLY.second, 7],
  ['Großvater', ALLY.second, 0],
  ['GROSSVATER', ALLY.second, 0],
  ['Éa', LONE, 0],
  ['日本 Vale', LONE, 2],
  ['Back\\slash', LONE, 0],
  ['Vale Guest', LONE, -1],
  ['Nobody of Vale', 0, 0],
];

beforeAll(async () => {
  app = await startTestApp();
  await addHome(app);
  caller = await addMember(app, 2_120_000_001);
  await addOrganizations(app, [
    { alliance: ALLY.alliance, corporations: [ALLY.corporation, ALLY.second] },
    { corporations: [LONE] },
  ]);
  await addCoalition(app, COALITION, { alliances: [ALLY.alliance], corporations: [LONE] });
  for (const [index, [name, corporation, level]] of PEOPLE.entries()) {
    const home = corporation === 0 ? {} : { corporation };
    await addUser(app, { id: 100 + index, name, level, ...home });
  }
  await ensureAutogroups(app.db, { corporations: [HOME.corporation, LONE] }, app.clock.now());
});
afterAll(() => app.stop());

async function page(query: Query) {
  const { status, body, headers } = await app.client(caller.jwt).user.list({ query });
  if (status !== 200) throw new Error(`GET /user answers ${status}: ${JSON.stringify(body)}`);
  return { names: body.map(({ character_name: name }) => name), next: headers.get('x-next') };
}

const names = async (query: Query) => (await page(query)).names;

/** All pages, read with the SDK's pagination. */
async function everybody(query: Query): Promise<string[]> {
  const all = [];
  for await (const user of paginate(app.client(caller.jwt).user.list, { query }))
    all.push(user.character_name);
  return all;
}

/** The meaning of the filter, in the simplest way. */
function meant({
  search,
  of,
  least = 0,
}: {
  search?: string;
  of?: readonly number[];
  least?: number;
}): string[] {
  return PEOPLE.map(([name, corporation, level], index) => ({ name, corporation, level, index }))
    .filter(({ name, corporation, level }) => {
      const found = search === undefined || nameKey(name).includes(nameKey(search));
      return found && level >= least && (of === undefined || of.includes(corporation));
    })
    .sort((one, other) => {
      const [a, b] = [nameKey(one.name), nameKey(other.name)];
      return Buffer.compare(Buffer.from(a), Buffer.from(b)) || one.index - other.index;
    })
    .map(({ name }) => name);
}

it('D71: a sigma is found in any of its three forms, whether it ends a word or not', async () => {
  const greek = ['Άρης', 'ΟΔΥΣΣΕΥΣ'];
  for (const [index, name] of greek.entries()) await addUser(app, { id: 300 + index, name });
  expect(await names({ search: 'ΔΥΣ' })).toEqual(['ΟΔΥΣΣΕΥΣ']);
  expect(await names({ search: 'δυσσ' })).toEqual(['ΟΔΥΣΣΕΥΣ']);
  expect(await names({ search: 'ευς' })).toEqual(['ΟΔΥΣΣΕΥΣ']);
  for (const search of ['Σ', 'σ', 'ς']) expect(await names({ search })).toEqual(greek);
  expect(await names({ search: 'σς' })).toEqual(['ΟΔΥΣΣΕΥΣ']);
  await app.db.deleteFrom('users').where('character_id', 'in', [300, 301]).execute();
});

it('D20, D71: callers of one page at the same time share statements, those of another page have their own', async () => {
  const { services } = app.app;
  const limits = [1, 2].flatMap((limit) => Array.from({ length: 8 }, () => limit));
  const found: number[] = [];
  const sent = await statementsOf(app, async () => {
    const pages = await Promise.all(limits.map((limit) => findUsersAsked(services, { limit })));
    for (const { users } of pages) found.push((JSON.parse(users) as unknown[]).length);
  });
  expect(found).toEqual(limits);
  // One that begins at once, and one for all who came while it ran.
  expect(sent).toHaveLength(4);
});

describe('D71: GET /user', () => {
  it('without any parameter is as before: everybody, in one answer without X-Next', async () => {
    const answer = await app.client(caller.jwt).user.list();
    // Everybody except the guest, plus the caller and the built-in user.
    expect(answer.body).toHaveLength(PEOPLE.length - 1 + 2);
    expect(answer.headers.has('x-next')).toBe(false);
  });

  it.each([
    'vale',
    'VALE',
    'ale',
    'a',
    'é',
    'E\u0301',
    'ß',
    'ss',
    '日',
    '日本',
    '本 v',
    '%',
    '100%',
    '_',
    'r_s',
    '\\',
    '\\s',
    'ada vale',
    ' ',
    'zzz',
    "'",
    'nobody of vale',
  ])('D71: search=%j finds what is part of a name, ignoring case', async (search) => {
    const found = await names({ search });
    expect(found.filter((name) => PEOPLE.some(([of]) => of === name))).toEqual(meant({ search }));
  });

  it('D71: takes corporation, alliance and coalition', async () => {
    expect(await names({ corporation_id: LONE })).toEqual(meant({ of: [LONE] }));
    expect(await names({ alliance_id: ALLY.alliance })).toEqual(
      meant({ of: [ALLY.corporation, ALLY.second] }),
    );
    expect(await names({ coalition_id: COALITION })).toEqual(
      meant({ of: [ALLY.corporation, ALLY.second, LONE] }),
    );
    expect(await names({ corporation_id: 98_999_999 })).toEqual([]);
  });

  it('D71: takes min_level', async () => {
    const mine = await names({ min_level: 3 });
    expect(mine.filter((name) => name !== '(built-in)')).toEqual(meant({ least: 3 }));
    expect(mine).toContain('(built-in)');
  });

  it('D71: all given filters must match', async () => {
    expect(await names({ search: 'vale', coalition_id: COALITION, min_level: 2 })).toEqual([
      'ada vale',
      '日本 Vale',
    ]);
    expect(await names({ search: 'vale', min_level: 3 })).toEqual(['ada vale']);
    expect(await names({ corporation_id: LONE, alliance_id: ALLY.alliance })).toEqual([]);
    expect(await names({ corporation_id: ALLY.second, alliance_id: ALLY.alliance })).toHaveLength(3);
  });

  it('D71: takes group_id, of groups made by hand and of autogroups', async () => {
    const { body: group } = await app.client(app.root).group.create({ body: { group_name: 'Searched' } });
    const params = { group_id: (group as { group_id: string }).group_id };
    const members = ['Ada Vale', '日本 Vale', 'Vale Guest', 'Back\\slash'];
    const update = await app.client(app.root).group.update({ params, body: { add_members: members } });
    expect(update.status).toBe(200);
    const of = params.group_id;
    // Guests are members of the group, but in no list of users (D9).
    expect(await names({ group_id: of })).toEqual(['(built-in)', 'Ada Vale', 'Back\\slash', '日本 Vale']);
    expect(await names({ group_id: of, search: 'vale' })).toEqual(['Ada Vale', '日本 Vale']);
    expect(await names({ group_id: of, corporation_id: LONE })).toEqual(['Back\\slash', '日本 Vale']);
    expect(await everybody({ group_id: of, limit: 1 })).toEqual(await names({ group_id: of }));
    const { group_id } = await app.db
      .selectFrom('groups')
      .select('group_id')
      .where('corporation_id', '=', LONE)
      .executeTakeFirstOrThrow();
    expect(await names({ group_id })).toEqual(meant({ of: [LONE] }));
    expect(await names({ group_id: 'ff'.repeat(12) })).toEqual([]);
  });

  it.each<Query>([
    {},
    { search: 'a' },
    { search: 'vale' },
    { coalition_id: COALITION },
    { alliance_id: ALLY.alliance },
    { corporation_id: LONE },
    { min_level: 0 },
    { search: 'a', min_level: 1 },
    { search: 'a', coalition_id: COALITION },
  ])('D71: pages of %j hold everybody once, in one order, whatever the limit', async (query) => {
    const whole = await names({ ...query, limit: 1000 });
    for (const limit of [1, 2, 3]) expect(await everybody({ ...query, limit })).toEqual(whole);
  });

  it('D71: X-Next is present exactly if there are more', async () => {
    const of = { corporation_id: LONE };
    const { names: all, next } = await page({ ...of, limit: 3 });
    expect([all.length, next]).toEqual([3, null]);
    const first = await page({ ...of, limit: 2 });
    expect(first.next).toEqual(expect.any(String));
    const second = await page({ ...of, limit: 2, after: first.next as string });
    expect([second.names, second.next]).toEqual([all.slice(2), null]);
  });

  it('D71: a user that is added between two pages shifts no other', async () => {
    const before = await page({ search: 'shift', limit: 1 });
    expect(before.names).toEqual([]);
    for (const [id, name] of [
      [900, 'Shift B'],
      [901, 'Shift D'],
    ] as const)
      await addUser(app, { id, name });
    const first = await page({ search: 'shift', limit: 1 });
    await addUser(app, { id: 902, name: 'Shift A' });
    await addUser(app, { id: 903, name: 'Shift C' });
    const rest = await everybody({ search: 'shift', limit: 1, after: first.next as string });
    expect([...first.names, ...rest]).toEqual(['Shift B', 'Shift C', 'Shift D']);
  });

  it.each([
    'limit=0',
    'limit=1001',
    'limit=x',
    'min_level=11',
    'min_level=-1',
    'search=',
    'corporation_id=x',
    'alliance_id=0',
    'coalition_id=1',
    'group_id=1',
    'after=',
    'after=x',
    'after=bnVsbA',
    'page=2',
    'search=%00',
    `after=${Buffer.from('["a\\u0000",1]').toString('base64url')}`,
    `after=${Buffer.from('["a",1.5]').toString('base64url')}`,
    `after=${Buffer.from('["a",-1]').toString('base64url')}`,
    `after=${Buffer.from('["a",1e300]').toString('base64url')}`,
    `after=${Buffer.from('{"0":"a"}').toString('base64url')}`,
  ])('D3: %s is a 422 that says where', async (query) => {
    const { status, json } = await send(app, 'GET', `/user?${query}`, { token: caller.jwt });
    expect([status, json]).toMatchObject([422, { detail: [{ loc: ['query', expect.any(String)] }] }]);
  });

  it('D71: a search reads the names that come next, else the index of their parts', async () => {
    await sql`insert into users (character_id, character_name, name_key)
      select 1000000 + n, 'Pilot ' || n, 'pilot ' || n from generate_series(1, 30000) n`.execute(app.db);
    // So many that the frequent fill a page from the names that are looked at, and the rare are far beyond.
    expect(await names({ search: 'pilot 2', limit: 3 })).toEqual(['Pilot 2', 'Pilot 20', 'Pilot 200']);
    expect(await names({ search: 'lot 29999', limit: 3 })).toEqual(['Pilot 29999']);
    expect(await everybody({ search: '9999', limit: 1 })).toEqual([
      'Pilot 19999',
      'Pilot 29999',
      'Pilot 9999',
    ]);
    expect(await everybody({ search: '77', limit: 1000, min_level: 0 })).toHaveLength(
      Array.from({ length: 30_000 }, (_, n) => String(n + 1)).filter((text) => text.includes('77')).length,
    );
  });

  it('D71: members of a group are among the names that come next, else read from the group', async () => {
    const client = app.client(app.root);
    const [few, many] = [
      await client.group.create({ body: { group_name: 'Few' } }),
      await client.group.create({ body: { group_name: 'Many' } }),
    ].map(({ body }) => (body as { group_id: string }).group_id);
    await sql`insert into group_members (group_id, character_id)
      select ${few}, character_id from users where name_key in ('pilot 29998', 'pilot 29999', 'éa')
      union all select ${many}, character_id from users where name_key like 'pilot 2%'`.execute(app.db);
    expect(await everybody({ group_id: few as string, limit: 2 })).toEqual([
      '(built-in)',
      'Pilot 29998',
      'Pilot 29999',
      'Éa',
    ]);
    expect(await names({ group_id: many as string, limit: 3 })).toEqual([
      '(built-in)',
      'Pilot 2',
      'Pilot 20',
    ]);
    expect(await everybody({ group_id: many as string, limit: 1000 })).toHaveLength(1 + 11_111);
    expect(await names({ group_id: many as string, search: '29999' })).toEqual(['Pilot 29999']);
    expect(await names({ group_id: many as string, min_level: 10 })).toEqual(['(built-in)']);
    await app.db
      .deleteFrom('groups')
      .where('group_id', 'in', [few as string, many as string])
      .execute();
  });

  it('D71: one statement for each page', async () => {
    for (const query of [
      'search=vale',
      'search=a&limit=1',
      `coalition_id=${COALITION}`,
      'min_level=3',
      'limit=2',
    ]) {
      const before = app.statements.length;
      expect((await send(app, 'GET', `/user?${query}`, { token: caller.jwt })).status).toBe(200);
      // One of them authenticates the caller.
      expect(app.statements.length - before).toBe(2);
    }
  });
});

describe('D70: GET /user/{character}', () => {
  const get = async (name: string | number) => {
    const { status, body } = await app.client(caller.jwt).user.get({ params: { character_name: `${name}` } });
    return status === 200 ? body.character_id : status;
  };

  it('takes an id if it is no user’s name, for guests and the built-in user too', async () => {
    expect(await get(100)).toBe(100);
    expect(await get(109)).toBe(109);
    expect(await get(0)).toBe(0);
    expect(await get('(built-in)')).toBe(0);
  });

  it('a name takes precedence over an id: a user may be named like another’s id', async () => {
    await addUser(app, { id: 801 });
    expect(await get(801)).toBe(801);
    await addUser(app, { id: 800, name: '801' });
    expect(await get(801)).toBe(800);
    expect(await get(800)).toBe(800);
  });

  it.each(['0100', '+100', '100.0', '1e2', '99999999999999999999', '9007199254740993', '424242'])(
    '%s is nobody: 404',
    async (text) => expect(await get(text)).toBe(404),
  );
});

describe('D70: GET /user/{character}/groups', () => {
  async function groupsOf(character: string) {
    const answer = await app.client(caller.jwt).user.groups({ params: { character } });
    if (answer.status !== 200) throw new Error(`the groups of ${character}: ${answer.status}`);
    return answer.body;
  }

  it('holds groups made by hand and autogroups, ordered as D9, and says who owns them', async () => {
    await addOrganizations(app, [{ alliance: 99_300_009, corporations: [98_300_009] }]);
    await addCoalition(app, 'e9'.repeat(12), { corporations: [98_300_009] });
    await addUser(app, { id: 98_300_009, name: 'Chief', corporation: 98_300_009 });
    await ensureAutogroups(app.db, { corporations: [98_300_009] }, app.clock.now());
    for (const [group_name, owner] of [
      ['beta', 'Chief'],
      ['Alpha', 'Ada Vale'],
    ] as const) {
      const { body } = await app.client(app.root).group.create({ body: { group_name } });
      const params = { group_id: (body as { group_id: string }).group_id };
      await app
        .client(app.root)
        .group.update({ params, body: { add_members: ['Chief', 'Ada Vale'], owner } });
    }
    expect(await groupsOf('Chief')).toEqual([
      { group_id: expect.any(String), group_name: 'Alliance 99300009', is_autogroup: true, is_owner: true },
      { group_id: expect.any(String), group_name: 'Alpha', is_autogroup: false, is_owner: false },
      { group_id: expect.any(String), group_name: 'beta', is_autogroup: false, is_owner: true },
      {
        group_id: expect.any(String),
        group_name: `Coalition ${'e9'.repeat(12)}`,
        is_autogroup: true,
        is_owner: false,
      },
      {
        group_id: expect.any(String),
        group_name: 'Corporation 98300009',
        is_autogroup: true,
        is_owner: true,
      },
    ]);
    expect(await groupsOf('98300009')).toEqual(await groupsOf('Chief'));
  });

  it('shows the authorized_to_login of every group to everybody', async () => {
    const list = await app.client(app.root).group.list();
    if (list.status !== 200) throw new Error('no groups');
    const said = new Map<string, string[]>();
    for (const { group_id, group_name } of list.body) {
      const group = await app.client(app.root).group.get({ params: { group_id } });
      if (group.status !== 200) throw new Error('no group');
      for (const { character_id: id } of group.body.members) {
        const owns = group.body.owner?.character_id === id;
        said.set(String(id), [
          ...(said.get(String(id)) ?? []),
          `${group_name} ${group.body.is_autogroup} ${owns}`,
        ]);
      }
    }
    expect(said.size).toBeGreaterThan(5);
    for (const [id, groups] of said) {
      const own = (await groupsOf(id)).map((of) => `${of.group_name} ${of.is_autogroup} ${of.is_owner}`);
      expect(own, id).toEqual(groups);
    }
  });

  it('of a guest are the hand-made ones, not those of its host', async () => {
    expect((await groupsOf('Vale Guest')).map(({ group_name: name }) => name)).toEqual(['Searched']);
  });

  it('404 for an unknown user; one statement', async () => {
    const nobody = { params: { character: 'Nobody At All' } };
    expect((await app.client(caller.jwt).user.groups(nobody)).body).toMatchObject({
      detail: 'Could not find user Nobody At All',
      code: 'not_found',
    });
    const before = app.statements.length;
    await groupsOf('Ada Vale');
    expect(app.statements.length - before).toBe(2);
  });
});
