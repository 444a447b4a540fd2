import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startWorker } from '../../jobs/worker.ts';
import { ok } from '../../sdk/src/index.ts';
import { connect } from '../../server/database/connection.ts';
import { createLog } from '../../server/observability/log.ts';
import { MEMBERSHIP_SCOPE } from '../../server/provider/api.ts';
import type { Run } from '../../server/queue/run.ts';
import { refreshOrganizations } from '../../server/registry/refresh-organizations.ts';
import { syncUsers } from '../../server/registry/sync-users.ts';
import { forget, populate } from '../fixtures/population.ts';
import { addHome, addMember, addUser, makeToken, uuidOf } from '../fixtures/users.ts';
import { type Client, startTestApp, type TestApp } from '../harness/app.ts';
import { addGrant, forgetProvider, stayInTheMinute } from '../harness/provider.ts';
import { testRun } from '../harness/run.ts';

const MINUTE = 60_000;
const UNHEARD_OF = 'A'.repeat(43);

let app: TestApp;
let root: Client;
let administrator: Client;
/** A corporation with many members, which leaves its alliance in every test. */
let corporation: number;
let alliance: number;

beforeAll(async () => {
  app = await startTestApp({
    env: { JOB_SCHEDULES: 'sync-users=*/30 * * * *' },
    provider: { alliances: 2, corporations: 4, characters: 160 },
  });
  root = app.client(app.root);
  await populate(app);
  await addUser(app, { id: 9_001, level: 9 });
  administrator = app.client((await makeToken(app, 'per', 9_001, uuidOf(app.root))).jwt);
  const { world } = app.provider;
  const sized = world.alliances
    .flatMap(({ id }) => world.corporationsOf(id))
    .map((id) => ({ id, size: world.membersOf(id).length }));
  corporation = sized.reduce((most, each) => (each.size > most.size ? each : most)).id;
  alliance = world.corporation(corporation)?.allianceId ?? 0;
});
afterAll(() => app.stop());

/** Puts the corporation into its alliance in registry and game, and then lets it leave in the game. */
beforeEach(async () => {
  await recover();
  app.provider.world.moveCorporation(corporation, alliance);
  await sync({ force: true });
  expect(await held()).toEqual([]);
  await recover();
  app.provider.world.moveCorporation(corporation, null);
});

async function recover(): Promise<void> {
  app.clock.advance(2 * 60 * MINUTE);
  stayInTheMinute(app);
  await forgetProvider(app);
}

const sync = (options: Partial<Omit<Run, 'job'>> = {}) =>
  syncUsers(app.app.services, testRun('sync-users', options));
const refresh = async (options: Partial<Omit<Run, 'job'>> = {}) => {
  await forgetProvider(app);
  return refreshOrganizations(app.app.services, testRun('refresh-organizations', options));
};
const held = () => ok(administrator.system.held());
const approve = (held_id: string, job_id = 'sync-users') =>
  root.system.runJob({ params: { job_id }, query: { approve: held_id } });

async function allianceOf(id: number): Promise<number | null> {
  return (await ok(root.corporation.get({ params: { corporation_id: id } }))).alliance?.alliance_id ?? null;
}

