import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Coalition, ok } from '../../sdk/src/index.ts';
import { addOrganizations, addUser, makeToken, uuidOf } from '../fixtures/users.ts';
import { type Client, startTestApp, type TestApp } from '../harness/app.ts';

const NORTH = 99_200_001;
const SOUTH = 99_200_002;
const CORPORATIONS = [98_200_001, 98_200_002, 98_200_003, 98_200_004] as const;
const [NORTHERN, SOUTHERN, LONE, OTHER] = CORPORATIONS;
const UNKNOWN = '0123456789abcdef01234567';
const SECOND = 1_000;

let app: TestApp;
let root: Client;
let number = 0;

beforeAll(async () => {
  app = await startTestApp();
  root = app.client(app.root);
  await addOrganizations(app, [
    { alliance: NORTH, corporations: [NORTHERN] },
    { alliance: SOUTH, corporations: [SOUTHERN] },
    { corporations: [LONE] },
    { corporations: [OTHER] },
  ]);
});
afterAll(() => app.stop());

/** Creates a coalition for one test. */
function make(name = `Coalition ${++number}`): Promise<Coalition> {
  return ok(root.coalition.create({ body: { coalition_name: name, ticker: 'TICK' } }));
}

type Body = NonNullable<Parameters<Client['coalition']['update']>[0]['body']>;

function put({ coalition_id }: { coalition_id: string }, body: Body, client = root) {
  return client.coalition.update({ params: { coalition_id }, body });
}

const alliances = ({ member_alliances }: Coalition) => member_alliances.map((one) => one.alliance_id);
const corporations = ({ member_corporations }: Coalition) =>
  member_corporations.map((one) => one.corporation_id);

describe('create coalition (POST /coalition)', () => {
  it('answers 201 with the record, stored as given (Coalition rule 4), letting in (D27)', async () => {
    const before = app.clock.now().getTime();
    const answer = await root.coalition.create({ body: { coalition_name: 'Lantern Pact', ticker: 'LNTN' } });
    expect(answer).toMatchObject({
      status: 201,
      body: {
        coalition_id: expect.stringMatching(/^[0-9a-f]{24}$/),
        coalition_name: 'Lantern Pact',
        ticker: 'LNTN',
        authorized_to_login: true,
        mandatory_ext_scopes: [],
        member_alliances: [],
        member_corporations: [],
      },
    });
    const made = answer.body as Coalition;
    expect(made.updated_on).toBe(made.created_on);
    expect(Date.parse(made.created_on)).toBeGreaterThanOrEqual(before);
    expect(await ok(root.coalition.get({ params: made }))).toEqual(made);
  });

  it.each([
    ['the same', 'Grey Concord'],
    ['in capitals', 'GREY CONCORD'],
  ])('refuses a name that is taken, %s, and says which (D7)', async (_, name) => {
    if (name === 'Grey Concord') await make('Grey Concord');
    const { status, body } = await root.coalition.create({ body: { coalition_name: name, ticker: 'X' } });
    expect(status).toBe(409);
    expect(body).toEqual({
      detail: expect.stringContaining(`coalition named "${name}" exists already`),
      code: 'name_taken',
    });
  });

  it('compares names after NFC and case folding (D7)', async () => {
    await make('Stra\u00dfe \u00c5');
    for (const name of ['STRASSE \u00c5', 'stra\u00dfe a\u030a']) {
      expect((await root.coalition.create({ body: { coalition_name: name, ticker: 'X' } })).status).toBe(409);
    }
  });

  it('keeps names of every Unicode plane as they are, and lets a name be used again (D3b)', async () => {
    const name = 'a\u0301\u4e2d\u{1f680}\u{20000}\u{e0100}\u{f0000}\u{10fffd}';
    const made = await make(name);
    expect(made.coalition_name).toBe(name);
    await ok(root.coalition.delete({ params: made }));
    expect((await make(name)).coalition_id).not.toBe(made.coalition_id);
  });

  it.each<[string, Record<string, unknown>, (string | number)[]]>([
    ['no ticker', { coalition_name: 'x' }, ['body', 'ticker']],
    ['a null name', { coalition_name: null, ticker: 'X' }, ['body', 'coalition_name']],
    ['an empty name', { coalition_name: '', ticker: 'X' }, ['body', 'coalition_name']],
    ['a name too long', { coalition_name: 'n'.repeat(101), ticker: 'X' }, ['body', 'coalition_name']],
    ['a ticker too long', { coalition_name: 'n', ticker: 't'.repeat(21) }, ['body', 'ticker']],
    ['U+0000', { coalition_name: 'a\0', ticker: 'X' }, ['body', 'coalition_name']],
    ['a lone surrogate', { coalition_name: 'a\ud800', ticker: 'X' }, ['body', 'coalition_name']],
    ['an unknown field', { coalition_name: 'n', ticker: 'X', motto: 'x' }, ['body', 'motto']],
  ])('refuses %s with a 422 (D3)', async (_, body, loc) => {
    const answer = await root.coalition.create({ body: body as never });
    expect(answer).toMatchObject({ status: 422, body: { detail: [{ loc }] } });
  });

  it('answers 201 even if the coalition is deleted immediately', async () => {
    await sql`create function delete_at_once() returns trigger language plpgsql as
      $$ begin delete from coalitions where coalition_id = new.coalition_id; return null; end $$`.execute(
      app.db,
    );
    await sql`create constraint trigger brief after insert on coalitions deferrable initially deferred
      for each row when (new.coalition_name = 'Brief') execute function delete_at_once()`.execute(app.db);
    const body = { coalition_name: 'Brief', ticker: 'B' };
    expect(await root.coalition.create({ body })).toMatchObject({ status: 201, body });
    expect((await ok(root.coalition.list())).map((one) => one.coalition_name)).not.toContain('Brief');
  });
});

