import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { corporationRoutes } from '../../contract/corporation.ts';
import { authenticate } from '../../server/access/authenticate.ts';
import { registerCorporation } from '../../server/corporation/corporation.ts';
import { addUser } from '../fixtures/users.ts';
import { type Client, startTestApp, type TestApp } from '../harness/app.ts';
import { callerAt } from '../harness/caller.ts';
import { madeAnswer } from '../harness/provider.ts';

/** Corporation n of the simulated game is led by its character n; the first seven lead alliances. */
const EXECUTOR = 98_000_001;
const ALLIANCE = 99_000_001;
const UNKNOWN = 98_999_999;
const NPC = 1_000_006;
/** Milliseconds: longer than an answer of the provider about a corporation or an alliance stays fresh. */
const STALE = 2 * 3_600_000;

let app: TestApp;
let root: Client;
/** A corporation of ALLIANCE that does not lead it, one of no alliance, and one more of each that will close. */
let member: number;
let alone: number;
let closing: number;

beforeAll(async () => {
  app = await startTestApp({ provider: { alliances: 7, corporations: 40, characters: 400 } });
  root = app.client(app.root);
  const { corporations } = app.provider.world;
  const players = corporations.filter(({ npc, id }) => !npc && id > 98_000_007);
  member = players.find(({ allianceId }) => allianceId === ALLIANCE)?.id as number;
  [alone, closing] = players.filter(({ allianceId }) => allianceId === null).map(({ id }) => id) as [
    number,
    number,
  ];
});
afterAll(() => app.stop());
afterEach(() => app.provider.faults.clear());

const register = (corporation_id: number) => root.corporation.register({ params: { corporation_id } });

async function stored(corporation_id: number) {
  return app.db
    .selectFrom('corporations')
    .selectAll()
    .where('corporation_id', '=', corporation_id)
    .executeTakeFirst();
}

async function levelOf(character_id: number): Promise<number | undefined> {
  const user = await app.db
    .selectFrom('users')
    .select('clearance_level')
    .where('character_id', '=', character_id)
    .executeTakeFirst();
  return user?.clearance_level;
}

