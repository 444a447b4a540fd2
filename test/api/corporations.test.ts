import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXT_SCOPES, type ExtScope } from '../../contract/scopes.ts';
import { nameKey } from '../../server/database/name-key.ts';
import { addCoalition, addOrganizations, addUser } from '../fixtures/users.ts';
import { type Client, startTestApp, type TestApp } from '../harness/app.ts';
import { callerAt } from '../harness/caller.ts';

/** OWN and SISTER are of one alliance, FRIEND shares a coalition with it, STRANGER nothing. */
const [OWN, SISTER, FRIEND, STRANGER] = [98_100_001, 98_100_002, 98_100_003, 98_100_004];
const ALLIANCE = 99_100_001;
const [THROUGH_ALLIANCE, DIRECT] = ['a0'.repeat(12), 'a1'.repeat(12)];
const UNKNOWN = 98_999_999;
/** Exists in the simulated game, and is not registered. */
const IN_GAME = 98_000_001;

let app: TestApp;
let root: Client;
/** A member of OWN for each level. */
let member: readonly Client[];

beforeAll(async () => {
  app = await startTestApp();
  root = app.client(app.root);
  await addOrganizations(app, [
    { alliance: ALLIANCE, corporations: [OWN, SISTER] },
    { corporations: [FRIEND, STRANGER] },
  ]);
  await addCoalition(app, THROUGH_ALLIANCE, { alliances: [ALLIANCE], corporations: [FRIEND] });
  await addCoalition(app, DIRECT, { corporations: [OWN] });
  const levels = Array.from({ length: 11 }, (_, level) => level);
  member = await Promise.all(
    levels.map((level) => callerAt(app, { id: 2_120_000_000 + level, level, corporation: OWN })),
  );
});
afterAll(() => app.stop());

/** The member of this level. */
function at(level: number): Client {
  return member[level] as Client;
}

async function stored(corporation_id: number) {
  return app.db
    .selectFrom('corporations')
    .selectAll()
    .where('corporation_id', '=', corporation_id)
    .executeTakeFirst();
}

describe('GET /corporation: list registered corporations', () => {
  it('D9: CorporationShort, ordered by name ignoring case, then id', async () => {
    const names = ['Żabka', 'zebra', 'Zebra', 'ábc', 'ABC', 'abd', 'Straße', 'STRASSE', '中文', '𐌰𐌱'];
    const ids = names.map((_, index) => 98_200_000 + index);
    await addOrganizations(app, [{ corporations: ids }]);
    for (const [index, corporation_name] of names.entries()) {
      await app.db
        .updateTable('corporations')
        .set({ corporation_name, name_key: nameKey(corporation_name) })
        .where('corporation_id', '=', ids[index] as number)
        .execute();
    }
    const answer = await at(0).corporation.list();
    expect(answer.status).toBe(200);
    const listed = answer.body as { corporation_id: number; corporation_name: string }[];
    const ours = listed.filter(({ corporation_id }) => ids.includes(corporation_id));
    expect(ours.map(({ corporation_name }) => corporation_name)).toEqual([
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
    expect(Object.keys(ours[0] ?? {}).sort()).toEqual(['corporation_id', 'corporation_name']);
  });

  it('needs level 0: a guest gets 403, everywhere', async () => {
    const guest = await callerAt(app, { id: 2_120_000_100, level: -1, corporation: OWN });
    const params = { corporation_id: OWN };
    const { list, ...others } = guest.corporation;
    expect(await list()).toMatchObject({ status: 403 });
    for (const call of [
      others.get,
      others.tracking,
      others.register,
      others.update,
      others.listGuests,
      others.createGuestCode,
    ]) {
      expect(await call({ params, body: {} } as never)).toMatchObject({ status: 403 });
    }
    expect(await others.deleteGuest({ params: { ...params, character_id: 2_120_000_100 } })).toMatchObject({
      status: 403,
    });
  });
});

describe('GET /corporation/{corporation_id}', () => {
  it('D15: level 0 is enough, at any distance to the corporation', async () => {
    for (const corporation_id of [OWN, SISTER, FRIEND, STRANGER]) {
      expect(await at(0).corporation.get({ params: { corporation_id } })).toMatchObject({
        status: 200,
        body: { corporation_id },
      });
    }
  });

  it('D38: cumulated scopes are the sorted union over corporation, alliance and every coalition', async () => {
    const set = (table: 'alliances' | 'corporations' | 'coalitions', where: string, scopes: string[]) =>
      sql`update ${sql.table(table)} set mandatory_ext_scopes = ${scopes}::text[] where ${sql.raw(where)}`.execute(
        app.db,
      );
    await set('corporations', `corporation_id = ${OWN}`, ['ext-clones.read_clones.v1', 'publicData']);
    await set('alliances', `alliance_id = ${ALLIANCE}`, ['ext-mail.read_mail.v1', 'publicData']);
    await set('coalitions', `coalition_id = '${THROUGH_ALLIANCE}'`, [
      'ext-skills.read_skills.v1',
      'publicData',
    ]);
    await set('coalitions', `coalition_id = '${DIRECT}'`, ['ext-assets.read_assets.v1']);
    const cumulated = async (corporation_id: number) => {
      const { body } = await root.corporation.get({ params: { corporation_id } });
      return (body as { cumulated_mandatory_ext_scopes: ExtScope[] }).cumulated_mandatory_ext_scopes;
    };
    expect(await cumulated(OWN)).toEqual([
      'ext-assets.read_assets.v1',
      'ext-clones.read_clones.v1',
      'ext-mail.read_mail.v1',
      'ext-skills.read_skills.v1',
      'publicData',
    ]);
    expect(await cumulated(SISTER)).toEqual([
      'ext-mail.read_mail.v1',
      'ext-skills.read_skills.v1',
      'publicData',
    ]);
    expect(await cumulated(FRIEND)).toEqual(['ext-skills.read_skills.v1', 'publicData']);
    expect(await cumulated(STRANGER)).toEqual([]);
    await sql`update corporations set mandatory_ext_scopes = '{}'`.execute(app.db);
  });

  it('a CEO who is a user is shown with its present name; a deleted one with its last known name (D19b)', async () => {
    const params = { corporation_id: STRANGER };
    const ceo = (name: string) => ({
      status: 200,
      body: { ceo: { character_id: STRANGER, character_name: name } },
    });
    await addUser(app, { id: STRANGER, name: 'Renamed Since', corporation: STRANGER });
    expect(await root.corporation.get({ params })).toMatchObject(ceo('Renamed Since'));
    expect(await root.user.delete({ params: { character_id: STRANGER } })).toMatchObject({ status: 200 });
    expect(await root.corporation.get({ params })).toMatchObject(ceo(`CEO of ${STRANGER}`));
  });

  it('must be registered: any other is a 404 that names kind and id (D6)', async () => {
    for (const corporation_id of [UNKNOWN, IN_GAME, 1_000_001, Number.MAX_SAFE_INTEGER]) {
      expect(await at(0).corporation.get({ params: { corporation_id } })).toMatchObject({
        status: 404,
        body: { detail: `Could not find corporation ${corporation_id}` },
      });
    }
  });

  it.each([0, -1, 1.5, 2 ** 53])('D3b: the id %s is a 422', async (corporation_id) => {
    expect(await at(0).corporation.get({ params: { corporation_id } })).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['path', 'corporation_id'] }] },
    });
  });
});

