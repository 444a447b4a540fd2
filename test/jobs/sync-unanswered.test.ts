import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Fault } from '../../dev/provider/faults.ts';
import { FIRST_CHARACTER_ID } from '../../dev/world/world.ts';
import { ProviderError } from '../../server/provider/http.ts';
import { syncUsers } from '../../server/registry/sync-users.ts';
import { atRequest, errorsIn, forget, populate, standings } from '../fixtures/population.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { forgetProvider, madeAnswer, stayInTheMinute } from '../harness/provider.ts';
import { testRun } from '../harness/run.ts';
import { userRow } from '../harness/sign-in.ts';

const HOME = 98_000_001;
/** A corporation of the game itself. */
const GAME = 1_000_006;
/** Corporations that are not registered, with CEOs that are no users: all but the first one are never answered. */
const STRANGE = [98_000_005, 98_000_006, 98_000_007, 98_000_008, 98_000_009, 98_000_010];
const ANSWERED = STRANGE[0] as number;

let app: TestApp;
/** Members of {@link HOME}, of whom each moves to one of {@link STRANGE}. */
let people: readonly number[];

beforeAll(async () => {
  app = await startTestApp({ provider: { alliances: 0, corporations: 10, characters: 200 } });
  await populate(app);
  const { world } = app.provider;
  // The latest id is visited first, so the corporation that is answered comes last.
  people = world
    .membersOf(HOME)
    .filter((id) => !world.character(id)?.isCeo)
    .sort((a, b) => a - b);
});
afterAll(() => app.stop());
beforeEach(async () => {
  app.provider.reset();
  app.clock.advance(2 * 3_600_000);
  stayInTheMinute(app);
  await forgetProvider(app);
  const { world } = app.provider;
  for (const id of people) world.moveCharacter(id, HOME);
  await sync();
  for (const corporation_id of STRANGE) await forget(app, { corporation_id });
  app.clock.advance(2 * 3_600_000);
  await forgetProvider(app);
  app.provider.reset();
  for (const [n, id] of STRANGE.entries()) world.moveCharacter(people[n] ?? 0, id);
});

const sync = (services: Partial<TestApp['app']['services']> = {}, options: { dryRun?: boolean } = {}) =>
  syncUsers({ ...app.app.services, ...services }, testRun('sync-users', options));

const homes = () =>
  Promise.all(STRANGE.map(async (_, n) => (await userRow(app, people[n] ?? 0))?.corporation_id));

describe('D19: unregistered corporations for which the provider always fails', () => {
  const faults: [string, Fault][] = [
    ['5xx', { kind: 'status', status: 502 }],
    ['a record that cannot be used', { kind: 'empty list' }],
    ['connections that break', { kind: 'reset' }],
  ];

  it.each(faults)(
    '%s: who joined another one is moved all the same, and they are later',
    async (_, fault) => {
      for (const id of STRANGE.slice(1)) app.provider.faults.add(`/corporations/${id}`, fault);
      await sync();
      expect(await homes()).toEqual([ANSWERED, HOME, HOME, HOME, HOME, HOME]);
      expect(errorsIn(app.provider.requests)).toBeLessThanOrEqual(20);
      app.provider.faults.clear();
      app.clock.advance(61_000);
      await sync();
      expect(await homes()).toEqual(STRANGE);
    },
  );

  it('D52: a dry run answers the moves of all others, too, unless the provider fails for everything', async () => {
    for (const id of STRANGE.slice(1)) app.provider.faults.add(`/corporations/${id}`, { kind: 'reset' });
    const changes = await sync({}, { dryRun: true });
    expect(changes).toContainEqual({ character_id: people[0], corporation: [HOME, ANSWERED] });
    app.provider.reset();
    await forgetProvider(app);
    const client = atRequest(app.app.services.client, 2, () => {
      app.provider.faults.downtime = true;
    });
    await expect(sync({ client }, { dryRun: true })).rejects.toThrow(ProviderError);
  });

  it('D72: such a run is not whole, as who joined one of them keeps the rights that he had before, and the log names it', async () => {
    const synced = () =>
      app.db
        .selectFrom('schedules')
        .select('complete_on')
        .where('job_id', '=', 'sync-users')
        .executeTakeFirstOrThrow();
    const before = await synced();
    app.provider.faults.add(`/corporations/${ANSWERED}`, { kind: 'status', status: 502 });
    const logged = app.logged.length;
    await sync();
    expect(await homes()).toEqual([HOME, ...STRANGE.slice(1)]);
    expect(await synced()).toEqual(before);
    const lines = app.logged.slice(logged).map((line) => JSON.parse(line) as { missing?: unknown });
    expect(lines.flatMap(({ missing }) => missing ?? [])).toEqual([
      { alliances: [], corporations: [ANSWERED] },
    ]);
    app.provider.faults.clear();
    app.clock.advance(61_000);
    const began = app.clock.now();
    await sync();
    expect(await synced()).toEqual({ complete_on: began });
  });

  it('D63: a provider that fails for everything ends the run after few requests', async () => {
    const client = atRequest(app.app.services.client, 2, () => {
      app.provider.faults.downtime = true;
    });
    await sync({ client });
    const failed = app.provider.requests.filter(({ status }) => status !== 200);
    expect(failed.length).toBeGreaterThan(0);
    expect(new Set(failed.map(({ path }) => path)).size).toBeLessThanOrEqual(4);
    expect(errorsIn(app.provider.requests)).toBeLessThanOrEqual(12);
    expect(await homes()).toEqual(STRANGE.map(() => HOME));
  });
});

describe('D63: answers that leave out many characters', () => {
  let other: TestApp;

  beforeAll(async () => {
    other = await startTestApp({ provider: { alliances: 0, corporations: 10, characters: 300 } });
    await populate(other);
  });
  afterAll(() => other.stop());

  it('those are none that the run has looked at: more than a tenth of the others is held', async () => {
    const { services } = other.app;
    const { world } = other.provider;
    const answered = Array.from({ length: 180 }, (_, n) => FIRST_CHARACTER_ID + n);
    const members = answered.filter((id) => world.character(id)?.corporationId !== GAME);
    const losers = members.filter((id) => !world.character(id)?.isCeo).slice(0, 25);
    for (const id of losers) world.moveCharacter(id, GAME);
    const client: typeof services.client = {
      async ask(request) {
        const answer = await services.client.ask(request);
        if (request.path !== '/characters/affiliation') return answer;
        const rows = answer.data as { character_id: number }[];
        return madeAnswer(
          200,
          rows.filter((row) => answered.includes(row.character_id)),
        );
      },
    };
    const kept = await standings(other);
    await syncUsers({ ...services, client }, testRun('sync-users'));
    expect(await standings(other)).toEqual(kept);
    expect(JSON.parse(other.logged.at(-1) ?? '')).toMatchObject({ losers: 25, looked_at: 180 });
  });
});
