import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { ExtScope } from '../../contract/scopes.ts';
import { location } from '../../dev/world/character-sheet.ts';
import { collectors } from '../../server/history/collect.ts';
import { addGrants } from '../fixtures/grants.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { empty } from '../harness/database.ts';
import { forgetProvider } from '../harness/provider.ts';
import { testRun } from '../harness/run.ts';

const HOUR = 3_600_000;
const STRUCTURES: ExtScope = 'ext-universe.read_structures.v1';
const SCOPES: readonly ExtScope[] = [
  'ext-location.read_location.v1',
  'ext-location.read_online.v1',
  'ext-location.read_ship_type.v1',
  STRUCTURES,
];

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp({ provider: { corporations: 20, characters: 300 } });
  await app.app.services.document.current();
});
afterAll(() => app.stop());
beforeEach(async () => {
  app.clock.advance(2 * HOUR - (app.clock.now().getTime() % HOUR));
  app.provider.reset();
  await forgetProvider(app);
  await empty(app.db, 'users', 'character_locations');
});

/** Adds users with grants, and keeps only those whom the game shows in a structure. */
async function addPeopleInStructures(among: number): Promise<readonly number[]> {
  const { world } = app.provider;
  const ids = await addGrants(app, among, SCOPES);
  const inside = ids.filter((id) => {
    const character = world.character(id);
    return character !== undefined && location(world, character).structure_id !== undefined;
  });
  await app.db.deleteFrom('users').where('character_id', 'not in', inside).execute();
  return inside;
}

const collect = () => collectors['collect-locations'](app.app.services, testRun('collect-locations'));
const locations = () => app.db.selectFrom('character_locations').selectAll().execute();
/** The characters as whom the provider was asked for a structure. */
const askers = () =>
  app.provider.requests.flatMap(({ path, characterId }) =>
    path.includes('/universe/structures/') ? [characterId] : [],
  );

it('D33: structures that refuse themselves cost a run 10 errors, and those under way, and each character one; every location is kept', async () => {
  const ids = await addPeopleInStructures(280);
  expect(ids.length).toBeGreaterThan(10 + 10 + 7);
  app.provider.faults.add('/universe/structures/*', { kind: 'status', status: 403 });
  await collect();
  expect(await locations()).toHaveLength(ids.length);
  const first = askers().length;
  expect(first).toBeGreaterThanOrEqual(10);
  expect(first).toBeLessThanOrEqual(10 + 7);
  app.clock.advance(HOUR);
  await collect();
  expect(await locations()).toHaveLength(2 * ids.length);
  expect(askers().length).toBeGreaterThan(first);
  expect(new Set(askers()).size).toBe(askers().length);
});

it('D36: a structure that refused itself is asked for again after a day', async () => {
  await addPeopleInStructures(40);
  app.provider.faults.add('/universe/structures/*', { kind: 'status', status: 403 }, { times: 1 });
  await collect();
  const unnamed = (await locations()).filter(({ structure_name }) => structure_name?.startsWith('#'));
  expect(unnamed).toHaveLength(1);
  const [{ character_id: characterId, structure_id } = { character_id: 0, structure_id: 0 }] = unnamed;
  const path = `/universe/structures/${structure_id}`;
  const request = { path, as: { characterId, scope: STRUCTURES }, on: 'service' } as const;
  const { client } = app.app.services;
  expect(await client.ask({ ...request, cacheRefusal: true })).toMatchObject({ status: 403, kept: true });
  app.clock.advance(25 * HOUR);
  expect((await client.ask({ ...request, cacheRefusal: true })).status).toBe(200);
});

it('D30: a refusal that is kept does not answer those who forward the request', async () => {
  const [characterId = 0] = await addGrants(app, 1, [STRUCTURES]);
  const path = '/universe/structures/1030000000000';
  app.provider.faults.add('/universe/structures/*', { kind: 'status', status: 403 });
  const request = { path, as: { characterId, scope: STRUCTURES }, on: 'service' } as const;
  const { client } = app.app.services;
  await client.ask({ ...request, cacheRefusal: true });
  expect((await client.ask(request)).kept).toBeUndefined();
  expect(askers()).toHaveLength(2);
});
