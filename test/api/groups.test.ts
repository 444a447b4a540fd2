import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Group, ok } from '../../sdk/src/index.ts';
import { addOrganizations, addUser } from '../fixtures/users.ts';
import { type Client, startTestApp, type TestApp } from '../harness/app.ts';
import { callerAt } from '../harness/caller.ts';

const CORPORATION = 98_400_001;
const UNKNOWN = '0123456789abcdef01234567';
const BUILT_IN = { character_id: 0, character_name: '(built-in)' };
const SECOND = 1_000;

let app: TestApp;
let root: Client;
let number = 0;

beforeAll(async () => {
  app = await startTestApp();
  root = app.client(app.root);
  await addOrganizations(app, [{ corporations: [CORPORATION] }]);
  for (const [index, name] of ['Ada', 'brim', 'Cleo', 'Dov'].entries()) {
    await addUser(app, { id: 5001 + index, name, corporation: CORPORATION });
  }
  await addUser(app, { id: 5009, name: 'Gast', corporation: CORPORATION, level: -1 });
});
afterAll(() => app.stop());

/** Creates a group for one test, owned by the built-in user. */
function make(name = `Group ${++number}`, description?: string): Promise<Group> {
  return ok(
    root.group.create({ body: { group_name: name, ...(description !== undefined && { description }) } }),
  );
}

type Body = NonNullable<Parameters<Client['group']['update']>[0]['body']>;

function put({ group_id }: { group_id: string }, body: Body, client = root) {
  return client.group.update({ params: { group_id }, body });
}

const members = (group: Group) => group.members.map((member) => member.character_name);

describe('create group (POST /group)', () => {
  it('Group rule 1: answers 201; the caller is owner and only member', async () => {
    const nine = await callerAt(app, { id: 5100, level: 9, corporation: CORPORATION });
    const answer = await nine.group.create({
      body: { group_name: 'Scouts', description: 'Who goes first.' },
    });
    const caller = { character_id: 5100, character_name: 'Character 5100' };
    expect(answer).toMatchObject({
      status: 201,
      body: {
        group_id: expect.stringMatching(/^[0-9a-f]{24}$/),
        group_name: 'Scouts',
        description: 'Who goes first.',
        authorized_to_login: null,
        is_autogroup: false,
        owner: caller,
        members: [caller],
      },
    });
    const made = answer.body as Group;
    expect(made.updated_on).toBe(made.created_on);
    expect(await ok(root.group.get({ params: made }))).toEqual(made);
  });

  it('Group rule 1: the built-in user can be owner and member, too', async () => {
    expect(await make()).toMatchObject({ owner: BUILT_IN, members: [BUILT_IN] });
  });

  it.each([
    ['absent', {}],
    ['null', { description: null }],
  ])('a description that is %s is empty', async (_, body) => {
    const made = await ok(root.group.create({ body: { group_name: `Group ${++number}`, ...body } }));
    expect(made.description).toBe('');
  });

  it.each([
    ['the same', 'Ré'],
    ['in other case', 'RÉ'],
    ['in other composition', 're\u0301'],
  ])('refuses a name that is taken, %s, and says which (D7)', async (how, name) => {
    if (how === 'the same') await make(name);
    expect(await root.group.create({ body: { group_name: name } })).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining(`group named "${name}" exists already`) },
    });
  });

  it.each<[string, Record<string, unknown>, (string | number)[]]>([
    ['no name', {}, ['body', 'group_name']],
    ['a null name', { group_name: null }, ['body', 'group_name']],
    ['a name too long', { group_name: 'n'.repeat(101) }, ['body', 'group_name']],
    ['a description too long', { group_name: 'n', description: 'd'.repeat(4001) }, ['body', 'description']],
    ['U+0000', { group_name: 'n', description: 'a\0' }, ['body', 'description']],
    ['a lone surrogate', { group_name: '\udc00' }, ['body', 'group_name']],
    ['members', { group_name: 'n', members: [] }, ['body', 'members']],
  ])('refuses %s with a 422 (D3)', async (_, body, loc) => {
    expect(await root.group.create({ body: body as never })).toMatchObject({
      status: 422,
      body: { detail: [{ loc }] },
    });
  });
});

