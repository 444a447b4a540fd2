import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { inTransaction } from '../../server/database/transaction.ts';
import type { ProviderAnswer } from '../../server/provider/answer.ts';
import { createGameApi } from '../../server/provider/api.ts';
import type { ProviderClient, ProviderRequest } from '../../server/provider/client.ts';
import { saveNames } from '../../server/provider/names.queries.ts';
import { followNames } from '../../server/registry/follow-names.ts';
import { fetchAlliance, fetchCorporation, fetchMembers } from '../../server/registry/provider-snapshot.ts';
import { refreshOrganizations } from '../../server/registry/refresh-organizations.ts';
import { saveSnapshot } from '../../server/registry/save-snapshot.ts';
import { syncUsers } from '../../server/registry/sync-users.ts';
import { forget, populate, requestsOf } from '../fixtures/population.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { addGrant, expireAccessTokens, forgetProvider, madeAnswer } from '../harness/provider.ts';
import { testRun } from '../harness/run.ts';
import { userRow } from '../harness/sign-in.ts';

const [FIRST, SECOND, LONELY, OTHER_LONELY] = [98_000_001, 98_000_002, 98_000_011, 98_000_012];
const OTHER_ALLIANCE = 99_000_002;
const HOUR = 3_600_000;
/** Longer than an index entry may be, and incompressible. */
const LONG = Array.from({ length: 10_000 }, (_, n) =>
  String.fromCodePoint(0x4e00 + ((n * 7919) % 20_000)),
).join('');

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp({ provider: { alliances: 3, corporations: 12, characters: 400 } });
  await populate(app);
});
afterAll(() => app.stop());
beforeEach(async () => {
  app.provider.reset();
  app.clock.advance(25 * HOUR);
  await forgetProvider(app);
});

/** A provider client that replaces the answers to some requests. */
function answering(change: (request: ProviderRequest, data: never) => unknown): ProviderClient {
  return {
    async ask(request): Promise<ProviderAnswer> {
      const answer = await app.app.services.client.ask(request);
      return { ...answer, data: change(request, answer.data as never) };
    },
  };
}

/** A member that leads nothing. */
const memberOf = (id: number) => {
  const { world } = app.provider;
  return world.membersOf(id).find((member) => !world.character(member)?.isCeo) as number;
};

describe('answers that contradict themselves', () => {
  it('one stranger is the CEO of two new corporations', async () => {
    const { world } = app.provider;
    const stranger = world.corporation(OTHER_LONELY)?.ceoId as number;
    const movers = world
      .membersOf(FIRST)
      .filter((id) => !world.character(id)?.isCeo)
      .slice(0, 2);
    await forget(app, { corporation_id: LONELY });
    await forget(app, { corporation_id: OTHER_LONELY });
    world.moveCharacter(movers[0] as number, LONELY);
    world.moveCharacter(movers[1] as number, OTHER_LONELY);
    const client = answering(({ path }, data: object) =>
      path === `/corporations/${LONELY}` ? { ...data, ceo_id: stranger } : data,
    );
    await syncUsers({ ...app.app.services, client }, testRun('sync-users', { force: true }));
    expect(await userRow(app, movers[0] as number)).toMatchObject({ corporation_id: LONELY });
    expect(await userRow(app, stranger)).toMatchObject({ clearance_level: 2 });
  });

  it('an alliance’s list names a corporation twice, and two of its members share a CEO', async () => {
    const { world } = app.provider;
    await forget(app, { alliance_id: 99_000_002 });
    const [a = 0, b = 0] = world.corporationsOf(99_000_002);
    const client = answering(({ path }, data: object) =>
      path === `/corporations/${a}` ? { ...data, ceo_id: world.corporation(b)?.ceoId } : data,
    );
    const api = createGameApi(client);
    const alliance = await fetchAlliance(api, 99_000_002);
    const { snapshot } = await fetchMembers(api, 99_000_002, [a, b, b]);
    if (alliance === undefined) throw new Error('gone');
    await inTransaction(app.db, (tx) => saveSnapshot(tx, alliance, app.clock.now()));
    await inTransaction(app.db, (tx) => saveSnapshot(tx, snapshot, app.clock.now()));
    expect(await userRow(app, world.corporation(b)?.ceoId as number)).toBeDefined();
  });
});

