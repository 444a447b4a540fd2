import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXT_SCOPES } from '../../contract/scopes.ts';
import { nameKey } from '../../server/database/name-key.ts';
import { addCoalition, addOrganizations, addUser } from '../fixtures/users.ts';
import { type Client, startTestApp, type TestApp } from '../harness/app.ts';
import { callerAt } from '../harness/caller.ts';

/** Alliances that only the registry knows: OWN shares a coalition with FRIEND, nothing with STRANGER. */
const [OWN, FRIEND, STRANGER] = [99_100_001, 99_100_002, 99_100_003];
const PLACES = { own: 98_100_001, friend: 98_100_002, stranger: 98_100_003 } as const;
const UNKNOWN = 99_999_999;
/** Exists in the simulated game, and is not registered. */
const IN_GAME = 99_000_001;

let app: TestApp;
let root: Client;
/** A member of OWN's corporation for each level. */
let member: readonly Client[];

beforeAll(async () => {
  app = await startTestApp();
  root = app.client(app.root);
  await addOrganizations(app, [
    { alliance: OWN, corporations: [PLACES.own] },
    { alliance: FRIEND, corporations: [PLACES.friend] },
    { alliance: STRANGER, corporations: [PLACES.stranger] },
  ]);
  await addCoalition(app, 'a0'.repeat(12), { alliances: [OWN], corporations: [PLACES.friend] });
  await addCoalition(app, 'a1'.repeat(12), { alliances: [OWN, FRIEND] });
  const levels = Array.from({ length: 11 }, (_, level) => level);
  member = await Promise.all(
    levels.map((level) => callerAt(app, { id: 2_120_000_000 + level, level, corporation: PLACES.own })),
  );
});
afterAll(() => app.stop());

/** The member of this level. */
function at(level: number): Client {
  return member[level] as Client;
}

async function stored(alliance_id: number) {
  return app.db.selectFrom('alliances').selectAll().where('alliance_id', '=', alliance_id).executeTakeFirst();
}

describe('GET /alliance: list alliances registered in this instance', () => {
  it('D9: AllianceShort, ordered by name ignoring case, then id', async () => {
    const names = ['Żabka', 'zebra', 'Zebra', 'ábc', 'ABC', 'abd', 'Straße', 'STRASSE', '中文', '𐌰𐌱'];
    const ids = names.map((_, index) => 99_200_000 + index);
    await addOrganizations(
      app,
      ids.map((alliance, index) => ({ alliance, corporations: [98_200_000 + index] })),
    );
    for (const [index, alliance_name] of names.entries()) {
      await app.db
        .updateTable('alliances')
        .set({ alliance_name, name_key: nameKey(alliance_name) })
        .where('alliance_id', '=', ids[index] as number)
        .execute();
    }
    const answer = await at(0).alliance.list();
    expect(answer.status).toBe(200);
    const ours = (answer.body as { alliance_id: number; alliance_name: string }[]).filter(({ alliance_id }) =>
      ids.includes(alliance_id),
    );
    expect(ours.map(({ alliance_name }) => alliance_name)).toEqual([
      'ABC',
      'abd',
      'Straße',
      'STRASSE',
      'zebra',
      'Zebra',
      'ábc',
      'Żabka',
      '中文',
      '𐌰𐌱',
    ]);
    expect(Object.keys(ours[0] ?? {}).sort()).toEqual(['alliance_id', 'alliance_name']);
  });

  it('needs level 0: a guest gets 403', async () => {
    const guest = await callerAt(app, { id: 2_120_000_100, level: -1, corporation: PLACES.own });
    expect(await guest.alliance.list()).toMatchObject({ status: 403 });
    expect(await guest.alliance.get({ params: { alliance_id: OWN } })).toMatchObject({ status: 403 });
  });
});