describe('D63: GET /system/held', () => {
  it('is for level 9', async () => {
    await addHome(app);
    const { jwt } = await addMember(app, 8_001, 8);
    expect(await app.client(jwt).system.held()).toMatchObject({ status: 403 });
    expect(await app.client(jwt).system.runJob({ params: { job_id: 'sync-users' } })).toMatchObject({
      status: 403,
    });
  });

  it('shows what a run would change, organizations first, how often it was found, and when it will pass', async () => {
    await sync();
    const [change, ...others] = await held();
    const members = app.provider.world.membersOf(corporation);
    const now = app.clock.now();
    expect(others).toEqual([]);
    expect(change).toMatchObject({
      job_id: 'sync-users',
      losers: members.length,
      first_found_on: now.toISOString(),
      found_on: now.toISOString(),
      found: 1,
      needed: 3,
      more: 0,
    });
    expect(change?.looked_at).toBeGreaterThan(members.length);
    const { corporation_name } = await ok(root.corporation.get({ params: { corporation_id: corporation } }));
    expect(change?.details[0]).toEqual({
      target: { type: 'corporation', id: String(corporation), name: corporation_name },
      field: 'alliance',
      before: alliance,
      after: null,
    });
    const [member = 0] = members;
    const { character_name } = await ok(root.user.get({ params: { character_name: String(member) } }));
    expect(change?.details).toContainEqual({
      target: { type: 'user', id: String(member), name: character_name },
      field: 'alliance',
      before: alliance,
      after: null,
    });
    // Two more runs must find it, half an hour apart: the job runs on the hour and the half hour.
    const passes = Date.parse(change?.passes_on ?? '');
    expect(passes % (30 * MINUTE)).toBe(0);
    expect(passes - now.getTime()).toBeGreaterThanOrEqual(60 * MINUTE);
    expect(passes - now.getTime()).toBeLessThan(120 * MINUTE);
  });

  it('shows it, too, where the run has but one connection, as others wait for its locks in all others', async () => {
    const { db, close } = connect({
      url: app.databaseUrl,
      log: createLog('silent'),
      poolSize: 1,
      connectedWithin: 1_000,
    });
    await syncUsers({ ...app.app.services, db }, testRun('sync-users'));
    await close();
    expect(await held()).toMatchObject([{ job_id: 'sync-users', found: 1 }]);
  });

  it('counts runs that find the same, and no longer lists it when it has passed', async () => {
    await sync();
    const [first] = await held();
    app.clock.advance(31 * MINUTE);
    await sync();
    const [second] = await held();
    const { held_id, first_found_on } = first ?? {};
    expect(second).toMatchObject({ held_id, first_found_on, found: 2 });
    expect(second?.found_on).toBe(app.clock.now().toISOString());
    app.clock.advance(31 * MINUTE);
    await sync();
    expect(await held()).toEqual([]);
    expect(await allianceOf(corporation)).toBeNull();
  });

  it('begins a new count where another run finds another alliance for the corporation', async () => {
    const { world } = app.provider;
    const other = world.alliances.map(({ id }) => id).find((id) => id !== alliance) as number;
    for (const to of [null, other, null]) {
      world.moveCorporation(corporation, to);
      await forgetProvider(app);
      await sync();
      expect(await held()).toMatchObject([{ found: 1 }]);
      app.clock.advance(31 * MINUTE);
    }
    expect(await allianceOf(corporation)).toBe(alliance);
  });

  it('records an event that level 9 finds in the audit by the id of the held change', async () => {
    await sync();
    const [change] = await held();
    const query = { target: `held_change:${change?.held_id}` };
    const [event] = await ok(administrator.audit.list({ query }));
    expect(event).toMatchObject({ type: 'registry.change_held', outcome: 'held' });
    expect(event?.changes).toContainEqual({
      field: `corporation:${corporation} alliance`,
      before: alliance,
      after: null,
    });
  });
});

describe('D63: what is held, while the provider fails', () => {
  const failing: [string, string, number][] = [
    ['its record fails', '', 502],
    ['it is not known', '', 404],
    ['the list of its members fails', '/members', 502],
  ];

  it.each(failing)(
    'is not forgotten where %s: it is looked for again in the next run',
    async (_, below, status) => {
      const { world, faults } = app.provider;
      await addGrant(app, world.corporation(corporation)?.ceoId as number, [MEMBERSHIP_SCOPE]);
      await refresh();
      const [found] = await held();
      expect(found).toMatchObject({ job_id: 'refresh-organizations', found: 1 });
      app.clock.advance(15 * MINUTE);
      faults.add(`/corporations/${corporation}${below}`, { kind: 'status', status });
      await refresh();
      faults.clear();
      expect(await held()).toMatchObject([{ held_id: found?.held_id }]);
      app.clock.advance(15 * MINUTE);
      await refresh();
      expect(await held()).toMatchObject([{ held_id: found?.held_id, found: 2 }]);
      app.clock.advance(30 * MINUTE);
      await refresh();
      expect(await held()).toEqual([]);
      expect(await allianceOf(corporation)).toBeNull();
    },
  );

  it('is counted though another record fails every time: that is put off for an hour', async () => {
    const { world, faults } = app.provider;
    world.moveCorporation(corporation, alliance);
    const other = world.corporations.find(({ npc, id }) => !npc && id !== corporation)?.id as number;
    faults.add(`/corporations/${other}`, { kind: 'status', status: 502 });
    await refresh();
    world.moveCorporation(corporation, null);
    app.clock.advance(45 * MINUTE);
    await refresh();
    expect(await held()).toMatchObject([{ found: 1 }]);
    app.clock.advance(20 * MINUTE);
    await refresh();
    app.clock.advance(15 * MINUTE);
    await refresh();
    expect(await held()).toMatchObject([{ found: 2 }]);
    faults.clear();
    await refresh({ force: true });
  });

  it('is counted again though a record begins to fail for good: that is put off after an hour', async () => {
    const { world, faults } = app.provider;
    await refresh();
    expect(await held()).toMatchObject([{ found: 1 }]);
    const other = world.corporations.find(({ npc, id }) => !npc && id !== corporation)?.id as number;
    faults.add(`/corporations/${other}`, { kind: 'status', status: 502 });
    for (const minutes of [15, 50]) {
      app.clock.advance(minutes * MINUTE);
      await refresh();
      expect(await held()).toMatchObject([{ found: 1 }]);
    }
    app.clock.advance(15 * MINUTE);
    await refresh();
    expect(await held()).toMatchObject([{ found: 2 }]);
    faults.clear();
    await refresh({ force: true });
  });

  it('is counted by the sync, too, though the new corporation that somebody joined fails every time', async () => {
    const { world, faults } = app.provider;
    const isAlone = ({ id, npc, allianceId }: (typeof world.corporations)[number]) =>
      !npc && allianceId === null && id !== corporation;
    const joined = world.corporations.find(isAlone)?.id as number;
    const joiner = world.membersOf(corporation).find((id) => !world.character(id)?.isCeo) as number;
    await forget(app, { corporation_id: joined });
    world.moveCharacter(joiner, joined);
    faults.add(`/corporations/${joined}`, { kind: 'status', status: 502 });
    for (const found of [1, 2]) {
      await sync();
      expect(await held()).toMatchObject([{ job_id: 'sync-users', found }]);
      await recover();
    }
    await sync();
    expect(await held()).toEqual([]);
    expect(await allianceOf(corporation)).toBeNull();
    faults.clear();
    world.moveCharacter(joiner, corporation);
  });

  it('is not forgotten where its record alone fails in a later sync', async () => {
    const { faults } = app.provider;
    await sync();
    const [found] = await held();
    await recover();
    faults.add(`/corporations/${corporation}`, { kind: 'status', status: 502 });
    await sync();
    expect(await held()).toMatchObject([{ held_id: found?.held_id, found: 1 }]);
    faults.clear();
  });
});