describe('one bad entry among many', () => {
  it.each([
    ['is no object', () => 7],
    ['has an id that is none', (entry: object) => ({ ...entry, corporation_id: 'unknown' })],
    ['is in corporation 0', (entry: object) => ({ ...entry, corporation_id: 0 })],
    ['is in alliance 0', (entry: object) => ({ ...entry, alliance_id: 0 })],
  ])('that %s: the others are where they are', async (_, spoil) => {
    const [mover = 0, other = 0] = app.provider.world
      .membersOf(FIRST)
      .filter((id) => !app.provider.world.character(id)?.isCeo);
    app.provider.world.moveCharacter(mover, LONELY);
    app.provider.world.moveCharacter(other, LONELY);
    const client = answering(({ path }, data: { character_id: number }[]) =>
      path === '/characters/affiliation'
        ? data.map((entry) => (entry.character_id === mover ? spoil(entry) : entry))
        : data,
    );
    await syncUsers({ ...app.app.services, client }, testRun('sync-users', { force: true }));
    expect(await userRow(app, other)).toMatchObject({ corporation_id: LONELY });
    expect(await userRow(app, mover)).toMatchObject({ corporation_id: FIRST });
    await syncUsers(app.app.services, testRun('sync-users', { force: true }));
    expect(await userRow(app, mover)).toMatchObject({ corporation_id: LONELY });
  });

  it('an answer with nothing but bad entries counts as a failure', async () => {
    const client = answering((_, data: unknown[]) => data.map(() => 7));
    const names = createGameApi(client).names([FIRST, SECOND]);
    await expect(names).rejects.toThrow('unusable answer to /universe/names');
  });

  it('null means “none”, as an absent field does', async () => {
    const [id = 0] = app.provider.world.membersOf(LONELY);
    const client = answering(({ path }, data: object[]) =>
      path === '/characters/affiliation'
        ? data.map((entry) => ({ alliance_id: null, ...entry }))
        : { executor_corporation_id: null, ceo_id: null, alliance_id: null, ...data },
    );
    const api = createGameApi(client);
    expect(await api.affiliations([id])).toEqual([{ character_id: id, corporation_id: LONELY }]);
    expect(await api.corporation(LONELY)).toMatchObject({ alliance_id: undefined });
  });
});

describe('an id that the provider refuses', () => {
  it.each([400, 404, 422])('D39: with %s counts as an id that it does not know', async (status) => {
    app.provider.faults.add(`/corporations/${LONELY}`, { kind: 'status', status });
    const answer = await app.client(app.root).corporation.register({ params: { corporation_id: LONELY } });
    expect(answer).toMatchObject({ status: 404, body: { detail: `Could not find corporation ${LONELY}` } });
  });
});

describe('a name of characters that cannot be stored', () => {
  it.each(['name', 'ticker'])('D3b: a %s of U+0000 alone makes the answer unusable', async (field) => {
    const client = answering((_, data: object) => ({ ...data, [field]: '\0' }));
    const api = createGameApi(client);
    await expect(api.corporation(LONELY)).rejects.toThrow(`unusable answer to /corporations/${LONELY}`);
    await expect(api.alliance(99_000_001)).rejects.toThrow('unusable answer to /alliances/99000001');
  });
});

describe('whom the provider names otherwise than as a character', () => {
  it.each([
    ['without a name', { name: '' }],
    ['with a name that cannot be stored', { name: '\0' }],
    ['as a corporation', { category: 'corporation' }],
  ])('%s: is no user, neither as a CEO nor as a member', async (_, odd) => {
    const { world } = app.provider;
    const ceo = world.corporation(LONELY)?.ceoId as number;
    await addGrant(app, memberOf(LONELY), ['ext-corporations.read_corporation_membership.v1']);
    const client = answering(({ path }, data: object[]) => {
      if (path === '/universe/names') return data.map((entry) => ({ ...entry, ...odd }));
      return path === `/corporations/${LONELY}/members` ? [...data, OTHER_ALLIANCE] : data;
    });
    const found = await fetchCorporation(createGameApi(client), LONELY);
    expect(found).toMatchObject({ corporations: [{ ceo_id: ceo, ceo_name: null }], characters: [] });
    await refreshOrganizations({ ...app.app.services, client }, testRun('refresh-organizations'));
    expect(await userRow(app, OTHER_ALLIANCE)).toBeUndefined();
  });
});

describe('a name that the provider has lost', () => {
  it('stays as it was', async () => {
    const { names } = app.app.services;
    const name = (await names.find([SECOND], 'service')).names.get(SECOND);
    expect(name).toBeTypeOf('string');
    app.clock.advance(8 * 24 * HOUR);
    await saveNames(app.db, [{ id: SECOND, name: null, category: null }], app.clock.now());
    expect((await names.find([SECOND], 'service')).names.get(SECOND)).toBe(name);
  });
});