describe('GET /alliance/{alliance_id}', () => {
  it('D15: level 0 is enough, at any distance to the alliance', async () => {
    for (const alliance_id of [OWN, FRIEND, STRANGER]) {
      expect(await at(0).alliance.get({ params: { alliance_id } })).toMatchObject({
        status: 200,
        body: { alliance_id },
      });
    }
  });

  it('D38: cumulated scopes are the sorted union over the alliance and every coalition that it is in', async () => {
    const set = (table: 'alliances' | 'corporations' | 'coalitions', where: string, scopes: string[]) =>
      sql`update ${sql.table(table)} set mandatory_ext_scopes = ${scopes}::text[] where ${sql.raw(where)}`.execute(
        app.db,
      );
    await set('alliances', `alliance_id = ${OWN}`, ['ext-mail.read_mail.v1', 'publicData']);
    await set('coalitions', `coalition_id = '${'a0'.repeat(12)}'`, [
      'ext-skills.read_skills.v1',
      'publicData',
    ]);
    await set('coalitions', `coalition_id = '${'a1'.repeat(12)}'`, ['ext-assets.read_assets.v1']);
    await set('corporations', `corporation_id = ${PLACES.own}`, ['ext-clones.read_clones.v1']);
    expect(await root.alliance.get({ params: { alliance_id: OWN } })).toMatchObject({
      body: {
        mandatory_ext_scopes: ['ext-mail.read_mail.v1', 'publicData'],
        cumulated_mandatory_ext_scopes: [
          'ext-assets.read_assets.v1',
          'ext-mail.read_mail.v1',
          'ext-skills.read_skills.v1',
          'publicData',
        ],
      },
    });
    // A coalition with only one of its corporations does not add scopes for the alliance.
    expect(await root.alliance.get({ params: { alliance_id: FRIEND } })).toMatchObject({
      body: { cumulated_mandatory_ext_scopes: ['ext-assets.read_assets.v1'] },
    });
  });

  it('a CEO who is a user is shown with its present name; a deleted one with its last known name (D19b)', async () => {
    const params = { alliance_id: STRANGER };
    const ceo = (name: string) => ({
      status: 200,
      body: { ceo: { character_id: PLACES.stranger, character_name: name } },
    });
    await addUser(app, { id: PLACES.stranger, name: 'Renamed Since', corporation: PLACES.stranger });
    expect(await root.alliance.get({ params })).toMatchObject(ceo('Renamed Since'));
    expect(await root.user.delete({ params: { character_id: PLACES.stranger } })).toMatchObject({
      status: 200,
    });
    expect(await root.alliance.get({ params })).toMatchObject(ceo(`CEO of ${PLACES.stranger}`));
  });

  it('D6: an unregistered alliance is a 404 that names kind and id', async () => {
    for (const alliance_id of [UNKNOWN, IN_GAME, Number.MAX_SAFE_INTEGER]) {
      expect(await at(0).alliance.get({ params: { alliance_id } })).toMatchObject({
        status: 404,
        body: { detail: `Could not find alliance ${alliance_id}` },
      });
    }
  });

  it.each([0, -1, 1.5, 2 ** 53])('D3b: the id %s is a 422', async (alliance_id) => {
    expect(await at(0).alliance.get({ params: { alliance_id } })).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['path', 'alliance_id'] }] },
    });
  });
});

describe('Clearance and authority (D12–D14)', () => {
  const read = [
    { over: OWN, needs: 3 },
    { over: FRIEND, needs: 5 },
    { over: STRANGER, needs: 7 },
  ];
  it.each(read)(
    'tracking alliance $over needs level $needs: listed level and read authority',
    async (row) => {
      for (let level = 0; level <= 10; level += 1) {
        const { status } = await at(level).alliance.tracking({ params: { alliance_id: row.over } });
        expect({ level, status }).toEqual({ level, status: level >= row.needs ? 200 : 403 });
      }
    },
  );

  const write = [
    { over: OWN, needs: 4 },
    { over: FRIEND, needs: 6 },
    { over: STRANGER, needs: 8 },
  ];
  it.each(write)(
    'modifying alliance $over needs level $needs: listed level and write authority',
    async (row) => {
      for (let level = 0; level <= 10; level += 1) {
        const { status } = await at(level).alliance.update({ params: { alliance_id: row.over }, body: {} });
        expect({ level, status }).toEqual({ level, status: level >= row.needs ? 200 : 403 });
      }
    },
  );

  it('D13: the listed level is needed by a CEO too', async () => {
    await app.db
      .updateTable('corporations')
      .set({ ceo_id: 2_120_000_003 })
      .where('corporation_id', '=', PLACES.own)
      .execute();
    const body = { mandatory_ext_scopes: ['publicData' as const] };
    expect(await at(3).alliance.update({ params: { alliance_id: OWN }, body })).toMatchObject({
      status: 403,
    });
  });

  it('D6: level before validation, validation before the record, the record before authority', async () => {
    const wrong = { mandatory_ext_scopes: ['nonsense'] } as never;
    const update = (level: number, alliance_id: number, body: object) =>
      at(level).alliance.update({ params: { alliance_id }, body });
    expect(await update(3, UNKNOWN, wrong)).toMatchObject({ status: 403 });
    expect(await update(4, UNKNOWN, wrong)).toMatchObject({ status: 422 });
    expect(await update(4, STRANGER, wrong)).toMatchObject({ status: 422 });
    expect(await update(4, UNKNOWN, {})).toMatchObject({
      status: 404,
      body: { detail: `Could not find alliance ${UNKNOWN}` },
    });
    expect(await update(4, STRANGER, {})).toMatchObject({ status: 403 });
    expect(await at(4).alliance.tracking({ params: { alliance_id: UNKNOWN } })).toMatchObject({
      status: 404,
    });
  });
});