describe('list groups (GET /group)', () => {
  it('orders GroupShort by name ignoring case, then id (D9)', async () => {
    for (const name of ['list b', 'List C', 'LIST A', 'list f', 'LIST D', 'list E']) await make(name);
    const list = await ok(root.group.list());
    const seen = list.map(({ group_name }) => group_name).filter((name) => /^list .$/i.test(name));
    expect(seen).toEqual(['LIST A', 'list b', 'List C', 'LIST D', 'list E', 'list f']);
    for (const one of list) expect(Object.keys(one).sort()).toEqual(['group_id', 'group_name']);
  });
});

describe('get group (GET /group/{group_id})', () => {
  it('shows members by name ignoring case, then id (D9), and knows ids in any case', async () => {
    const made = await make();
    await ok(put(made, { members: ['Cleo', 'brim', 'Ada'], owner: 'Cleo' }));
    const params = { group_id: made.group_id.toUpperCase() };
    expect(members(await ok(root.group.get({ params })))).toEqual(['Ada', 'brim', 'Cleo']);
  });

  it('answers 404 naming kind and id for an unknown one (D6)', async () => {
    expect(await root.group.get({ params: { group_id: UNKNOWN } })).toMatchObject({
      status: 404,
      body: { detail: `Could not find group ${UNKNOWN}` },
    });
  });
});

