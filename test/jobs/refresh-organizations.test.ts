import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ProviderError } from '../../server/provider/http.ts';
import type { Run } from '../../server/queue/run.ts';
import { refreshOrganizations } from '../../server/registry/refresh-organizations.ts';
import { syncUsers } from '../../server/registry/sync-users.ts';
import { allEvents } from '../fixtures/events.ts';
import {
  atRequest,
  errorsIn,
  forget,
  membersOf,
  populate,
  requestsOf,
  standings,
  untrue,
} from '../fixtures/population.ts';
import { setLevel } from '../fixtures/registry.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { meanwhile } from '../harness/meanwhile.ts';
import { addGrant, forgetProvider, madeAnswer } from '../harness/provider.ts';
import { testRun } from '../harness/run.ts';
import { userRow } from '../harness/sign-in.ts';

/** Alliance n is led by corporation n, that by character n; the last two of twelve corporations stand alone. */
const [FIRST, SECOND, LONELY, OTHER_LONELY] = [98_000_001, 98_000_002, 98_000_011, 98_000_012];
const [ALLIANCE, OTHER_ALLIANCE] = [99_000_001, 99_000_002];
const CEO = 2_112_000_001;
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** Undoes what a test has made. */
class Undone extends Error {}

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp({ provider: { alliances: 3, corporations: 12, characters: 200 } });
  await populate(app);
});
afterAll(() => app.stop());
beforeEach(async () => {
  app.provider.reset();
  app.clock.advance(DAY + 3_600_000);
  await forgetProvider(app);
});

const refresh = (
  options: Partial<Omit<Run, 'job'>> = {},
  services: Partial<TestApp['app']['services']> = {},
) => refreshOrganizations({ ...app.app.services, ...services }, testRun('refresh-organizations', options));

const corporation = (id: number) =>
  app.db.selectFrom('corporations').selectAll().where('corporation_id', '=', id).executeTakeFirst();
const alliance = (id: number) =>
  app.db.selectFrom('alliances').selectAll().where('alliance_id', '=', id).executeTakeFirst();

/** A member that leads nothing. */
const memberOf = (id: number) => {
  const { world } = app.provider;
  return world.membersOf(id).find((member) => !world.character(member)?.isCeo) as number;
};

