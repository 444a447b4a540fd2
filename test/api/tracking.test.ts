import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ExtScope } from '../../contract/scopes.ts';
import type { Tracking } from '../../contract/user.ts';
import { nameKey } from '../../server/database/name-key.ts';
import { findTracking } from '../../server/grant/tracking.queries.ts';
import { addCoalition, addOrganizations, addUser } from '../fixtures/users.ts';
import { type Client, startTestApp, type TestApp } from '../harness/app.ts';

/** FIRST and SECOND are of one alliance; the coalition holds that alliance and LONE; OTHER is of neither. */
const [FIRST, SECOND, LONE, OTHER] = [98_100_001, 98_100_002, 98_100_003, 98_100_004];
const ALLIANCE = 99_100_001;
const COALITION = 'c1'.repeat(12);
const USER = 2_120_000_001;

const [MAIL, SKILLS, WALLET] = [
  'ext-mail.read_mail.v1',
  'ext-skills.read_skills.v1',
  'ext-wallet.read_character_wallet.v1',
] as const;

let app: TestApp;
let root: Client;

beforeAll(async () => {
  app = await startTestApp();
  root = app.client(app.root);
  await addOrganizations(app, [
    { alliance: ALLIANCE, corporations: [FIRST, SECOND] },
    { corporations: [LONE, OTHER] },
  ]);
  await addCoalition(app, COALITION, { alliances: [ALLIANCE], corporations: [LONE] });
});
afterAll(() => app.stop());
beforeEach(async () => {
  await sql`delete from users where character_id <> 0`.execute(app.db);
  for (const table of ['alliances', 'corporations', 'coalitions']) {
    await sql`update ${sql.table(table)} set mandatory_ext_scopes = '{}'`.execute(app.db);
  }
});

async function grant(character_id: number, scopes: readonly ExtScope[], valid = true): Promise<void> {
  await app.db
    .insertInto('grants')
    .values({
      grant_id: randomUUID(),
      character_id,
      scopes: [...scopes],
      refresh_token: Buffer.from('encrypted'),
      access_token: null,
      access_expires_on: null,
      valid,
      cause: null,
    })
    .execute();
}

async function require(
  table: 'alliances' | 'corporations' | 'coalitions',
  scopes: ExtScope[],
  corporation = 0,
) {
  const where = table === 'corporations' ? sql`where corporation_id = ${corporation}` : sql``;
  await sql`update ${sql.table(table)} set mandatory_ext_scopes = ${scopes}::text[] ${where}`.execute(app.db);
}

async function tracked(corporation_id: number): Promise<Tracking> {
  const answer = await root.corporation.tracking({ params: { corporation_id } });
  expect(answer).toMatchObject({ status: 200 });
  return answer.body as Tracking;
}

const trackedIn = async (coalition_id: string): Promise<Tracking> =>
  JSON.parse(await findTracking(app.db, { coalition_id }));

/** The list that contains the only user of FIRST. */
async function listOf(character_id = USER): Promise<string[]> {
  const lists = Object.entries(await tracked(FIRST));
  return lists
    .filter(([, users]) => users.some((user) => user.character_id === character_id))
    .map(([name]) => name);
}

const ids = (tracking: Tracking) =>
  Object.values(tracking)
    .flat()
    .map(({ character_id }) => character_id)
    .sort();

