import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Client, startTestApp, type TestApp } from '../harness/app.ts';
import { callerAt } from '../harness/caller.ts';

/** Alliance n of the simulated game is led by its corporation n, and that by character n. */
const [FIRST, SECOND, CLOSED, UNLUCKY, CROWDED] = [
  99_000_001, 99_000_002, 99_000_003, 99_000_004, 99_000_005,
];
const BUSY = [99_000_006, 99_000_007];
const UNKNOWN = 99_999_999;
/** Milliseconds: longer than an answer of the provider about a corporation or an alliance stays fresh. */
const STALE = 2 * 3_600_000;

let app: TestApp;
let root: Client;

beforeAll(async () => {
  app = await startTestApp({ provider: { alliances: 7, corporations: 24 } });
  root = app.client(app.root);
  app.provider.world.closeAlliance(CLOSED);
});
afterAll(() => app.stop());
afterEach(() => app.provider.faults.clear());

async function stored(alliance_id: number) {
  return app.db.selectFrom('alliances').selectAll().where('alliance_id', '=', alliance_id).executeTakeFirst();
}

/** The waiting jobs. */
async function memberJobs(alliance_id: number): Promise<number> {
  const { rows } = await sql`select from pgboss.job
    where name = 'register-alliance-members' and data->>'alliance_id' = ${String(alliance_id)}`.execute(
    app.db,
  );
  return rows.length;
}