describe('the refresh of corporations and alliances', () => {
  it('D14: locks alliances before corporations, also where an administrator makes all of them due', async () => {
    await refresh();
    app.clock.advance(MINUTE);
    await meanwhile(
      app,
      'select from alliances where alliance_id = $1 for update',
      [ALLIANCE],
      () => refresh({ asked: true }),
      (other) => other.query('select from corporations for update nowait'),
    );
  });

  it('each is fetched every 40 minutes, alliances with their list; what did not change stays as it is', async () => {
    const before = await corporation(FIRST);
    const kept = await standings(app);
    const requests = await requestsOf(app, async () => expect(await refresh()).toEqual([]));
    expect(Object.fromEntries(requests)).toEqual({
      '/alliances/{alliance_id}': 3,
      '/alliances/{alliance_id}/corporations': 3,
      '/corporations/{corporation_id}': 12,
    });
    expect(await standings(app)).toEqual(kept);
    const stored = { refreshed_on: expect.any(Date), revision: expect.any(Number) };
    expect(await corporation(FIRST)).toEqual({ ...before, ...stored });
    expect((await requestsOf(app, () => refresh())).size).toBe(0);
    app.clock.advance(39 * MINUTE);
    expect((await requestsOf(app, () => refresh())).size).toBe(0);
    app.clock.advance(2 * MINUTE);
    expect(Object.fromEntries(await requestsOf(app, () => refresh()))).toEqual(Object.fromEntries(requests));
  });

  it('D52: a requested run refreshes them all', async () => {
    await refresh();
    expect((await requestsOf(app, () => refresh())).size).toBe(0);
    app.clock.advance(MINUTE);
    const before = await corporation(FIRST);
    await refresh({ asked: true });
    expect((await corporation(FIRST))?.refreshed_on).not.toEqual(before?.refreshed_on);
  });

  it('D52: a requested run refreshes, too, what the provider did not answer a moment ago', async () => {
    app.provider.faults.add(`/corporations/${SECOND}`, { kind: 'status', status: 404 });
    app.provider.faults.add(`/alliances/${OTHER_ALLIANCE}`, { kind: 'status', status: 500 });
    await refresh();
    app.provider.faults.clear();
    app.clock.advance(MINUTE);
    for (const options of [{ asked: true, dryRun: true }, { asked: true }]) {
      const requests = await requestsOf(app, () => refresh(options));
      expect(requests.get('/corporations/{corporation_id}')).toBe(12);
      expect(requests.get('/alliances/{alliance_id}')).toBe(3);
    }
    expect((await corporation(SECOND))?.refreshed_on).toEqual(app.clock.now());
  });

  it('D39: a new CEO has its level within two hours of runs; what did not change costs the provider nothing', async () => {
    const { world } = app.provider;
    await refresh();
    const successor = memberOf(FIRST);
    world.setCeo(FIRST, successor);
    app.provider.reset();
    // The provider's answers may be an hour old, so one hour remains for the service.
    for (let minutes = 0; minutes < 60; minutes += 15) {
      app.clock.advance(15 * MINUTE);
      await refresh();
    }
    expect((await userRow(app, successor))?.clearance_level).toBe(4);
    const answers = app.provider.requests.map(({ route, status }) => `${status} ${route}`);
    expect(answers.filter((answer) => !answer.startsWith('304'))).toEqual([
      '200 /corporations/{corporation_id}',
    ]);
    expect(answers).toHaveLength(18);
    world.setCeo(FIRST, CEO);
    app.clock.advance(2 * DAY);
    await refresh();
  });

  it('D39: what a clock that is ahead has refreshed is refreshed within two hours all the same', async () => {
    const ahead = { now: () => new Date(app.clock.now().getTime() + 365 * DAY) };
    await refresh({}, { clock: ahead });
    // What is stored no more than as requested has its time corrected, too.
    app.provider.faults.add(`/corporations/${SECOND}`, { kind: 'status', status: 404 });
    app.clock.advance(120 * MINUTE);
    expect((await requestsOf(app, () => refresh())).get('/corporations/{corporation_id}')).toBe(12);
    expect((await requestsOf(app, () => refresh())).size).toBe(0);
    expect((await corporation(FIRST))?.refreshed_on).toEqual(app.clock.now());
    expect((await alliance(ALLIANCE))?.refreshed_on).toEqual(app.clock.now());
  });

  it('D39: 2,000 corporations and 500 alliances in one run', async () => {
    const asked: string[] = [];
    const client = {
      ask: async ({ path }: { path: string }) => {
        asked.push(path);
        return madeAnswer(404, null);
      },
    };
    await app.db
      .transaction()
      .execute(async (tx) => {
        await sql`
        with made as (
          insert into alliances (alliance_id, alliance_name, name_key, ticker, executor_corporation_id, refreshed_on)
          select 99900000 + n, 'Many ' || n, 'many ' || n, 'M', 98900000 + n, '2000-01-01'
          from generate_series(1, 700) n
        )
        insert into corporations (corporation_id, corporation_name, name_key, ticker, alliance_id, ceo_id, ceo_name,
          refreshed_on)
        select 98900000 + n, 'Many ' || n, 'many ' || n, 'M', 99900000 + n, 1, 'Nobody', '2000-01-01'
        from generate_series(1, 700) n`.execute(tx);
        await sql`
        insert into corporations (corporation_id, corporation_name, name_key, ticker, ceo_id, ceo_name, refreshed_on)
        select 98800000 + n, 'More ' || n, 'more ' || n, 'M', 1, 'Nobody', '2000-01-01'
        from generate_series(1, 2000) n`.execute(tx);
        const services = { ...app.app.services, db: tx, client };
        await refreshOrganizations(services, testRun('refresh-organizations', { dryRun: true })).catch(
          () => undefined,
        );
        throw new Undone();
      })
      .catch((error: unknown) => {
        if (!(error instanceof Undone)) throw error;
      });
    expect(asked.filter((path) => path.startsWith('/corporations/'))).toHaveLength(2_000);
    expect(asked.filter((path) => /^\/alliances\/\d+$/.test(path))).toHaveLength(500);
  });

  it('D19: a CEO who loses the office falls to 0, the new one rises; who leads an executor, to 4', async () => {
    const { world } = app.provider;
    const successor = memberOf(FIRST);
    await setLevel(app, CEO, 4);
    world.setCeo(FIRST, successor);
    expect(await refresh()).toEqual([
      { corporation_id: FIRST, ceo: [CEO, successor] },
      { character_id: CEO, level: [4, 0] },
      { character_id: successor, level: [0, 4] },
    ]);
    expect(await corporation(FIRST)).toMatchObject({
      ceo_id: successor,
      ceo_name: world.character(successor)?.name,
    });
    world.setCeo(FIRST, CEO);
    app.clock.advance(2 * DAY);
    await refresh();
    expect(await userRow(app, CEO)).toMatchObject({ clearance_level: 4 });
  });

  it('D19: when an alliance gets another executor, the former one’s CEO falls to 2, the new one’s rises to 4', async () => {
    const { world } = app.provider;
    const executor = world.corporationsOf(ALLIANCE).find((id) => id !== FIRST) as number;
    const ceo = world.corporation(executor)?.ceoId as number;
    await setLevel(app, ceo, 2);
    world.setExecutor(ALLIANCE, executor);
    const changes = await refresh();
    expect(changes).toContainEqual({ alliance_id: ALLIANCE, executor: [FIRST, executor] });
    expect(changes).toContainEqual({ character_id: CEO, level: [4, 2] });
    expect(changes).toContainEqual({ character_id: ceo, level: [2, 4] });
    const told = (await allEvents(app.db)).filter(({ type }) => type === 'alliance.ceo_changed').at(-1);
    expect(told?.changes).toEqual([
      { field: 'executor_corporation', before: FIRST, after: executor },
      { field: 'ceo', before: CEO, after: ceo },
    ]);
    world.setExecutor(ALLIANCE, FIRST);
    app.clock.advance(2 * DAY);
    await refresh();
  });

  it('D19: the same when no corporation is due', async () => {
    const { world } = app.provider;
    const executor = world.corporationsOf(ALLIANCE).find((id) => id !== FIRST) as number;
    await setLevel(app, CEO, 4);
    world.setExecutor(ALLIANCE, executor);
    await app.db.updateTable('corporations').set({ refreshed_on: app.clock.now() }).execute();
    expect(await refresh()).toContainEqual({ character_id: CEO, level: [4, 2] });
    world.setExecutor(ALLIANCE, FIRST);
    app.clock.advance(2 * DAY);
    await refresh();
    expect(await userRow(app, CEO)).toMatchObject({ clearance_level: 4 });
  });

  it('D19: the CEO of an executor that left its alliance has lost that office already when the alliance gets another', async () => {
    const { world } = app.provider;
    const executor = world.corporationsOf(ALLIANCE).find((id) => id !== FIRST) as number;
    await setLevel(app, CEO, 4);
    world.moveCorporation(FIRST, null);
    // The provider's record of the alliance is older.
    expect(await refresh({ force: true })).toContainEqual({ character_id: CEO, level: [4, 2] });
    await setLevel(app, CEO, 5);
    world.setExecutor(ALLIANCE, executor);
    app.clock.advance(DAY);
    const changes = await refresh({ force: true });
    expect(changes).toContainEqual({ alliance_id: ALLIANCE, executor: [FIRST, executor] });
    expect(await userRow(app, CEO)).toMatchObject({ clearance_level: 5 });
    world.moveCorporation(FIRST, ALLIANCE);
    world.setExecutor(ALLIANCE, FIRST);
    app.clock.advance(DAY);
    await refresh({ force: true });
    expect(await userRow(app, CEO)).toMatchObject({ clearance_level: 4 });
  });

  it('D19: a CEO that left the corporation lost the office by that, and keeps a level that it was given elsewhere', async () => {
    const { world } = app.provider;
    const successor = memberOf(LONELY);
    const former = world.corporation(LONELY)?.ceoId as number;
    world.setCeo(LONELY, successor);
    world.moveCharacter(former, OTHER_LONELY);
    await app.db
      .updateTable('users')
      .set({ corporation_id: OTHER_LONELY, clearance_level: 6 })
      .where('character_id', '=', former)
      .execute();
    expect(await refresh()).toContainEqual({ corporation_id: LONELY, ceo: [former, successor] });
    expect(await userRow(app, former)).toMatchObject({ corporation_id: OTHER_LONELY, clearance_level: 6 });
  });

  it('an unknown new CEO is registered', async () => {
    const { world } = app.provider;
    const successor = memberOf(LONELY);
    await app.db.deleteFrom('users').where('character_id', '=', successor).execute();
    world.setCeo(LONELY, successor);
    expect(await refresh()).toContainEqual({ character_id: successor, registered: LONELY });
    expect(await userRow(app, successor)).toMatchObject({
      character_name: world.character(successor)?.name,
      clearance_level: 2,
      corporation_id: LONELY,
    });
  });

  it('new names and tickers; D18b: the autogroup gets the new name, with a suffix if another group has it', async () => {
    const { world } = app.provider;
    await app.client(app.root).group.create({ body: { group_name: 'Sworn Friends' } });
    world.renameCorporation(OTHER_LONELY, 'SWORN friends', 'SWRN');
    world.renameAlliance(OTHER_ALLIANCE, 'The New Accord', 'NEWA');
    const changes = await refresh();
    expect(changes).toHaveLength(2);
    expect(changes).toContainEqual(
      expect.objectContaining({ corporation_id: OTHER_LONELY, name: [expect.any(String), 'SWORN friends'] }),
    );
    const groups = await app.client(app.root).group.list();
    const names = groups.status === 200 ? groups.body.map(({ group_name }) => group_name) : [];
    expect(names).toContain('Sworn Friends');
    expect(names).toContain('SWORN friends (corporation 98000012)');
    expect(names).toContain('The New Accord');
  });

  it('D39: a corporation that joined an alliance is registered with its CEO, from the alliance’s list', async () => {
    const { world } = app.provider;
    await forget(app, { corporation_id: OTHER_LONELY });
    world.moveCorporation(OTHER_LONELY, OTHER_ALLIANCE);
    const ceo = world.corporation(OTHER_LONELY)?.ceoId as number;
    const changes = await refresh();
    expect(changes).toEqual([
      { corporation_id: OTHER_LONELY, registered: true },
      { character_id: ceo, registered: OTHER_LONELY },
    ]);
    expect(await corporation(OTHER_LONELY)).toMatchObject({ alliance_id: OTHER_ALLIANCE, ceo_id: ceo });
    expect(await userRow(app, ceo)).toMatchObject({ clearance_level: 2 });
    expect(await membersOf(app, { alliance_id: OTHER_ALLIANCE })).toContain(ceo);
  });

  it('members of a corporation are registered at level 0 if one of them granted reading the list', async () => {
    const { world } = app.provider;
    const lister = world.corporation(SECOND)?.ceoId as number;
    const [unknown = 0, ...others] = world.membersOf(SECOND).filter((id) => id !== lister);
    await addGrant(app, lister, ['ext-corporations.read_corporation_membership.v1']);
    await app.db
      .deleteFrom('users')
      .where('character_id', 'in', [unknown, ...others])
      .execute();
    await addGrant(app, unknown);
    await app.db
      .updateTable('users')
      .set({ clearance_level: -1, corporation_id: LONELY })
      .where('character_id', '=', unknown)
      .execute();
    const changes = await refresh();
    expect(changes.map(({ character_id }) => character_id).sort()).toEqual(others.sort());
    for (const id of others.slice(0, 3)) {
      expect(await userRow(app, id)).toMatchObject({
        character_name: world.character(id)?.name,
        clearance_level: 0,
        corporation_id: SECOND,
      });
    }
    // D28: a guest elsewhere stays one; the sync of users makes it a member where it joined.
    expect(await userRow(app, unknown)).toMatchObject({ clearance_level: -1, corporation_id: LONELY });
  });

  it('D19: a corporation that left its alliance, found before any of its members', async () => {
    const { world } = app.provider;
    const left = world.corporationsOf(ALLIANCE).find((id) => id !== FIRST) as number;
    const member = memberOf(left);
    await setLevel(app, member, 7);
    world.moveCorporation(left, null);
    const changes = await refresh({ force: true });
    expect(changes).toContainEqual({ corporation_id: left, alliance: [ALLIANCE, null] });
    expect(changes).toContainEqual({ character_id: member, level: [7, 0] });
    expect(await membersOf(app, { alliance_id: ALLIANCE })).not.toContain(member);
  });

  it('D39: a closed one keeps its last known CEO and executor, and is not fetched again at once', async () => {
    const { world } = app.provider;
    const members = world.membersOf(LONELY);
    const before = { corporation: await corporation(LONELY), alliance: await alliance(99_000_003) };
    world.closeCorporation(LONELY);
    world.closeAlliance(99_000_003);
    await refresh({ force: true });
    expect(await corporation(LONELY)).toEqual({ ...before.corporation, refreshed_on: expect.any(Date) });
    expect(await alliance(99_000_003)).toEqual({ ...before.alliance, refreshed_on: expect.any(Date) });
    expect((await requestsOf(app, () => refresh())).size).toBe(0);
    // Its members are the game's own corporation's by now (D11).
    await syncUsers(app.app.services, testRun('sync-users', { force: true }));
    expect(await userRow(app, members[0] as number)).toMatchObject({
      corporation_id: null,
      clearance_level: 0,
    });
    expect(await membersOf(app, { corporation_id: LONELY })).toEqual([]);
    expect(await untrue(app)).toEqual([]);
  });

  it('D63b: a 404 changes nothing, and it is fetched again in an hour', async () => {
    const before = await corporation(SECOND);
    app.provider.faults.add(`/corporations/${SECOND}`, { kind: 'status', status: 404 });
    expect(await refresh()).toEqual([]);
    expect(await corporation(SECOND)).toEqual({ ...before, refreshed_on: expect.any(Date) });
    expect((await requestsOf(app, () => refresh())).size).toBe(0);
    app.clock.advance(41 * MINUTE);
    expect((await requestsOf(app, () => refresh())).get('/corporations/{corporation_id}')).toBe(11);
    app.clock.advance(20 * MINUTE);
    expect((await requestsOf(app, () => refresh())).get('/corporations/{corporation_id}')).toBe(1);
  });

  it('an alliance whose list cannot be read stays due, and is fetched again in an hour', async () => {
    const { world } = app.provider;
    const joined = world.corporationsOf(OTHER_ALLIANCE).find((id) => id !== SECOND) as number;
    await forget(app, { corporation_id: joined });
    const list = `/alliances/${OTHER_ALLIANCE}/corporations` as const;
    app.provider.faults.add(list, { kind: 'status', status: 502 });
    expect(await refresh()).toEqual([]);
    app.provider.faults.clear();
    app.clock.advance(3_600_000 + 1);
    expect(await refresh()).toContainEqual({ corporation_id: joined, registered: true });
  });

  it('a corporation that cannot be fetched does not affect the others', async () => {
    const { world } = app.provider;
    world.renameCorporation(SECOND, 'Named Anew');
    app.provider.faults.add(`/corporations/${FIRST}`, { kind: 'status', status: 500 });
    expect(await refresh()).toEqual([{ corporation_id: SECOND, name: [expect.any(String), 'Named Anew'] }]);
    app.provider.faults.clear();
    app.clock.advance(41 * MINUTE);
    const others = await requestsOf(app, () => refresh());
    expect(others.get('/corporations/{corporation_id}')).toBe(11);
    app.clock.advance(20 * MINUTE);
    const requests = await requestsOf(app, () => refresh());
    expect(requests.get('/corporations/{corporation_id}')).toBe(1);
  });

  it('D52: in a dry run neither, which throws where the provider fails for everything', async () => {
    const { world, faults } = app.provider;
    const changed = { corporation_id: SECOND, name: [expect.any(String), 'Named Otherwise'] };
    world.renameCorporation(SECOND, 'Named Otherwise');
    faults.add(`/corporations/${FIRST}`, { kind: 'status', status: 500 });
    expect(await refresh({ dryRun: true })).toEqual([changed]);
    faults.add('api', { kind: 'status', status: 500 });
    await expect(refresh({ dryRun: true })).rejects.toThrow(ProviderError);
    faults.clear();
    await refresh();
  });
});