describe('D35: the state of a member’s refresh token', () => {
  beforeEach(() => addUser(app, { id: USER, corporation: FIRST }));

  it('no token at all: no_refresh_token, the element a UserShort', async () => {
    expect(await tracked(FIRST)).toEqual({
      valid_refresh_token: [],
      invalid_refresh_token: [],
      no_refresh_token: [{ character_id: USER, character_name: `Character ${USER}` }],
    });
  });

  it('a valid token when nothing is required: valid, whatever its scopes', async () => {
    await grant(USER, []);
    expect(await listOf()).toEqual(['valid_refresh_token']);
  });

  it('an invalid token that covers everything: invalid', async () => {
    await require('corporations', [MAIL], FIRST);
    await grant(USER, [MAIL], false);
    expect(await listOf()).toEqual(['invalid_refresh_token']);
  });

  it('a valid token that lacks a required scope: invalid', async () => {
    await require('corporations', [MAIL, SKILLS], FIRST);
    await grant(USER, [MAIL, WALLET]);
    expect(await listOf()).toEqual(['invalid_refresh_token']);
  });

  it('a valid token with the required scopes and more: valid', async () => {
    await require('corporations', [MAIL, SKILLS], FIRST);
    await grant(USER, [MAIL, SKILLS, WALLET]);
    expect(await listOf()).toEqual(['valid_refresh_token']);
  });

  it('two tokens that cover the scopes only together: invalid, one token must cover them', async () => {
    await require('corporations', [MAIL, SKILLS], FIRST);
    await grant(USER, [MAIL]);
    await grant(USER, [SKILLS]);
    expect(await listOf()).toEqual(['invalid_refresh_token']);
  });

  it('an invalid token with all scopes and a valid one without: invalid', async () => {
    await require('corporations', [MAIL], FIRST);
    await grant(USER, [MAIL], false);
    await grant(USER, [SKILLS]);
    expect(await listOf()).toEqual(['invalid_refresh_token']);
  });

  it('one valid token with all scopes is enough', async () => {
    await require('corporations', [MAIL], FIRST);
    await grant(USER, [SKILLS], false);
    await grant(USER, [MAIL]);
    await grant(USER, [WALLET]);
    expect(await listOf()).toEqual(['valid_refresh_token']);
  });

  it.each(['corporations', 'alliances', 'coalitions'] as const)(
    'D38: the scopes that the %s require count, each for itself',
    async (table) => {
      await require(table, [WALLET], FIRST);
      await grant(USER, [MAIL]);
      expect(await listOf()).toEqual(['invalid_refresh_token']);
      await grant(USER, [MAIL, WALLET]);
      expect(await listOf()).toEqual(['valid_refresh_token']);
    },
  );
});

describe('D35: who is tracked', () => {
  it('guests and the built-in user are not members', async () => {
    await addUser(app, { id: USER, level: -1, corporation: FIRST });
    await grant(USER, []);
    await grant(0, []);
    expect(ids(await tracked(FIRST))).toEqual([]);
    expect(ids(await trackedIn(COALITION))).toEqual([]);
  });

  it('a corporation, an alliance and a coalition each have their own members and nobody else', async () => {
    for (const corporation of [FIRST, SECOND, LONE, OTHER])
      await addUser(app, { id: corporation, corporation });
    await addUser(app, { id: USER });
    expect(ids(await tracked(FIRST))).toEqual([FIRST]);
    const alliance = await root.alliance.tracking({ params: { alliance_id: ALLIANCE } });
    expect(ids(alliance.body as Tracking)).toEqual([FIRST, SECOND]);
    expect(ids(await trackedIn(COALITION))).toEqual([FIRST, SECOND, LONE]);
    expect(ids(await trackedIn('ff'.repeat(12)))).toEqual([]);
  });

  it('members of one alliance are judged by what their own corporation requires', async () => {
    await require('corporations', [MAIL], FIRST);
    for (const corporation of [FIRST, SECOND]) {
      await addUser(app, { id: corporation, corporation });
      await grant(corporation, [SKILLS]);
    }
    const { body } = await root.alliance.tracking({ params: { alliance_id: ALLIANCE } });
    expect(body).toMatchObject({
      invalid_refresh_token: [{ character_id: FIRST }],
      valid_refresh_token: [{ character_id: SECOND }],
    });
  });

  it('D9: each list is ordered by name ignoring case, then id', async () => {
    const names = ['bo', 'Ann', 'ANN', 'Ödön', 'zoe', 'Bo'];
    for (const [index, name] of names.entries()) {
      await addUser(app, { id: USER + index, name, corporation: FIRST });
    }
    const { no_refresh_token } = await tracked(FIRST);
    expect(no_refresh_token.map(({ character_name }) => character_name)).toEqual([
      'Ann',
      'ANN',
      'bo',
      'Bo',
      'zoe',
      'Ödön',
    ]);
  });
});

const CORPORATIONS = 50;
const MEMBERS = 200;

