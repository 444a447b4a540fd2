import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FIRST_CHARACTER_ID } from '../../dev/world/world.ts';
import type { Run } from '../../server/queue/run.ts';
import { followNames } from '../../server/registry/follow-names.ts';
import { allEvents } from '../fixtures/events.ts';
import { atRequest, errorsIn, populate, requestsOf, standings } from '../fixtures/population.ts';
import { addUser } from '../fixtures/users.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { forgetProvider } from '../harness/provider.ts';
import { testRun } from '../harness/run.ts';
import { userRow } from '../harness/sign-in.ts';

const POPULATION = 2_500;
const [CEO, MEMBER, LAST] = [2_112_000_003, 2_112_000_700, 2_112_000_000 + POPULATION];

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp({ provider: { alliances: 2, corporations: 8, characters: POPULATION } });
  await populate(app);
});
afterAll(() => app.stop());
beforeEach(async () => {
  app.provider.reset();
  app.clock.advance(25 * 3_600_000);
  await forgetProvider(app);
});

const follow = (
  options: Partial<Omit<Run, 'job'>> = {},
  services: Partial<TestApp['app']['services']> = {},
) => followNames({ ...app.app.services, ...services }, testRun('follow-names', options));

/** What the corporations of these CEOs call them, by id. */
async function ceoNames(ids: readonly number[]): Promise<string[]> {
  const led = app.db.selectFrom('corporations').where('ceo_id', 'in', ids);
  const corporations = await led.select('ceo_name').orderBy('ceo_id').execute();
  return corporations.map(({ ceo_name }) => ceo_name);
}

/** Stores another name of these CEOs, as the registration of their corporations does. */
async function nameCeo(ids: readonly number[], ceo_name: string): Promise<void> {
  await app.db.updateTable('corporations').set({ ceo_name }).where('ceo_id', 'in', ids).execute();
}