describe('D63: a provider that fails', () => {
  it.each([
    ['downtime', { kind: 'status', status: 503, as: 'html' }],
    ['404 for everything', { kind: 'status', status: 404 }],
    ['empty lists', { kind: 'empty list' }],
    ['HTML', { kind: 'not json' }],
    ['connections that break', { kind: 'reset' }],
  ] as const)('%s: nothing changes, at most 20 errors, and the next run catches up', async (_, fault) => {
    const { world } = app.provider;
    world.setCeo(SECOND, world.membersOf(SECOND).find((id) => !world.character(id)?.isCeo) as number);
    const kept = await standings(app);
    app.provider.faults.add('api', fault);
    expect(await refresh()).toEqual([]);
    expect(await standings(app)).toEqual(kept);
    expect(errorsIn(app.provider.requests)).toBeLessThanOrEqual(20);
    app.provider.faults.clear();
    app.clock.advance(3_600_000 + 61_000);
    await refresh();
    expect(await untrue(app)).toEqual([]);
  });

  it.each([1, 12, 16])('15 minutes of downtime from request %s on', async (nth) => {
    const { world } = app.provider;
    const kept = await standings(app);
    const renamed = world.corporations.filter(({ npc, closed }) => !npc && !closed);
    for (const { id } of renamed) world.renameCorporation(id, `Corporation ${id} after ${nth}`);
    const client = atRequest(app.app.services.client, nth, () => {
      app.provider.faults.downtime = true;
    });
    const changes = await refresh({}, { client });
    expect(changes.every((change) => Object.keys(change).join() === 'corporation_id,name')).toBe(true);
    expect(changes.length).toBeLessThan(renamed.length + Number(nth > renamed.length));
    expect(app.provider.faults.downtime).toBe(true);
    app.clock.advance(14 * 60_000);
    await refresh();
    expect(await standings(app)).toEqual(kept);
    expect(errorsIn(app.provider.requests)).toBeLessThanOrEqual(20);
    app.provider.faults.downtime = false;
    app.clock.advance(3_600_000 + 1);
    await refresh();
    expect(await untrue(app)).toEqual([]);
  });

  it('the guard holds a run that would take something from too many, and force lets it pass', async () => {
    const { world } = app.provider;
    const kept = await standings(app);
    world.closeAlliance(ALLIANCE);
    await refresh();
    expect(await standings(app)).toEqual(kept);
    expect(app.logged.at(-1)).toContain('approve it if it is right');
    await refresh({ force: true });
    expect(await untrue(app)).toEqual([]);
  });
});