describe(`${CORPORATIONS} corporations of ${MEMBERS} members each`, () => {
  const alliance_id = 99_300_000;
  const coalition_id = 'c3'.repeat(12);
  const corporations = Array.from({ length: CORPORATIONS }, (_, n) => 98_300_000 + n);
  const pool: readonly ExtScope[] = [MAIL, SKILLS, WALLET];
  /** A subset of the pool, different for each number. */
  const some = (n: number) => pool.filter((_, bit) => (n >> bit) & 1);

  beforeAll(async () => {
    await addOrganizations(app, [{ alliance: alliance_id, corporations }]);
    await addCoalition(app, coalition_id, { alliances: [alliance_id] });
  });

  /** 10,000 members, one in 20 a guest; most have a token or two. */
  async function populate(): Promise<void> {
    for (const [n, id] of corporations.entries()) await require('corporations', some(n % 4), id);
    const users = corporations.flatMap((corporation_id, n) =>
      Array.from({ length: MEMBERS }, (_, m) => {
        const character_id = 2_130_000_000 + n * MEMBERS + m;
        const character_name = `Pilot ${(character_id * 7_919) % 100_003}`;
        const clearance_level = character_id % 20 === 0 ? -1 : 0;
        return {
          character_id,
          character_name,
          name_key: nameKey(character_name),
          corporation_id,
          clearance_level,
        };
      }),
    );
    await sql`insert into users (character_id, character_name, name_key, corporation_id, clearance_level)
      select * from jsonb_to_recordset(${JSON.stringify(users)}::jsonb) as u(character_id bigint,
        character_name text, name_key text, corporation_id bigint, clearance_level smallint)`.execute(app.db);
    const grants = users.flatMap(({ character_id: id }) =>
      [some(id % 8), some((id >> 3) % 8)]
        .slice(0, id % 3)
        .filter((scopes, index, all) => index === 0 || scopes.join() !== all[0]?.join())
        .map((scopes, index) => ({ character_id: id, scopes, valid: (id + index) % 5 !== 0 })),
    );
    await sql`insert into grants (grant_id, character_id, scopes, valid, refresh_token)
      select gen_random_uuid(), character_id, array(select jsonb_array_elements_text(scopes)), valid, 'encrypted'
      from jsonb_to_recordset(${JSON.stringify(grants)}::jsonb)
        as g(character_id bigint, scopes jsonb, valid boolean)`.execute(app.db);
    await sql`analyze`.execute(app.db);
  }

  /** The same in the simplest way, one user after the other. */
  async function reference(): Promise<Tracking> {
    const required = new Map(corporations.map((id, n) => [id, some(n % 4)]));
    const members = await app.db
      .selectFrom('users')
      .selectAll()
      .where('corporation_id', 'in', corporations)
      .where('clearance_level', '>=', 0)
      .execute();
    members.sort((a, b) =>
      a.name_key < b.name_key ? -1 : a.name_key > b.name_key ? 1 : a.character_id - b.character_id,
    );
    const held = await app.db.selectFrom('grants').select(['character_id', 'scopes', 'valid']).execute();
    const byUser = new Map<number, typeof held>();
    for (const one of held) byUser.set(one.character_id, [...(byUser.get(one.character_id) ?? []), one]);
    const tracking: Tracking = { valid_refresh_token: [], invalid_refresh_token: [], no_refresh_token: [] };
    for (const { character_id, character_name, corporation_id } of members) {
      const own = byUser.get(character_id) ?? [];
      const needed = required.get(corporation_id ?? 0) ?? [];
      const good = own.some(({ valid, scopes }) => valid && needed.every((scope) => scopes.includes(scope)));
      const list = own.length === 0 ? 'no' : good ? 'valid' : 'invalid';
      tracking[`${list}_refresh_token`].push({ character_id, character_name });
    }
    return tracking;
  }

  it('the single statement has the same result as the simplest way', async () => {
    await populate();
    const expected = await reference();
    for (const list of Object.values(expected)) expect(list.length).toBeGreaterThan(500);
    const { body } = await root.alliance.tracking({ params: { alliance_id } });
    expect(body).toEqual(expected);
    expect(await trackedIn(coalition_id)).toEqual(expected);
  });

  it('the number of statements does not depend on the size, and 1,000 users take less than 100 kB', async () => {
    await populate();
    const count = async (call: () => Promise<{ status: number }>) => {
      const before = app.statements.length;
      expect(await call()).toMatchObject({ status: 200 });
      return app.statements.length - before;
    };
    const body = JSON.stringify((await root.alliance.tracking({ params: { alliance_id } })).body);
    expect(body.length / (CORPORATIONS * MEMBERS * 0.95)).toBeLessThan(100);
    for (const call of [
      () => root.alliance.tracking({ params: { alliance_id } }),
      () => root.corporation.tracking({ params: { corporation_id: corporations[0] as number } }),
      () => root.corporation.listGuests({ params: { corporation_id: corporations[0] as number } }),
    ]) {
      // Authentication, authority, and the records.
      expect(await count(call)).toBe(3);
    }
    for (const call of [
      () => root.alliance.list(),
      () => root.corporation.list(),
      () => root.alliance.get({ params: { alliance_id } }),
      () => root.corporation.get({ params: { corporation_id: corporations[0] as number } }),
    ]) {
      expect(await count(call)).toBe(2);
    }
  });
});