describe('list coalitions (GET /coalition)', () => {
  it('orders CoalitionShort by name ignoring case, then id (D9)', async () => {
    const names = ['list b', 'List C', 'LIST A', 'list f', 'LIST D', 'list E'];
    for (const name of names) await make(name);
    const list = await ok(root.coalition.list());
    const seen = list.filter(({ coalition_name }) => /^list .$/i.test(coalition_name));
    expect(seen.map(({ coalition_name }) => coalition_name)).toEqual([
      'LIST A',
      'list b',
      'List C',
      'LIST D',
      'list E',
      'list f',
    ]);
    for (const one of list) expect(Object.keys(one).sort()).toEqual(['coalition_id', 'coalition_name']);
  });
});

describe('get coalition (GET /coalition/{coalition_id})', () => {
  it('answers 404 naming kind and id for an unknown one (D6), whatever the case of the digits', async () => {
    const answer = await root.coalition.get({ params: { coalition_id: UNKNOWN.toUpperCase() } });
    expect(answer).toMatchObject({ status: 404, body: { detail: `Could not find coalition ${UNKNOWN}` } });
    const made = await make();
    const same = await ok(root.coalition.get({ params: { coalition_id: made.coalition_id.toUpperCase() } }));
    expect(same).toEqual(made);
  });

  it('shows members in short form, by name ignoring case, then id (D9)', async () => {
    const made = await make();
    await ok(put(made, { member_alliances: [SOUTH, NORTH], member_corporations: [OTHER, LONE] }));
    expect(await ok(root.coalition.get({ params: made }))).toMatchObject({
      member_alliances: [NORTH, SOUTH].map((id) => ({ alliance_id: id, alliance_name: `Alliance ${id}` })),
      member_corporations: [LONE, OTHER].map((id) => ({
        corporation_id: id,
        corporation_name: `Corporation ${id}`,
      })),
    });
  });
});