type Call = (client: Client, corporation_id: number) => Promise<{ status: number }>;

const READS: Readonly<Record<string, Call>> = {
  tracking: (client, corporation_id) => client.corporation.tracking({ params: { corporation_id } }),
  'listing guests': (client, corporation_id) => client.corporation.listGuests({ params: { corporation_id } }),
  'creating a guest code': (client, corporation_id) =>
    client.corporation.createGuestCode({ params: { corporation_id } }),
};
const WRITES: Readonly<Record<string, Call>> = {
  modifying: (client, corporation_id) => client.corporation.update({ params: { corporation_id }, body: {} }),
  'deleting a guest': (client, corporation_id) =>
    client.corporation.deleteGuest({ params: { corporation_id, character_id: 5 } }),
};
const PLACES = [
  { place: 'the own corporation', over: OWN, distance: 1 },
  { place: 'one of the same alliance', over: SISTER, distance: 3 },
  { place: 'one of a coalition in common', over: FRIEND, distance: 5 },
  { place: 'any other', over: STRANGER, distance: 7 },
] as const;

/** The expected statuses by level: refused below `least`. */
async function expectFrom(least: number, call: Call, over: number): Promise<void> {
  for (let level = 0; level <= 10; level += 1) {
    const { status } = await call(at(level), over);
    expect({ level, refused: status === 403 }).toEqual({ level, refused: level < least });
    expect([200, 403, 404]).toContain(status);
  }
}

describe('Clearance and authority (D12–D15)', () => {
  it.each(PLACES)('reading about $place: level >= $distance, by level 7 at the most', async (row) => {
    for (const call of Object.values(READS)) await expectFrom(Math.min(row.distance, 7), call, row.over);
  });

  it.each(PLACES)('changing $place: level > $distance, by level 8 at the most', async (row) => {
    for (const call of Object.values(WRITES)) await expectFrom(Math.min(row.distance + 1, 8), call, row.over);
  });

  it('D13: the listed level is needed by a CEO too', async () => {
    await app.db
      .updateTable('corporations')
      .set({ ceo_id: 2_120_000_001 })
      .where('corporation_id', '=', OWN)
      .execute();
    const body = { mandatory_ext_scopes: ['publicData' as const] };
    expect(await at(1).corporation.update({ params: { corporation_id: OWN }, body })).toMatchObject({
      status: 403,
    });
  });

  it('D6: level before validation, validation before the record, the record before authority', async () => {
    const wrong = { mandatory_ext_scopes: ['nonsense'] } as never;
    const update = (level: number, corporation_id: number, body: object) =>
      at(level).corporation.update({ params: { corporation_id }, body });
    expect(await update(1, UNKNOWN, wrong)).toMatchObject({ status: 403 });
    expect(await update(2, UNKNOWN, wrong)).toMatchObject({ status: 422 });
    expect(await update(2, STRANGER, wrong)).toMatchObject({ status: 422 });
    expect(await update(2, UNKNOWN, {})).toMatchObject({
      status: 404,
      body: { detail: `Could not find corporation ${UNKNOWN}` },
    });
    expect(await update(2, STRANGER, {})).toMatchObject({ status: 403 });
    for (const call of Object.values(READS)) {
      expect(await call(at(0), UNKNOWN)).toMatchObject({ status: 403 });
      expect(await call(at(1), UNKNOWN)).toMatchObject({
        status: 404,
        body: { detail: `Could not find corporation ${UNKNOWN}` },
      });
    }
  });
});