describe('D63: POST /system/job/{job_id}?approve=', () => {
  it('applies exactly that, and nothing that was added since', async () => {
    await sync();
    const approved = (await held())[0]?.held_id;
    const { world } = app.provider;
    const [, also = 0] = world.membersOf(world.corporationsOf(alliance)[0] ?? 0);
    const home = world.character(also)?.corporationId ?? 0;
    world.moveCharacter(also, corporation);
    await recover();
    await sync({ approved });
    expect(await allianceOf(corporation)).toBe(alliance);
    const [changed] = await held();
    expect(changed?.held_id).not.toBe(approved);
    world.moveCharacter(also, home);
    await recover();
    await sync({ approved });
    expect(await held()).toEqual([]);
    expect(await allianceOf(corporation)).toBeNull();
  });

  it('applies no move to another alliance where leaving for none was approved', async () => {
    await sync();
    const approved = (await held())[0]?.held_id;
    const { world } = app.provider;
    const other = world.alliances.map(({ id }) => id).find((id) => id !== alliance) as number;
    world.moveCorporation(corporation, other);
    await recover();
    await sync({ approved });
    expect(await allianceOf(corporation)).toBe(alliance);
    const [changed] = await held();
    expect(changed).toMatchObject({ found: 1 });
    expect(changed?.held_id).not.toBe(approved);
  });

  it('applies no loss of login permission where only leaving was approved', async () => {
    await sync();
    const approved = (await held())[0]?.held_id;
    // The coalition that lets its members log in reaches them by the alliance alone now.
    const [direct] = await app.db
      .deleteFrom('coalition_corporations')
      .where('corporation_id', '=', corporation)
      .returningAll()
      .execute();
    await sync({ approved });
    const [changed] = await held();
    await app.db
      .insertInto('coalition_corporations')
      .values(direct ?? [])
      .execute();
    expect(await allianceOf(corporation)).toBe(alliance);
    expect(changed?.held_id).not.toBe(approved);
    expect(changed?.details.map(({ field }) => field)).toContain('may_log_in');
  });

  it('is possible, after a run that was asked for, until a run that looked at the same finds nothing', async () => {
    const { world } = app.provider;
    world.moveCorporation(corporation, alliance);
    await refresh({ force: true });
    world.moveCorporation(corporation, null);
    app.clock.advance(10 * MINUTE);
    await refresh({ asked: true });
    const [found] = await held();
    expect(found).toMatchObject({ job_id: 'refresh-organizations' });
    app.clock.advance(15 * MINUTE);
    await refresh();
    expect(await held()).toMatchObject([{ held_id: found?.held_id }]);
    await refresh({ approved: found?.held_id });
    expect(await allianceOf(corporation)).toBeNull();
    expect(await held()).toEqual([]);
  });

  it('is a 404 for an id that is not held by this job, and needs level 10', async () => {
    const notHeld = { status: 404, body: { detail: `Could not find held change ${UNHEARD_OF}` } };
    expect(await approve(UNHEARD_OF)).toMatchObject(notHeld);
    await sync();
    const [change] = await held();
    expect(await approve(change?.held_id ?? '', 'judge-memberships')).toMatchObject({ status: 404 });
    expect(await approve('47DEQpj8')).toMatchObject({ status: 422 });
    const query = { approve: change?.held_id };
    const asked = administrator.system.runJob({ params: { job_id: 'sync-users' }, query });
    expect(await asked).toMatchObject({ status: 403 });
  });

  it('enqueues a run that applies it, and records in the audit who approved what', async () => {
    await sync();
    const [change] = await held();
    await ok(approve(change?.held_id ?? ''));
    await startWorker(app.app.services);
    await expect.poll(() => allianceOf(corporation)).toBeNull();
    expect(await held()).toEqual([]);
    const query = { target: `held_change:${change?.held_id}`, type: 'job.requested' };
    expect(await ok(root.audit.list({ query }))).toMatchObject([
      { actor: { kind: 'app' }, targets: [{ type: 'job', id: 'sync-users' }, { type: 'held_change' }] },
    ]);
  });
});