describe('update coalition (PUT /coalition/{coalition_id})', () => {
  it('Coalition rule 1: add_ and remove_ may be used together', async () => {
    const made = await make();
    await ok(put(made, { member_alliances: [NORTH], member_corporations: [LONE] }));
    const after = await ok(
      put(made, {
        add_member_alliances: [SOUTH],
        remove_member_alliances: [NORTH],
        add_member_corporations: [OTHER],
        remove_member_corporations: [LONE],
      }),
    );
    expect([alliances(after), corporations(after)]).toEqual([[SOUTH], [OTHER]]);
  });

  it.each<[string, Body]>([
    ['add_member_alliances', { member_alliances: [NORTH], add_member_alliances: [SOUTH] }],
    ['remove_member_alliances', { member_alliances: [], remove_member_alliances: [] }],
    ['add_member_corporations', { member_corporations: [LONE], add_member_corporations: [OTHER] }],
    ['remove_member_corporations', { member_corporations: [LONE], remove_member_corporations: [OTHER] }],
  ])('Coalition rule 1: the full list does not go with %s, which is said', async (other, body) => {
    const full = other.replace(/^(add|remove)_/, '');
    const made = await make();
    expect(await put(made, { ...body, ticker: 'NEW' })).toMatchObject({
      status: 422,
      body: {
        detail: [{ loc: ['body', full], msg: expect.stringContaining(`cannot be combined with ${other}`) }],
      },
    });
    expect(await ok(root.coalition.get({ params: made }))).toEqual(made);
  });

  it('Coalition rule 1: a full list of one kind goes with additions and removals of the other', async () => {
    const made = await make();
    const after = await ok(put(made, { member_alliances: [NORTH], add_member_corporations: [LONE] }));
    expect([alliances(after), corporations(after)]).toEqual([[NORTH], [LONE]]);
  });

  it('Coalition rule 2: applies additions first and removals later, then the ticker', async () => {
    const made = await make();
    const after = await ok(
      put(made, {
        ticker: 'NEW',
        remove_member_alliances: [NORTH],
        add_member_alliances: [NORTH, SOUTH],
        mandatory_ext_scopes: ['publicData'],
        authorized_to_login: false,
      }),
    );
    expect(after).toMatchObject({
      ticker: 'NEW',
      mandatory_ext_scopes: ['publicData'],
      authorized_to_login: false,
    });
    expect(alliances(after)).toEqual([SOUTH]);
  });

  it('Coalition rule 2, D38: ids and scopes given twice count once, and scopes are kept sorted', async () => {
    const made = await make();
    await ok(put(made, { add_member_alliances: [NORTH, NORTH] }));
    const after = await ok(
      put(made, {
        add_member_alliances: [NORTH, SOUTH, SOUTH],
        member_corporations: [LONE, LONE],
        mandatory_ext_scopes: ['publicData', 'ext-mail.read_mail.v1', 'publicData'],
      }),
    );
    expect([alliances(after), corporations(after)]).toEqual([[NORTH, SOUTH], [LONE]]);
    expect(after.mandatory_ext_scopes).toEqual(['ext-mail.read_mail.v1', 'publicData']);
  });

  it.each<[string, Body, string]>([
    ['an alliance to add', { add_member_alliances: [NORTH, 1] }, 'alliance 1'],
    ['an alliance to remove', { remove_member_alliances: [1] }, 'alliance 1'],
    ['a full list of alliances', { member_alliances: [5, 3, 3, NORTH, 4] }, 'alliances 3, 4, 5'],
    ['a corporation to add', { add_member_corporations: [2 ** 53 - 1] }, 'corporation 9007199254740991'],
    ['a corporation to remove', { remove_member_corporations: [1] }, 'corporation 1'],
    [
      'many corporations',
      { member_corporations: Array.from({ length: 10_000 }, (_, i) => i + 1) },
      'corporations 1, 2, 3, 4, 5 and 9995 more',
    ],
  ])('Coalition rule 3: %s that is not registered is a 404, nothing changes', async (_, body, who) => {
    const made = await make();
    const answer = await put(made, { ...body, ticker: 'NEW', authorized_to_login: false });
    expect(answer).toMatchObject({ status: 404, body: { detail: `Could not find ${who}` } });
    expect(await ok(root.coalition.get({ params: made }))).toEqual(made);
  });

  it('null means absent, an empty list is a value (D3)', async () => {
    const made = await make();
    const full = await ok(
      put(made, {
        member_alliances: [NORTH],
        member_corporations: [LONE],
        mandatory_ext_scopes: ['publicData'],
      }),
    );
    app.clock.advance(SECOND);
    const nothing: Record<keyof Body, null> = {
      add_member_alliances: null,
      add_member_corporations: null,
      authorized_to_login: null,
      mandatory_ext_scopes: null,
      member_alliances: null,
      member_corporations: null,
      remove_member_alliances: null,
      remove_member_corporations: null,
      ticker: null,
    };
    expect(await ok(put(made, nothing))).toEqual(full);
    const emptied = await ok(
      put(made, { member_alliances: [], member_corporations: [], mandatory_ext_scopes: [] }),
    );
    expect(emptied).toMatchObject({
      member_alliances: [],
      member_corporations: [],
      mandatory_ext_scopes: [],
    });
    expect(emptied.authorized_to_login).toBe(true);
  });

  it('without any field: 200, nothing changed', async () => {
    const made = await make();
    app.clock.advance(SECOND);
    expect(await ok(put(made, {}))).toEqual(made);
    expect(await ok(root.coalition.update({ params: made }))).toEqual(made);
  });

  it.each<[string, Body, Body]>([
    ['a ticker', { ticker: 'ONE' }, { ticker: 'TWO' }],
    ['the login switch', { authorized_to_login: true }, { authorized_to_login: false }],
    ['scopes', { mandatory_ext_scopes: ['publicData'] }, { mandatory_ext_scopes: [] }],
    ['a member alliance', { add_member_alliances: [NORTH] }, { remove_member_alliances: [NORTH] }],
    ['a member corporation', { member_corporations: [LONE] }, { member_corporations: [] }],
  ])('updated_on changes when %s really changes, and only then', async (_, one, other) => {
    const made = await make();
    const first = await ok(put(made, one));
    app.clock.advance(SECOND);
    expect(await ok(put(made, one))).toEqual(first);
    const second = await ok(put(made, other));
    expect(Date.parse(second.updated_on)).toBeGreaterThan(Date.parse(first.updated_on));
    expect(second.created_on).toBe(made.created_on);
  });

  it('an unknown coalition is a 404 (D6)', async () => {
    const answer = await put({ coalition_id: UNKNOWN }, { ticker: 'X' });
    expect(answer).toMatchObject({ status: 404, body: { detail: `Could not find coalition ${UNKNOWN}` } });
  });
});