describe('an empty answer', () => {
  it('D63: does not count as a healthy provider, and what the guard holds stays held', async () => {
    await app.db
      .insertInto('held_changes')
      .values({ job_id: 'sync-users', fingerprint: 'held', runs: 2, counted_on: app.clock.now() })
      .execute();
    const client: ProviderClient = { ask: async () => madeAnswer(404, null) };
    expect(await syncUsers({ ...app.app.services, client }, testRun('sync-users'))).toEqual([]);
    const held = app.db.selectFrom('held_changes').select('runs').where('job_id', '=', 'sync-users');
    expect(await held.execute()).toEqual([{ runs: 2 }]);
  });
});

describe('names that no index can hold', () => {
  it('of a corporation, an alliance, a character', async () => {
    const { world } = app.provider;
    world.renameCorporation(SECOND, LONG);
    world.renameAlliance(99_000_001, LONG);
    await refreshOrganizations(app.app.services, testRun('refresh-organizations'));
    const { alliance_name } = await app.db
      .selectFrom('alliances')
      .select('alliance_name')
      .where('alliance_id', '=', 99_000_001)
      .executeTakeFirstOrThrow();
    expect(alliance_name).toBe(LONG.slice(0, 100));
    const id = world.membersOf(FIRST).findLast((member) => !world.character(member)?.isCeo) as number;
    world.renameCharacter(id, LONG);
    await followNames(app.app.services, testRun('follow-names'));
    expect(await userRow(app, id)).toMatchObject({ character_name: LONG.slice(0, 100) });
    expect(await followNames(app.app.services, testRun('follow-names'))).toEqual([]);
  });
});

describe('lists of members', () => {
  it('a lister whose refresh token is dead is left to the check', async () => {
    const lister = memberOf(FIRST);
    await addGrant(app, lister, ['ext-corporations.read_corporation_membership.v1']);
    await expireAccessTokens(app);
    app.provider.world.handOver(lister);
    await refreshOrganizations(app.app.services, testRun('refresh-organizations'));
    const grants = await app.db.selectFrom('grants').selectAll().where('character_id', '=', lister).execute();
    expect(grants).toMatchObject([{ valid: true, next_check_on: new Date(0) }]);
  });

  it('D33: a used-up rate limit of a lister holds up nothing: the next one reads the list', async () => {
    const { world } = app.provider;
    const listers = world.membersOf(LONELY).slice(-2);
    for (const id of listers) await addGrant(app, id, ['ext-corporations.read_corporation_membership.v1']);
    const list = app.provider.faults.add(
      `/corporations/${LONELY}/members`,
      { kind: 'status', status: 429, retryAfter: 900 },
      { times: 1 },
    );
    const refresh = () => refreshOrganizations(app.app.services, testRun('refresh-organizations'));
    const requests = await requestsOf(app, refresh);
    expect(list.strikes).toBe(1);
    expect(requests.get('/corporations/{corporation_id}/members')).toBeGreaterThan(1);
    expect((await requestsOf(app, refresh)).size).toBe(0);
  });

  it('a list that cannot be read does not keep a new CEO from being found', async () => {
    const { world } = app.provider;
    const lister = memberOf(FIRST);
    await addGrant(app, lister, ['ext-corporations.read_corporation_membership.v1']);
    const successor = world
      .membersOf(FIRST)
      .find((id) => !world.character(id)?.isCeo && id !== lister) as number;
    world.setCeo(FIRST, successor);
    app.provider.faults.add(`/corporations/${FIRST}/members`, { kind: 'status', status: 500 });
    const changes = await refreshOrganizations(app.app.services, testRun('refresh-organizations'));
    expect(changes).toContainEqual({ corporation_id: FIRST, ceo: [expect.any(Number), successor] });
    const again = () =>
      requestsOf(app, () => refreshOrganizations(app.app.services, testRun('refresh-organizations')));
    expect((await again()).size).toBe(0);
    app.clock.advance((HOUR * 3) / 4);
    expect((await again()).get('/corporations/{corporation_id}')).toBe(11);
    app.clock.advance(HOUR / 4 + 1);
    const asked = await again();
    expect(asked.get('/corporations/{corporation_id}')).toBe(1);
    expect(asked.get('/corporations/{corporation_id}/members')).toBe(1);
  });
});
