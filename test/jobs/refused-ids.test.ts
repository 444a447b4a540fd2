import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { FIRST_CHARACTER_ID } from '../../dev/world/world.ts';
import { followNames } from '../../server/registry/follow-names.ts';
import { syncUsers } from '../../server/registry/sync-users.ts';
import { populate, untrue } from '../fixtures/population.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { empty } from '../harness/database.ts';
import { madeAnswer } from '../harness/provider.ts';
import { testRun } from '../harness/run.ts';

/** A page and a short one. */
const POPULATION = 1_200;
const CORPORATIONS = 20;
const LAST = FIRST_CHARACTER_ID + POPULATION - 1;
const DAY = 24 * 3_600_000;
/** Maximum number of errors that one run may cause within the provider's error limit. */
const MOST_ERRORS = 20;

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp({
    provider: { alliances: 2, corporations: CORPORATIONS, characters: POPULATION },
  });
  await populate(app);
});
afterAll(() => app.stop());
beforeEach(() => empty(app.db, 'names', 'run_cursors'));

/** Services whose provider refuses every bulk request that contains one of these ids. */
function refusing(bad: ReadonlySet<number>) {
  const { services } = app.app;
  const spent = { errors: 0 };
  const client: typeof services.client = {
    async ask(request) {
      if (!request.body?.some((id) => bad.has(id))) return services.client.ask(request);
      spent.errors += 1;
      if (request.tally !== undefined) request.tally.errors += 1;
      return madeAnswer(400, { error: 'Invalid character ID' });
    },
  };
  return { services: { ...services, client }, spent };
}

async function sync(bad: ReadonlySet<number>) {
  const { services, spent } = refusing(bad);
  const changes = await syncUsers(services, testRun('sync-users', { force: true }));
  expect(spent.errors).toBeLessThanOrEqual(MOST_ERRORS);
  return changes;
}

/** Moves every fiftieth character that is no CEO into the next corporation. */
function moveSome(from: number): number[] {
  const { world } = app.provider;
  const ids = Array.from({ length: POPULATION }, (_, n) => FIRST_CHARACTER_ID + n);
  const moved = ids.filter((id, n) => n % 50 === from % 50 && !world.character(id)?.isCeo);
  for (const id of moved) {
    const next = (world.character(id)?.corporationId ?? 0) + 1;
    world.moveCharacter(id, next > 98_000_000 + CORPORATIONS || next < 98_000_001 ? 98_000_001 : next);
  }
  return moved;
}

async function resting(): Promise<Set<number>> {
  const users = app.db.selectFrom('users').select('character_id').where('refused_on', 'is not', null);
  return new Set((await users.execute()).map((user) => user.character_id));
}

/** Places in the order of visits. */
const places = fc.uniqueArray(fc.nat(POPULATION - 1), { minLength: 1, maxLength: 5 });
/** Two in different quarters of a page; a dozen neighbours, first or last; the ends of both pages. */
const examples: [number[]][] = [
  [[100, 600]],
  [Array.from({ length: 12 }, (_, n) => n)],
  [Array.from({ length: 12 }, (_, n) => 999 - n)],
  [[0, 999, 1_000, POPULATION - 1]],
];

it('D63: after as many runs as there are refused ids all of them rest, and everybody else is followed', async () => {
  let moves = 0;
  const property = fc.asyncProperty(places, async (at) => {
    const bad = new Set(at.map((place) => LAST - place));
    moves += 1;
    moveSome(moves);
    for (let run = 0; run < bad.size; run += 1) await sync(bad);
    expect(await resting()).toEqual(bad);
    const left = (await untrue(app)) as { readonly character_id?: number }[];
    expect(left.filter(({ character_id = 0 }) => !bad.has(character_id))).toEqual([]);
    await app.db.updateTable('users').set({ refused_on: null }).execute();
  });
  await fc.assert(property, { numRuns: 6, examples });
});

it('D63: of a page whose refused ids end the run, those are followed who were answered', async () => {
  const bad = new Set([1, 2, 4, 8, 16].map((place) => LAST - place));
  const moved = [...moveSome(3), ...moveSome(0)];
  const followed = (await sync(bad)).filter((change) => 'corporation' in change);
  expect(followed.length).toBeGreaterThan(0);
  expect(followed.length).toBeLessThan(moved.length);
  await app.db.updateTable('users').set({ refused_on: null }).execute();
});

it('D38: ids whose names the provider refuses do not keep the others from being followed, day after day', async () => {
  const bad = new Set([3, 250, 251, 600, 900].map((place) => FIRST_CHARACTER_ID + place));
  const { world } = app.provider;
  const renamed = [4, 249, 601, 1_100].map((place) => FIRST_CHARACTER_ID + place);
  for (const id of renamed) world.renameCharacter(id, `New name of ${id}`);
  for (let day = 0; day < bad.size; day += 1) {
    const { services, spent } = refusing(bad);
    await followNames(services, testRun('follow-names'));
    expect(spent.errors).toBeLessThanOrEqual(MOST_ERRORS);
    app.clock.advance(DAY);
  }
  const users = app.db
    .selectFrom('users')
    .select('character_id')
    .where('character_name', 'like', 'New name%');
  expect((await users.execute()).map((user) => user.character_id).toSorted()).toEqual(renamed);
});

it('D38: nor do ids that it refuses now, but named before, keep those of the pages behind', async () => {
  const bad = [3, 250, 600, 900].map((place) => FIRST_CHARACTER_ID + place);
  const known_on = app.clock.now();
  await app.db
    .insertInto('names')
    .values(bad.map((id) => ({ id, name: `Former name of ${id}`, category: 'character', known_on })))
    .execute();
  app.provider.world.renameCharacter(LAST, 'Name at the end');
  for (let day = 0; day < 2; day += 1) {
    await followNames(refusing(new Set(bad)).services, testRun('follow-names'));
    app.clock.advance(DAY);
  }
  const last = app.db.selectFrom('users').select('character_name').where('character_id', '=', LAST);
  expect(await last.execute()).toEqual([{ character_name: 'Name at the end' }]);
});

it('D38: nor does a page that the provider cannot answer, day after day, keep the others from being followed', async () => {
  const { services } = app.app;
  const poison = FIRST_CHARACTER_ID + 3;
  const client: typeof services.client = {
    ask: (request) =>
      request.body?.includes(poison) ? Promise.resolve(madeAnswer(500, null)) : services.client.ask(request),
  };
  app.provider.world.renameCharacter(LAST, 'Name behind a page without an answer');
  for (let day = 0; day < 3; day += 1) {
    await followNames({ ...services, client }, testRun('follow-names'));
    app.clock.advance(DAY);
  }
  const last = app.db.selectFrom('users').select('character_name').where('character_id', '=', LAST);
  expect(await last.execute()).toEqual([{ character_name: 'Name behind a page without an answer' }]);
});