describe('delete coalition (DELETE /coalition/{coalition_id})', () => {
  it('answers 200 without a body, then 404; its members stay registered (D1)', async () => {
    const made = await make();
    await ok(put(made, { member_alliances: [NORTH], member_corporations: [LONE] }));
    const answer = await fetch(`${app.url}/coalition/${made.coalition_id}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${app.root}` },
    });
    expect([answer.status, await answer.text()]).toEqual([200, '']);
    expect((await root.coalition.get({ params: made })).status).toBe(404);
    expect((await root.coalition.delete({ params: made })).status).toBe(404);
    expect(await app.db.selectFrom('alliances').select('alliance_id').execute()).toHaveLength(2);
  });
});

describe('coalition tracking (GET /coalition/{coalition_id}/tracking)', () => {
  it('sorts the members of alliances and corporations, guests excluded (D35)', async () => {
    const made = await make();
    await ok(put(made, { member_alliances: [NORTH], member_corporations: [LONE] }));
    const people = [
      { id: 3001, corporation: NORTHERN },
      { id: 3002, corporation: LONE },
      { id: 3003, corporation: LONE, level: -1 },
      { id: 3004, corporation: OTHER },
    ];
    for (const person of people) await addUser(app, person);
    expect(await ok(root.coalition.tracking({ params: made }))).toEqual({
      valid_refresh_token: [],
      invalid_refresh_token: [],
      no_refresh_token: [3001, 3002].map((id) => ({ character_id: id, character_name: `Character ${id}` })),
    });
    expect(await root.coalition.tracking({ params: { coalition_id: UNKNOWN } })).toMatchObject({
      status: 404,
      body: { detail: `Could not find coalition ${UNKNOWN}` },
    });
  });
});

describe('the effect of a coalition', () => {
  it('lets its members log in as long as it exists and authorized_to_login is true, at every request (D27, D27b)', async () => {
    const made = await make();
    const corporation = 98_200_009;
    await addOrganizations(app, [{ corporations: [corporation] }]);
    await addUser(app, { id: 3101, corporation });
    const dyn = await makeToken(app, 'dyn', 0, uuidOf(app.root));
    const { jwt } = await makeToken(app, 'use', 3101, dyn.uuid);
    const member = app.client(jwt);
    const status = async () => (await member.token.current()).status;
    expect(await status()).toBe(401);
    await ok(put(made, { add_member_corporations: [corporation] }));
    expect(await status()).toBe(200);
    await ok(put(made, { authorized_to_login: false }));
    expect(await status()).toBe(401);
    await ok(put(made, { authorized_to_login: true }));
    expect(await status()).toBe(200);
    await ok(root.coalition.delete({ params: made }));
    expect(await status()).toBe(401);
  });
});

describe('reads', () => {
  it('need at most two statements in addition to authentication, with 10,000 members too', async () => {
    const ids = Array.from({ length: 10_000 }, (_, i) => 97_000_000 + i);
    await addOrganizations(app, [{ corporations: ids }]);
    const small = await make();
    const large = await make();
    await ok(put(large, { member_corporations: ids }));
    for (const { coalition_id, count } of [
      { ...small, count: 0 },
      { ...large, count: 10_000 },
    ]) {
      const before = app.statements.length;
      const got = await ok(root.coalition.get({ params: { coalition_id } }));
      expect(got.member_corporations).toHaveLength(count);
      expect(app.statements.length - before).toBe(2);
    }
    const before = app.statements.length;
    await ok(root.coalition.list());
    expect(app.statements.length - before).toBe(2);
    await ok(root.coalition.tracking({ params: large }));
    expect(app.statements.length - before).toBe(5);
  });
});