describe('update group (PUT /group/{group_id})', () => {
  it('Group rule 2: add_members and remove_members may be used together', async () => {
    const made = await make();
    await ok(put(made, { add_members: ['Ada', 'brim'] }));
    const after = await ok(put(made, { add_members: ['Cleo'], remove_members: ['Ada'] }));
    expect(members(after)).toEqual(['(built-in)', 'brim', 'Cleo']);
  });

  it.each(['add_members', 'remove_members'])(
    'Group rule 2: members must not be combined with %s, and the refusal says so',
    async (other) => {
      const made = await make();
      expect(await put(made, { members: ['Ada'], [other]: [], description: 'new' })).toMatchObject({
        status: 422,
        body: {
          detail: [
            { loc: ['body', 'members'], msg: expect.stringContaining(`cannot be combined with ${other}`) },
          ],
        },
      });
      expect(await ok(root.group.get({ params: made }))).toEqual(made);
    },
  );

  it('Group rule 3: adds first, and removes after everything else', async () => {
    const made = await make();
    const after = await ok(
      put(made, {
        remove_members: ['Ada', 'brim'],
        owner: 'brim',
        description: 'new',
        authorized_to_login: false,
        add_members: ['Ada', 'Cleo'],
      }),
    );
    expect(members(after)).toEqual(['(built-in)', 'brim', 'Cleo']);
    expect(after).toMatchObject({
      owner: { character_name: 'brim' },
      description: 'new',
      authorized_to_login: false,
    });
  });

  it('Group rule 3: an owner becomes a member; the former one stays one', async () => {
    const made = await make();
    const after = await ok(put(made, { owner: 'Ada' }));
    expect(after.owner).toEqual({ character_id: 5001, character_name: 'Ada' });
    expect(members(after)).toEqual(['(built-in)', 'Ada']);
  });

  it.each<[string, Body, string[]]>([
    ['a full list without the owner', { members: ['brim'] }, ['Ada', 'brim']],
    ['an empty full list', { members: [] }, ['Ada']],
    ['removing the owner', { remove_members: ['Ada', '(built-in)'] }, ['Ada']],
    [
      'removing the owner that it sets',
      { owner: 'Dov', remove_members: ['Dov', 'Ada'] },
      ['(built-in)', 'Dov'],
    ],
    ['a full list without the owner that it sets', { owner: 'Dov', members: ['Ada'] }, ['Ada', 'Dov']],
  ])('Group rule 3: after every update the owner is a member: %s', async (_, body, expected) => {
    const made = await make();
    await ok(put(made, { owner: 'Ada' }));
    const after = await ok(put(made, body));
    expect(members(after)).toEqual(expected);
    expect(after.members).toContainEqual(after.owner);
  });

  it('Group rule 3: names given twice count once, and members hold no duplicates', async () => {
    const made = await make();
    await ok(put(made, { add_members: ['Ada', 'Ada'] }));
    const after = await ok(
      put(made, { add_members: ['Ada', 'brim', 'brim'], remove_members: ['Dov', 'Dov'] }),
    );
    expect(members(after)).toEqual(['(built-in)', 'Ada', 'brim']);
    expect(members(await ok(put(made, { members: ['Ada', 'Ada', '(built-in)'] })))).toEqual([
      '(built-in)',
      'Ada',
    ]);
  });

  it.each<[string, Body, string]>([
    ['to add', { add_members: ['Ada', 'Nobody'] }, 'user Nobody'],
    ['to remove', { remove_members: ['Nobody'] }, 'user Nobody'],
    ['in a full list', { members: ['Nobody', 'Ada', 'No one', 'Nobody'] }, 'users Nobody, No one'],
    ['as owner', { owner: 'Nobody' }, 'user Nobody'],
    ['in other case', { add_members: ['ada'] }, 'user ada'],
    [
      'among thousands',
      { members: Array.from({ length: 10_000 }, (_, i) => `N${i}`) },
      'users N0, N1, N2, N3, N4 and 9995 more',
    ],
  ])('Group rule 4: a user that does not exist, %s, is a 404, nothing changes', async (_, body, who) => {
    const made = await make();
    const answer = await put(made, { ...body, description: 'new', authorized_to_login: true });
    expect(answer).toMatchObject({ status: 404, body: { detail: `Could not find ${who}` } });
    expect(await ok(root.group.get({ params: made }))).toEqual(made);
  });

  it('Group rule 4: of two users with one name the one seen last is meant (D38)', async () => {
    for (const [id, seen_on] of [
      [5201, '2026-01-03'],
      [5202, '2026-01-04'],
      [5203, '2026-01-02'],
    ] as const) {
      await addUser(app, { id, name: 'Twin', corporation: CORPORATION });
      const values = { seen_on: new Date(seen_on) };
      await app.db.updateTable('users').set(values).where('character_id', '=', id).execute();
    }
    const after = await ok(put(await make(), { owner: 'Twin', members: [] }));
    expect(after.owner?.character_id).toBe(5202);
    expect(after.members.map((member) => member.character_id)).toEqual([5202]);
  });

  it('Group rule 3: a member is removed by its name, although a namesake was seen later', async () => {
    const namesakes = [5204, 5205];
    for (const [n, id] of namesakes.entries()) {
      await addUser(app, { id, name: 'Double', corporation: CORPORATION });
      const values = { seen_on: new Date(`2026-01-0${n + 1}`) };
      await app.db.updateTable('users').set(values).where('character_id', '=', id).execute();
    }
    const made = await make();
    const values = { group_id: made.group_id, character_id: 5204 };
    await app.db.insertInto('group_members').values(values).execute();
    expect(members(await ok(put(made, { remove_members: ['Double'] })))).toEqual(['(built-in)']);
    // Of two members with one name the one last seen.
    const both = namesakes.map((character_id) => ({ group_id: made.group_id, character_id }));
    await app.db.insertInto('group_members').values(both).execute();
    const after = await ok(put(made, { remove_members: ['Double'] }));
    expect(after.members.map((member) => member.character_id)).toEqual([0, 5204]);
  });

  it.each([
    ['was added', 'Same', 5206, { add_members: ['Same'], remove_members: ['Same'] }, [0, 5206]],
    ['became owner', 'Like', 5208, { owner: 'Like', remove_members: ['Like'] }, [0, 5208, 5209]],
  ])('Group rule 3: a removal means the namesake who just %s', async (_, name, member, body, left) => {
    const made = await make();
    for (const [n, id] of [member, member + 1].entries()) {
      await addUser(app, { id, name, corporation: CORPORATION });
      const values = { seen_on: new Date(`2026-01-0${n + 1}`) };
      await app.db.updateTable('users').set(values).where('character_id', '=', id).execute();
    }
    const values = { group_id: made.group_id, character_id: member };
    await app.db.insertInto('group_members').values(values).execute();
    const after = await ok(put(made, body));
    expect(after.members.map((user) => user.character_id)).toEqual(left);
  });

  it('Group rule 4: guests are users', async () => {
    expect(members(await ok(put(await make(), { members: ['Gast'] })))).toEqual(['(built-in)', 'Gast']);
  });

  it('null means absent, an empty list and an empty text are values (D3)', async () => {
    const made = await make(undefined, 'text');
    const full = await ok(put(made, { add_members: ['Ada'], authorized_to_login: true }));
    app.clock.advance(SECOND);
    const nothing: Record<keyof Body, null> = {
      add_members: null,
      authorized_to_login: null,
      description: null,
      members: null,
      owner: null,
      remove_members: null,
    };
    expect(await ok(put(made, nothing))).toEqual(full);
    const emptied = await ok(put(made, { members: [], description: '' }));
    expect(emptied).toMatchObject({ members: [BUILT_IN], description: '', authorized_to_login: true });
  });

  it('without any field: 200, nothing changed', async () => {
    const made = await make();
    app.clock.advance(SECOND);
    expect(await ok(put(made, {}))).toEqual(made);
    expect(await ok(root.group.update({ params: made }))).toEqual(made);
  });

  it.each<[string, Body, Body]>([
    ['the description', { description: 'one' }, { description: 'two' }],
    ['the login switch', { authorized_to_login: true }, { authorized_to_login: false }],
    ['the owner', { owner: 'Ada', add_members: ['brim'] }, { owner: 'brim' }],
    ['a member', { add_members: ['Ada'] }, { remove_members: ['Ada'] }],
    ['the full list', { members: ['Ada', 'brim'] }, { members: ['brim'] }],
  ])('updated_on changes when %s really changes, and only then', async (_, one, other) => {
    const made = await make();
    const first = await ok(put(made, one));
    app.clock.advance(SECOND);
    expect(await ok(put(made, one))).toEqual(first);
    const second = await ok(put(made, other));
    expect(Date.parse(second.updated_on)).toBeGreaterThan(Date.parse(first.updated_on));
    expect(second.created_on).toBe(made.created_on);
  });
});