describe('PUT /alliance/{alliance_id}: modify alliance', () => {
  const params = { alliance_id: STRANGER };

  it('D38: a scope given twice counts once, and scopes are kept sorted', async () => {
    const answer = await at(8).alliance.update({
      params,
      body: { mandatory_ext_scopes: ['publicData', 'ext-mail.read_mail.v1', 'publicData'] },
    });
    const scopes = ['ext-mail.read_mail.v1', 'publicData'];
    expect(answer).toMatchObject({
      status: 200,
      body: { mandatory_ext_scopes: scopes, cumulated_mandatory_ext_scopes: scopes },
    });
    expect((await stored(STRANGER))?.mandatory_ext_scopes).toEqual(scopes);
  });

  it('D3: null means absent, and so does an empty or missing body: 200, nothing changed', async () => {
    const before = await stored(STRANGER);
    app.clock.advance(1_000);
    for (const body of [{ mandatory_ext_scopes: null }, {}, undefined]) {
      const answer = await at(8).alliance.update({ params, ...(body && { body }) } as never);
      expect(answer).toMatchObject({
        status: 200,
        body: { mandatory_ext_scopes: ['ext-mail.read_mail.v1', 'publicData'] },
      });
    }
    expect(await stored(STRANGER)).toEqual(before);
  });

  it('updated_on changes only with the record: the same scopes in another order are no change', async () => {
    const before = await stored(STRANGER);
    app.clock.advance(1_000);
    const body = { mandatory_ext_scopes: ['publicData', 'ext-mail.read_mail.v1'] as const };
    await at(8).alliance.update({ params, body: { mandatory_ext_scopes: [...body.mandatory_ext_scopes] } });
    expect(await stored(STRANGER)).toEqual(before);
    await at(8).alliance.update({ params, body: { mandatory_ext_scopes: ['publicData'] } });
    const after = await stored(STRANGER);
    expect(after?.updated_on.getTime()).toBeGreaterThan(before?.updated_on.getTime() ?? 0);
  });

  it('D3: an empty list is a value', async () => {
    expect(await at(8).alliance.update({ params, body: { mandatory_ext_scopes: [] } })).toMatchObject({
      status: 200,
      body: { mandatory_ext_scopes: [], cumulated_mandatory_ext_scopes: [] },
    });
  });

  it('changes only the local record, without requests to the provider', async () => {
    const asked = app.provider.requests.length;
    await at(8).alliance.update({ params, body: { mandatory_ext_scopes: ['publicData'] } });
    expect(app.provider.requests.length).toBe(asked);
  });

  it.each([
    { mandatory_ext_scopes: ['nonsense'] },
    { mandatory_ext_scopes: 'publicData' },
    { mandatory_ext_scopes: [null] },
    { mandatory_ext_scopes: Array(10_001).fill('publicData') },
    { mandatory_ext_scopes: [], unknown_field: 1 },
    { alliance_name: 'Mine' },
    [],
    'text',
  ])('D3: a body that is not what it takes is a 422 and changes nothing (%#)', async (body) => {
    const before = await stored(STRANGER);
    expect(await at(8).alliance.update({ params, body } as never)).toMatchObject({ status: 422 });
    expect(await stored(STRANGER)).toEqual(before);
  });

  it('50 concurrent updates: each answers with its own scopes, and one of them is the final state', async () => {
    const wanted = Array.from({ length: 50 }, (_, n) => EXT_SCOPES.slice(n % 2, (n % 2) + 3));
    const answers = await Promise.all(
      wanted.map((mandatory_ext_scopes) => at(8).alliance.update({ params, body: { mandatory_ext_scopes } })),
    );
    for (const [index, answer] of answers.entries()) {
      expect(answer).toMatchObject({ status: 200, body: { mandatory_ext_scopes: wanted[index] } });
    }
    expect(wanted).toContainEqual((await stored(STRANGER))?.mandatory_ext_scopes);
  });
});

describe('Reads need at most two statements in addition to the one of authentication', () => {
  it.each(['list', 'get', 'tracking'] as const)('%s', async (name) => {
    const before = app.statements.length;
    const answer =
      name === 'list'
        ? await at(10).alliance.list()
        : await at(10).alliance[name]({ params: { alliance_id: OWN } });
    expect(answer.status).toBe(200);
    expect(app.statements.length - before).toBeLessThanOrEqual(3);
  });
});