describe('D63: downtime between the records of alliances and their lists', () => {
  let other: TestApp;

  beforeAll(async () => {
    other = await startTestApp({ provider: { alliances: 6, corporations: 26, characters: 60 } });
    await populate(other);
  });
  afterAll(() => other.stop());

  it('alliances whose lists were not requested stay due, too', async () => {
    const { world } = other.provider;
    const joined = world.alliances.flatMap(({ id, executorCorporationId }) => {
      const [corporation] = world.corporationsOf(id).filter((member) => member !== executorCorporationId);
      return corporation === undefined ? [] : [corporation];
    });
    expect(joined.length).toBeGreaterThan(4);
    for (const corporation_id of joined) await forget(other, { corporation_id });
    other.clock.advance(DAY + 3_600_000);
    const records = 26 - joined.length + 6;
    const client = atRequest(other.app.services.client, records + 1, () => {
      other.provider.faults.downtime = true;
    });
    expect(
      await refreshOrganizations({ ...other.app.services, client }, testRun('refresh-organizations')),
    ).toEqual([]);
    other.provider.faults.downtime = false;
    other.clock.advance(3_600_000 + 1);
    const changes = await refreshOrganizations(other.app.services, testRun('refresh-organizations'));
    for (const corporation_id of joined) expect(changes).toContainEqual({ corporation_id, registered: true });
  });
});