describe('PUT /corporation/{corporation_id}: modify corporation', () => {
  const params = { corporation_id: SISTER };

  it('D38: a scope given twice counts once, and scopes are kept sorted', async () => {
    const answer = await at(4).corporation.update({
      params,
      body: { mandatory_ext_scopes: ['publicData', 'ext-mail.read_mail.v1', 'publicData'] },
    });
    const scopes = ['ext-mail.read_mail.v1', 'publicData'];
    expect(answer).toMatchObject({ status: 200, body: { mandatory_ext_scopes: scopes } });
    expect((await stored(SISTER))?.mandatory_ext_scopes).toEqual(scopes);
  });

  it('D3: null means absent, and so does an empty or missing body: 200, nothing changed', async () => {
    const before = await stored(SISTER);
    app.clock.advance(1_000);
    for (const body of [{ mandatory_ext_scopes: null }, {}, undefined]) {
      const answer = await at(4).corporation.update({ params, ...(body && { body }) } as never);
      expect(answer).toMatchObject({
        status: 200,
        body: { mandatory_ext_scopes: ['ext-mail.read_mail.v1', 'publicData'] },
      });
    }
    expect(await stored(SISTER)).toEqual(before);
  });

  it('updated_on changes only with the record: the same scopes in another order are no change', async () => {
    const before = await stored(SISTER);
    app.clock.advance(1_000);
    const same: ExtScope[] = ['publicData', 'ext-mail.read_mail.v1'];
    await at(4).corporation.update({ params, body: { mandatory_ext_scopes: same } });
    expect(await stored(SISTER)).toEqual(before);
    await at(4).corporation.update({ params, body: { mandatory_ext_scopes: ['publicData'] } });
    const after = await stored(SISTER);
    expect(after?.updated_on.getTime()).toBeGreaterThan(before?.updated_on.getTime() ?? 0);
  });

  it('D3: an empty list is a value', async () => {
    expect(await at(4).corporation.update({ params, body: { mandatory_ext_scopes: [] } })).toMatchObject({
      status: 200,
      body: { mandatory_ext_scopes: [] },
    });
  });

  it('changes only the local record, without requests to the provider', async () => {
    const asked = app.provider.requests.length;
    await at(4).corporation.update({ params, body: { mandatory_ext_scopes: ['publicData'] } });
    expect(app.provider.requests.length).toBe(asked);
  });

  it.each([
    { mandatory_ext_scopes: ['nonsense'] },
    { mandatory_ext_scopes: 'publicData' },
    { mandatory_ext_scopes: [null] },
    { mandatory_ext_scopes: Array(10_001).fill('publicData') },
    { mandatory_ext_scopes: [], unknown_field: 1 },
    { corporation_name: 'Mine' },
    [],
    'text',
  ])('D3: a body that is not what it takes is a 422 and changes nothing (%#)', async (body) => {
    const before = await stored(SISTER);
    expect(await at(4).corporation.update({ params, body } as never)).toMatchObject({ status: 422 });
    expect(await stored(SISTER)).toEqual(before);
  });

  it('50 concurrent updates: each answers with its own scopes, and one of them is the final state', async () => {
    const wanted = Array.from({ length: 50 }, (_, n) => EXT_SCOPES.slice(n % 2, (n % 2) + 3));
    const answers = await Promise.all(
      wanted.map((mandatory_ext_scopes) =>
        at(4).corporation.update({ params, body: { mandatory_ext_scopes } }),
      ),
    );
    for (const [index, answer] of answers.entries()) {
      expect(answer).toMatchObject({ status: 200, body: { mandatory_ext_scopes: wanted[index] } });
    }
    expect(wanted).toContainEqual((await stored(SISTER))?.mandatory_ext_scopes);
  });
});

describe('Reads need at most two statements in addition to the one of authentication', () => {
  it.each(['list', 'get', 'tracking', 'listGuests'] as const)('%s', async (name) => {
    const before = app.statements.length;
    const answer =
      name === 'list'
        ? await at(10).corporation.list()
        : await at(10).corporation[name]({ params: { corporation_id: OWN } });
    expect(answer.status).toBe(200);
    expect(app.statements.length - before).toBeLessThanOrEqual(3);
  });
});