describe('D38: the sync follows renames', () => {
  it('names of all users in requests of 1,000; only new ones are written', async () => {
    const { world } = app.provider;
    const former = world.character(MEMBER)?.name;
    world.renameCharacter(MEMBER, 'Somebody Else');
    const before = await userRow(app, LAST);
    const requests = await requestsOf(app, async () => {
      expect(await follow({ dryRun: true })).toEqual([
        { character_id: MEMBER, name: [former, 'Somebody Else'] },
      ]);
    });
    expect(Object.fromEntries(requests)).toEqual({ '/universe/names': 3 });
    expect(await userRow(app, MEMBER)).toMatchObject({ character_name: former });
    await follow();
    expect(await userRow(app, MEMBER)).toMatchObject({
      character_name: 'Somebody Else',
      name_key: 'somebody else',
    });
    expect(await userRow(app, LAST)).toEqual(before);
    const found = await app.client(app.root).user.get({ params: { character_name: 'Somebody Else' } });
    expect(found).toMatchObject({ status: 200, body: { character_id: MEMBER } });
  });

  it('names of CEOs, in their corporations too, users or not', async () => {
    const { world } = app.provider;
    await app.db.deleteFrom('users').where('character_id', '=', CEO).execute();
    world.renameCharacter(CEO, 'The Old Chief');
    world.renameCharacter(CEO + 1, 'The New Chief');
    await follow();
    expect(await ceoNames([CEO, CEO + 1])).toEqual(['The Old Chief', 'The New Chief']);
    expect(await userRow(app, CEO)).toBeUndefined();
  });

  it('D91: the new name of a CEO is an event of its corporation, whether the CEO is a user or not', async () => {
    const { world } = app.provider;
    await app.db.deleteFrom('users').where('character_id', '=', CEO).execute();
    await follow();
    const known = (await allEvents(app.db)).length;
    const former = [CEO, CEO + 1].map((id) => world.character(id)?.name);
    world.renameCharacter(CEO, 'The Next Chief');
    world.renameCharacter(CEO + 1, 'The Other Chief');
    await follow();
    const told = (n: number, name: string) => ({
      type: 'corporation.ceo_changed',
      targets: [{ type: 'corporation', name: expect.any(String) }],
      changes: [{ field: 'ceo_name', before: former[n], after: name }],
    });
    expect((await allEvents(app.db)).slice(known)).toMatchObject([
      { type: 'user.renamed', targets: [{ id: String(CEO + 1), name: 'The Other Chief' }] },
      told(0, 'The Next Chief'),
      told(1, 'The Other Chief'),
    ]);
    await follow();
    expect(await allEvents(app.db)).toHaveLength(known + 3);
  });

  it('D38: of two users with one name, the renamed one is found by it, as it was seen last', async () => {
    const { world } = app.provider;
    const name = world.character(MEMBER + 1)?.name ?? '';
    world.renameCharacter(MEMBER + 1, 'Gone Elsewhere');
    world.renameCharacter(MEMBER + 2, name);
    await follow();
    const found = await app.client(app.root).user.get({ params: { character_name: name } });
    expect(found).toMatchObject({ body: { character_id: MEMBER + 2 } });
  });

  it('a sign-in during the run takes precedence', async () => {
    const { world } = app.provider;
    world.renameCharacter(MEMBER, 'Passing By');
    const { client } = app.app.services;
    const late: typeof client = {
      async ask(request) {
        const answer = await client.ask(request);
        if (request.body?.includes(MEMBER)) {
          const users = app.db.updateTable('users').where('character_id', '=', MEMBER);
          await users.set({ character_name: 'Known Better' }).execute();
        }
        return answer;
      },
    };
    await follow({}, { client: late });
    expect(await userRow(app, MEMBER)).toMatchObject({ character_name: 'Known Better' });
  });

  it('D38, D91: a registration during the run takes precedence, and the run tells no other name of its CEO', async () => {
    const { world } = app.provider;
    await app.db.deleteFrom('users').where('character_id', '=', CEO).execute();
    for (const id of [CEO, CEO + 1]) world.renameCharacter(id, `Passing By ${id}`);
    const { client } = app.app.services;
    const late: typeof client = {
      async ask(request) {
        const answer = await client.ask(request);
        if (request.body?.includes(CEO)) await nameCeo([CEO, CEO + 1], 'Known Better');
        return answer;
      },
    };
    const known = (await allEvents(app.db)).length;
    await follow({}, { client: late });
    expect(await ceoNames([CEO, CEO + 1])).toEqual(['Known Better', 'Known Better']);
    const told = (await allEvents(app.db)).slice(known).map(({ type }) => type);
    expect(told).toContain('user.renamed');
    expect(told).not.toContain('corporation.ceo_changed');
  });

  it('D38: the name of a CEO that is a user is followed in a corporation that knows it by a former one, too', async () => {
    await nameCeo([CEO + 1], 'A Name Long Past');
    app.provider.world.renameCharacter(CEO + 1, 'The Present Chief');
    await follow();
    expect(await userRow(app, CEO + 1)).toMatchObject({ character_name: 'The Present Chief' });
    expect(await ceoNames([CEO + 1])).toEqual(['The Present Chief']);
  });

  it('an id without a name is requested apart, and not again for a day', async () => {
    const stranger = 2_199_999_999;
    await addUser(app, { id: stranger });
    const { world } = app.provider;
    world.renameCharacter(LAST, 'Beside A Stranger');
    await follow();
    expect(await userRow(app, LAST)).toMatchObject({ character_name: 'Beside A Stranger' });
    expect(await userRow(app, stranger)).toMatchObject({ character_name: `Character ${stranger}` });
    expect((await requestsOf(app, () => follow())).get('/universe/names')).toBe(3);
    await app.db.deleteFrom('users').where('character_id', '=', stranger).execute();
  });

  it('ids without a name keep no user from its turn, however far behind them a CEO is that is no user', async () => {
    const [behind, chief] = [LAST - 2, LAST - 1];
    const unnamed = [1, 2, 3].map((n) => FIRST_CHARACTER_ID - n);
    const { world } = app.provider;
    for (const id of unnamed) await addUser(app, { id });
    const rows = unnamed.map((id) => ({ id, name: null, category: null, known_on: app.clock.now() }));
    await app.db.insertInto('names').values(rows).execute();
    await app.db.deleteFrom('users').where('character_id', '=', chief).execute();
    await app.db
      .updateTable('corporations')
      .set({ ceo_id: chief, ceo_name: world.character(chief)?.name ?? '' })
      .where('ceo_id', '=', FIRST_CHARACTER_ID)
      .execute();
    world.renameCharacter(behind, 'Nobody Passed Over');
    expect((await requestsOf(app, () => follow())).get('/universe/names')).toBe(3);
    expect(await userRow(app, behind)).toMatchObject({ character_name: 'Nobody Passed Over' });
    await app.db.deleteFrom('users').where('character_id', 'in', unnamed).execute();
  });

  it.each([
    ['downtime', { kind: 'status', status: 503, as: 'html' }],
    ['404 for everything', { kind: 'status', status: 404 }],
    ['empty lists', { kind: 'empty list' }],
    ['HTML', { kind: 'not json' }],
  ] as const)('D63: %s changes nothing and costs at most 20 errors', async (_, fault) => {
    const unnamed = () => app.db.selectFrom('names').selectAll().execute();
    const [kept, resting] = [await standings(app), await unnamed()];
    app.provider.faults.add('api', fault);
    expect(await follow()).toEqual([]);
    expect(await standings(app)).toEqual(kept);
    expect(errorsIn(app.provider.requests)).toBeLessThanOrEqual(20);
    expect(await unnamed()).toEqual(resting);
  });

  it('the next run goes on after the last page that was answered', async () => {
    const { world } = app.provider;
    world.renameCharacter(LAST, 'The Last One');
    await follow();
    world.renameCharacter(LAST, 'The Very Last One');
    const client = atRequest(app.app.services.client, 2, () => {
      app.provider.faults.downtime = true;
    });
    expect(await follow({}, { client })).toEqual([]);
    app.provider.faults.downtime = false;
    app.clock.advance(61_000);
    expect((await requestsOf(app, () => follow())).get('/universe/names')).toBe(2);
    expect(await userRow(app, LAST)).toMatchObject({ character_name: 'The Very Last One' });
  });
});