describe('D63: an outage after the first answer, which says that a corporation left its alliance', () => {
  let crowd: TestApp;

  beforeAll(async () => {
    crowd = await startTestApp({ provider: { alliances: 1, corporations: 20, characters: 600 } });
    await populate(crowd);
  });
  afterAll(() => crowd.stop());

  it('is held: its members are more than a tenth of those whom the run could look at', async () => {
    const { provider, clock } = crowd;
    const { world } = provider;
    const left = world.corporationsOf(ALLIANCE).find((id) => world.membersOf(id).length >= 20) as number;
    expect(world.membersOf(left).length).toBeLessThan(world.population / 10);
    world.moveCorporation(left, null);
    clock.advance(DAY);
    // So it is asked for first.
    await crowd.db
      .updateTable('corporations')
      .set({ refreshed_on: new Date(clock.now().getTime() - DAY) })
      .where('corporation_id', '=', left)
      .execute();
    const kept = await standings(crowd);
    const client = atRequest(crowd.app.services.client, 2, () => {
      provider.faults.downtime = true;
    });
    await refreshOrganizations({ ...crowd.app.services, client }, testRun('refresh-organizations'));
    expect(await standings(crowd)).toEqual(kept);
    expect(JSON.parse(crowd.logged.at(-1) ?? '')).toMatchObject({
      losers: world.membersOf(left).length,
      looked_at: world.membersOf(left).length,
      healthy: false,
    });
  });
});