describe('POST /corporation/{corporation_id}: fetch corporation from the external API and register it', () => {
  it('answers with the full record (D9); its CEO and its alliance are registered with it (D39)', async () => {
    const { world } = app.provider;
    const corporation = world.corporation(member);
    const alliance = world.alliance(ALLIANCE);
    const ceo = world.character(corporation?.ceoId ?? 0);
    const answer = await register(member);
    expect(answer).toMatchObject({ status: 200 });
    expect(answer.body).toEqual({
      alliance: { alliance_id: ALLIANCE, alliance_name: alliance?.name },
      ceo: { character_id: ceo?.id, character_name: ceo?.name },
      corporation_id: member,
      corporation_name: corporation?.name,
      cumulated_mandatory_ext_scopes: [],
      mandatory_ext_scopes: [],
      ticker: corporation?.ticker,
      updated_on: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
    expect(await root.alliance.get({ params: { alliance_id: ALLIANCE } })).toMatchObject({
      status: 200,
      body: { executor_corporation: { corporation_id: EXECUTOR }, ceo: { character_id: 2_112_000_001 } },
    });
    expect(await root.user.get({ params: { character_name: ceo?.name ?? '' } })).toMatchObject({
      body: { character_id: ceo?.id, corporation: String(member), alliance: ALLIANCE },
    });
  });

  it('D19: a CEO comes with level 2, that of the alliance’s executor with 4', async () => {
    expect(await levelOf(app.provider.world.corporation(member)?.ceoId ?? 0)).toBe(2);
    expect(await levelOf(2_112_000_001)).toBe(4);
  });

  it('a corporation of no alliance has alliance null', async () => {
    expect(await register(alone)).toMatchObject({ status: 200, body: { alliance: null } });
  });

  it('D39: fetching a corporation that exists refreshes it and keeps its required scopes', async () => {
    const params = { corporation_id: alone };
    await root.corporation.update({ params, body: { mandatory_ext_scopes: ['publicData'] } });
    app.provider.world.renameCorporation(alone, 'Renamed Works', 'RNMD');
    const before = await stored(alone);
    app.clock.advance(STALE);
    expect(await register(alone)).toMatchObject({
      status: 200,
      body: { corporation_name: 'Renamed Works', ticker: 'RNMD', mandatory_ext_scopes: ['publicData'] },
    });
    expect((await stored(alone))?.updated_on.getTime()).toBeGreaterThan(before?.updated_on.getTime() ?? 0);
  });

  it('D39: a refresh that finds nothing new leaves updated_on', async () => {
    const before = await root.corporation.get({ params: { corporation_id: alone } });
    app.clock.advance(STALE);
    expect((await register(alone)).body).toEqual(before.body);
  });

  it('D39: an unknown id, and one of the game’s own corporations, is a 404 that names kind and id', async () => {
    for (const id of [UNKNOWN, NPC, 1_000_001, 1, 1_999_999, Number.MAX_SAFE_INTEGER]) {
      expect(await register(id)).toMatchObject({
        status: 404,
        body: { detail: `Could not find corporation ${id}` },
      });
      expect(await stored(id)).toBeUndefined();
    }
  });

  it('D39: a corporation of the game itself is not registered even if the provider names a CEO for it', async () => {
    const { services } = app.app;
    const data = { name: 'Game', ticker: 'G', ceo_id: 3_000_001 };
    const client = { ask: async () => madeAnswer(200, data) };
    const caller = await authenticate(services, `Bearer ${app.root}`);
    const rule = corporationRoutes.register.metadata.access;
    const admission = { caller, rule, params: {}, body: undefined, clock: app.clock };
    await expect(registerCorporation({ ...services, client }, admission, NPC)).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('D39: a closed corporation, one without CEO, is a 404', async () => {
    const closed =
      app.provider.world.corporations.find(({ id }) => id > closing && id < closing + 5)?.id ?? 0;
    app.provider.world.closeCorporation(closed);
    expect(await register(closed)).toMatchObject({
      status: 404,
      body: { detail: `Could not find corporation ${closed}` },
    });
    expect(await stored(closed)).toBeUndefined();
  });

  it('D39: a corporation that closes later keeps its last known CEO', async () => {
    await register(closing);
    const before = await root.corporation.get({ params: { corporation_id: closing } });
    app.provider.world.closeCorporation(closing);
    app.clock.advance(STALE);
    expect(await register(closing)).toMatchObject({ status: 404 });
    expect((await root.corporation.get({ params: { corporation_id: closing } })).body).toEqual(before.body);
  });

  it.each(['a user', 'no user'])(
    'D39: a CEO whom the provider does not name keeps the known name, as %s',
    async (kind) => {
      const { ceo_id = 0, updated_on } = (await stored(alone)) ?? {};
      const ceo_name = app.provider.world.character(ceo_id)?.name;
      if (kind === 'no user') await root.user.delete({ params: { character_id: ceo_id } });
      app.provider.faults.add('/universe/names', { kind: 'status', status: 404 });
      app.clock.advance(STALE);
      expect(await register(alone)).toMatchObject({
        status: 200,
        body: { ceo: { character_id: ceo_id, character_name: ceo_name } },
      });
      expect(await stored(alone)).toMatchObject({ ceo_name, updated_on });
      app.provider.faults.clear();
      await register(alone);
      expect(await levelOf(ceo_id)).toBe(2);
    },
  );

  it('D39: an alliance that lost its executor keeps the last known one, and its corporations and levels', async () => {
    await addUser(app, { id: 2_120_000_003, level: 3, corporation: member });
    app.provider.world.setExecutor(ALLIANCE, null);
    app.clock.advance(STALE);
    try {
      expect(await register(member)).toMatchObject({
        status: 200,
        body: { alliance: { alliance_id: ALLIANCE } },
      });
      expect(await levelOf(2_120_000_003)).toBe(3);
      expect(await root.alliance.get({ params: { alliance_id: ALLIANCE } })).toMatchObject({
        body: { executor_corporation: { corporation_id: EXECUTOR } },
      });
    } finally {
      app.provider.world.setExecutor(ALLIANCE, EXECUTOR);
    }
  });

  it('an alliance without executor that was never registered is left out', async () => {
    const { world } = app.provider;
    const of = 99_000_007;
    world.setExecutor(of, null);
    expect(await register(98_000_007)).toMatchObject({ status: 200, body: { alliance: null } });
    expect(await root.alliance.get({ params: { alliance_id: of } })).toMatchObject({ status: 404 });
  });

  it('D19: a corporation that leaves its alliance takes levels 3 to 8 from its members', async () => {
    const levels = [0, 1, 2, 3, 7, 8, 9, 10];
    for (const level of levels) await addUser(app, { id: 2_130_000_000 + level, level, corporation: member });
    app.provider.world.moveCorporation(member, null);
    app.clock.advance(STALE);
    expect(await register(member)).toMatchObject({ status: 200, body: { alliance: null } });
    const after = await Promise.all(levels.map((level) => levelOf(2_130_000_000 + level)));
    expect(after).toEqual([0, 1, 2, 0, 0, 0, 9, 10]);
  });

  it('D19: a former CEO falls to 0, the new one rises to 2', async () => {
    const { world } = app.provider;
    const [former, next] = world.membersOf(alone) as [number, number];
    world.setCeo(alone, next);
    app.clock.advance(STALE);
    expect(await register(alone)).toMatchObject({ body: { ceo: { character_id: next } } });
    expect([await levelOf(former), await levelOf(next)]).toEqual([0, 2]);
  });

  it('D30: a provider that fails is a 502, and nothing is stored', async () => {
    for (const path of ['/corporations/*', '/alliances/*', '/universe/names'] as const) {
      const fault = app.provider.faults.add(path, { kind: 'status', status: 503, as: 'html' });
      expect(await register(98_000_006)).toMatchObject({ status: 502 });
      fault.clear();
    }
    expect(await stored(98_000_006)).toBeUndefined();
    const { rows } = await sql`select from alliances where alliance_id = 99000006`.execute(app.db);
    expect(rows).toEqual([]);
  });

  it('needs level 8, which is checked before the id is looked up (D6)', async () => {
    const seven = await callerAt(app, { id: 2_120_000_007, level: 7, corporation: member });
    const eight = await callerAt(app, { id: 2_120_000_008, level: 8 });
    const asked = app.provider.requests.length;
    for (const corporation_id of [member, UNKNOWN, 0]) {
      expect(await seven.corporation.register({ params: { corporation_id } })).toMatchObject({ status: 403 });
    }
    expect(app.provider.requests.length).toBe(asked);
    expect(await eight.corporation.register({ params: { corporation_id: member } })).toMatchObject({
      status: 200,
    });
  });
});