describe('POST /alliance/{alliance_id}: fetch alliance from the external API and register it', () => {
  it('answers with the full record (D9) of the alliance, its executor and that corporation’s CEO (D39)', async () => {
    const answer = await root.alliance.register({ params: { alliance_id: FIRST } });
    const alliance = app.provider.world.alliance(FIRST);
    const executor = app.provider.world.corporation(98_000_001);
    const ceo = app.provider.world.character(2_112_000_001);
    expect(answer).toMatchObject({ status: 200 });
    expect(answer.body).toEqual({
      alliance_id: FIRST,
      alliance_name: alliance?.name,
      ceo: { character_id: ceo?.id, character_name: ceo?.name },
      cumulated_mandatory_ext_scopes: [],
      executor_corporation: { corporation_id: executor?.id, corporation_name: executor?.name },
      mandatory_ext_scopes: [],
      ticker: alliance?.ticker,
      updated_on: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
  });

  it('D39: registers the executor at once and its CEO with it, the other members by a job', async () => {
    const members = app.provider.world.corporationsOf(FIRST);
    expect(members.length).toBeGreaterThan(1);
    const { rows } = await sql`select corporation_id from corporations where alliance_id = ${FIRST}`.execute(
      app.db,
    );
    expect(rows).toEqual([{ corporation_id: 98_000_001 }]);
    expect(await memberJobs(FIRST)).toBe(1);
  });

  it('D19: the CEO of the executor comes with level 4', async () => {
    const character_name = app.provider.world.character(2_112_000_001)?.name ?? '';
    expect(await root.user.get({ params: { character_name } })).toMatchObject({
      status: 200,
      body: { clearance_level: 4, is_ceo_of_alliance: true, is_ceo_of_corporation: true, alliance: FIRST },
    });
  });

  it('D39: fetching an alliance that exists refreshes it and keeps its required scopes', async () => {
    await root.alliance.update({
      params: { alliance_id: FIRST },
      body: { mandatory_ext_scopes: ['publicData'] },
    });
    app.provider.world.renameAlliance(FIRST, 'The Renamed Accord', 'RNMD');
    const before = await stored(FIRST);
    app.clock.advance(STALE);
    const answer = await root.alliance.register({ params: { alliance_id: FIRST } });
    expect(answer).toMatchObject({
      status: 200,
      body: { alliance_name: 'The Renamed Accord', ticker: 'RNMD', mandatory_ext_scopes: ['publicData'] },
    });
    expect((await stored(FIRST))?.updated_on.getTime()).toBeGreaterThan(before?.updated_on.getTime() ?? 0);
  });

  it('D39: a refresh that finds nothing new leaves updated_on', async () => {
    const before = await root.alliance.get({ params: { alliance_id: FIRST } });
    app.clock.advance(STALE);
    expect((await root.alliance.register({ params: { alliance_id: FIRST } })).body).toEqual(before.body);
  });

  it('D39: an id that the provider does not know is a 404 that names kind and id (D6)', async () => {
    for (const alliance_id of [UNKNOWN, Number.MAX_SAFE_INTEGER]) {
      expect(await root.alliance.register({ params: { alliance_id } })).toMatchObject({
        status: 404,
        body: { detail: `Could not find alliance ${alliance_id}` },
      });
      expect(await stored(alliance_id)).toBeUndefined();
      expect(await memberJobs(alliance_id)).toBe(0);
    }
  });

  it('D39: a closed alliance, which has no executor, is a 404', async () => {
    expect(await root.alliance.register({ params: { alliance_id: CLOSED } })).toMatchObject({
      status: 404,
      body: { detail: `Could not find alliance ${CLOSED}` },
    });
    expect(await stored(CLOSED)).toBeUndefined();
  });

  it('D39: an alliance that closes later keeps its last known executor and CEO', async () => {
    await root.alliance.register({ params: { alliance_id: SECOND } });
    const before = await root.alliance.get({ params: { alliance_id: SECOND } });
    app.provider.world.setExecutor(SECOND, null);
    app.clock.advance(STALE);
    expect(await root.alliance.register({ params: { alliance_id: SECOND } })).toMatchObject({ status: 404 });
    expect(await root.alliance.get({ params: { alliance_id: SECOND } })).toEqual(
      expect.objectContaining({ status: 200, body: before.body }),
    );
    app.provider.world.setExecutor(SECOND, 98_000_002);
  });

  it('D30: a provider that fails is a 502, nothing is stored, no job is written', async () => {
    for (const fault of [
      { kind: 'status', status: 502, as: 'html' },
      { kind: 'reset' },
      { kind: 'not json' },
    ] as const) {
      const active = app.provider.faults.add('api', fault);
      expect(await root.alliance.register({ params: { alliance_id: UNLUCKY } })).toMatchObject({
        status: 502,
        body: {
          detail: 'The provider cannot be reached or gave an answer that cannot be used.',
          code: 'provider_unavailable',
        },
      });
      active.clear();
    }
    expect(await stored(UNLUCKY)).toBeUndefined();
    expect(await memberJobs(UNLUCKY)).toBe(0);
  });

  it('D30: a provider that does not answer in time is a 504', async () => {
    app.provider.faults.add('api', { kind: 'hang' });
    const [alliance, corporation] = await Promise.all([
      root.alliance.register({ params: { alliance_id: UNLUCKY } }),
      root.corporation.register({ params: { corporation_id: 98_000_004 } }),
    ]);
    for (const answer of [alliance, corporation]) {
      expect(answer).toMatchObject({
        status: 504,
        body: { detail: 'The provider did not answer in time.', code: 'provider_timeout' },
      });
    }
  });

  it('the job for the members is committed or rolled back with the alliance', async () => {
    await sql`alter table pgboss.job add constraint no_jobs check (name <> 'register-alliance-members') not valid`.execute(
      app.db,
    );
    try {
      expect(await root.alliance.register({ params: { alliance_id: UNLUCKY } })).toMatchObject({
        status: 500,
      });
      expect(await stored(UNLUCKY)).toBeUndefined();
    } finally {
      await sql`alter table pgboss.job drop constraint no_jobs`.execute(app.db);
    }
  });

  it('20 concurrent registrations have the result of one, and none fails', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => root.alliance.register({ params: { alliance_id: CROWDED } })),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const serial = await root.alliance.register({ params: { alliance_id: CROWDED } });
    expect(serial.body).toEqual(answers[0]?.body);
    const { rows } = await sql`select from alliances where alliance_id = ${CROWDED}`.execute(app.db);
    expect(rows).toHaveLength(1);
    expect(app.logged.filter((line) => line.includes('deadlock'))).toEqual([]);
  });

  it('alliances and their corporations registered concurrently, in any order, cause no deadlock', async () => {
    const { world } = app.provider;
    const corporations = BUSY.flatMap((id) => world.corporationsOf(id));
    const answers = await Promise.all(
      [1, 2, 3].flatMap(() => [
        ...corporations.map((corporation_id) => root.corporation.register({ params: { corporation_id } })),
        ...BUSY.toReversed().map((alliance_id) => root.alliance.register({ params: { alliance_id } })),
      ]),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    for (const corporation_id of corporations) {
      expect(await root.corporation.get({ params: { corporation_id } })).toMatchObject({
        body: { alliance: { alliance_id: world.corporation(corporation_id)?.allianceId } },
      });
    }
  });

  it('needs level 8, which is checked before the id is looked up (D6)', async () => {
    const seven = await callerAt(app, { id: 2_120_000_007, level: 7 });
    const eight = await callerAt(app, { id: 2_120_000_008, level: 8 });
    const asked = app.provider.requests.length;
    for (const alliance_id of [FIRST, UNKNOWN, 0]) {
      expect(await seven.alliance.register({ params: { alliance_id } })).toMatchObject({ status: 403 });
    }
    expect(app.provider.requests.length).toBe(asked);
    expect(await eight.alliance.register({ params: { alliance_id: FIRST } })).toMatchObject({ status: 200 });
  });
});