describe('delete group (DELETE /group/{group_id})', () => {
  it('answers 200 without a body, then 404 (D1, D6); its members stay users', async () => {
    const made = await make();
    await ok(put(made, { add_members: ['Ada'] }));
    const answer = await fetch(`${app.url}/group/${made.group_id}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${app.root}` },
    });
    expect([answer.status, await answer.text()]).toEqual([200, '']);
    expect((await root.group.get({ params: made })).status).toBe(404);
    expect(await root.group.delete({ params: made })).toMatchObject({
      status: 404,
      body: { detail: `Could not find group ${made.group_id}` },
    });
    expect((await root.user.get({ params: { character_name: 'Ada' } })).status).toBe(200);
  });
});

describe('a deleted user', () => {
  it('is removed from its groups, and those it owned have no owner (D19b) until level 9 sets one', async () => {
    await addUser(app, { id: 5300, name: 'Ephemeral', corporation: CORPORATION });
    const made = await make();
    await ok(put(made, { owner: 'Ephemeral', add_members: ['Ada'] }));
    await ok(root.user.delete({ params: { character_id: 5300 } }));
    expect(await ok(root.group.get({ params: made }))).toMatchObject({ owner: null });
    const still = await ok(put(made, { members: ['brim'] }));
    expect([still.owner, members(still)]).toEqual([null, ['brim']]);
    expect((await ok(put(made, { owner: 'Ada' }))).owner?.character_name).toBe('Ada');
  });
});

describe('reads', () => {
  it('need at most two statements in addition to authentication, with 1,000 members too', async () => {
    const { rows } = await sql<{ character_name: string }>`
      insert into users (character_id, character_name, name_key, corporation_id)
      select n, 'Pilot ' || n, 'pilot ' || n, ${CORPORATION} from generate_series(2200000000, 2200000999) n
      returning character_name`.execute(app.db);
    const small = await make();
    const large = await make();
    await ok(put(large, { add_members: rows.slice(1).map((row) => row.character_name) }));
    for (const [{ group_id }, count] of [
      [small, 1],
      [large, 1_000],
    ] as const) {
      const before = app.statements.length;
      expect((await ok(root.group.get({ params: { group_id } }))).members).toHaveLength(count);
      expect(app.statements.length - before).toBe(2);
    }
    await addOrganizations(app, [{ corporations: [CORPORATION] }]);
    const autogroup = (await ok(root.group.list())).find(
      (group) => group.group_name === `Corporation ${CORPORATION}`,
    );
    const start = app.statements.length;
    expect((await ok(root.group.get({ params: autogroup as Group }))).members.length).toBeGreaterThan(1_000);
    expect(app.statements.length - start).toBe(2);
    const before = app.statements.length;
    await ok(root.group.list());
    expect(app.statements.length - before).toBe(2);
  });
});
