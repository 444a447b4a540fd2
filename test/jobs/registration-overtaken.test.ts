import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { registerMembers } from '../../server/alliance/alliance.ts';
import { refreshOrganizations } from '../../server/registry/refresh-organizations.ts';
import { populate } from '../fixtures/population.ts';
import { setLevel } from '../fixtures/registry.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { forgetProvider } from '../harness/provider.ts';
import { testRun } from '../harness/run.ts';
import { userRow } from '../harness/sign-in.ts';

const ALLIANCE = 99_000_001;
const DAY = 24 * 3_600_000;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ provider: { alliances: 3, corporations: 12, characters: 200 } });
  await populate(app);
});
afterAll(() => app.stop());
beforeEach(async () => {
  app.clock.advance(DAY);
  await forgetProvider(app);
});
afterEach(() => app.provider.reset());

const stored = (corporation_id: number) =>
  app.db
    .selectFrom('corporations')
    .select(['alliance_id', 'ceo_id'])
    .where('corporation_id', '=', corporation_id)
    .executeTakeFirstOrThrow();

/** Runs `register`; while it waits for names, having read the records, they change and the sync stores the new ones. */
async function overtaken<T>(register: () => Promise<T>, change: () => void): Promise<T> {
  let answer = () => {};
  const until = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const held = app.provider.faults.add('POST /universe/names', { kind: 'hold', until }, { times: 1 });
  const registering = register();
  await expect.poll(() => held.strikes, { timeout: 10_000 }).toBe(1);
  change();
  app.clock.advance(4_000);
  await forgetProvider(app);
  await refreshOrganizations(app.app.services, testRun('refresh-organizations', { asked: true }));
  answer();
  return registering;
}

/** A member of the corporation who becomes its CEO, with level 6, and the present one. */
async function successorIn(corporation: number) {
  const { world } = app.provider;
  const former = world.corporation(corporation)?.ceoId as number;
  const next = world.membersOf(corporation).find((id) => id !== former) as number;
  await setLevel(app, next, 6);
  return { former, next };
}

describe('D19, D39: a registration that took long does not undo what the sync found meanwhile', () => {
  it('the new CEO stays CEO, and keeps the level', async () => {
    const id = 98_000_011;
    const { former, next } = await successorIn(id);
    const register = () => app.client(app.root).corporation.register({ params: { corporation_id: id } });
    const answer = await overtaken(register, () => app.provider.world.setCeo(id, next));
    expect(answer).toMatchObject({ status: 200, body: { ceo: { character_id: next } } });
    expect(await userRow(app, next)).toMatchObject({ clearance_level: 6 });
    expect(await userRow(app, former)).toMatchObject({ clearance_level: 0 });
  });

  it('nor does the sign-in of a member, who is admitted', async () => {
    const id = 98_000_010;
    const { world } = app.provider;
    const { former, next } = await successorIn(id);
    const member = world.membersOf(id).find((one) => one !== former && one !== next) as number;
    // Its record is read where its alliance has changed.
    await app.db
      .updateTable('corporations')
      .set({ alliance_id: null })
      .where('corporation_id', '=', id)
      .execute();
    await overtaken(
      () => app.signIn(member),
      () => world.setCeo(id, next),
    );
    expect(await stored(id)).toMatchObject({ ceo_id: next });
  });

  it('a corporation that has left its alliance is not put back by register-alliance-members', async () => {
    const id = 98_000_012;
    const { world } = app.provider;
    world.moveCorporation(id, null);
    await app.client(app.root).corporation.register({ params: { corporation_id: id } });
    expect(await stored(id)).toMatchObject({ alliance_id: null });
    world.moveCorporation(id, ALLIANCE);
    await forgetProvider(app);
    await overtaken(
      () => registerMembers(app.app.services, ALLIANCE),
      () => world.moveCorporation(id, null),
    );
    expect(await stored(id)).toMatchObject({ alliance_id: null });
  });
});
