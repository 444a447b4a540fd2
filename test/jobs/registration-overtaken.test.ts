import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { registerMembers } from '../../server/alliance/alliance.ts';
import type { ProviderClient } from '../../server/provider/client.ts';
import { refreshOrganizations } from '../../server/registry/refresh-organizations.ts';
import type { Services } from '../../server/services/services.ts';
import { forget, populate } from '../fixtures/population.ts';
import { setLevel } from '../fixtures/registry.ts';
import { type Client, startTestApp, type TestApp } from '../harness/app.ts';
import { addGrant, forgetProvider, madeAnswer } from '../harness/provider.ts';
import { testRun } from '../harness/run.ts';
import { trySignIn, userRow } from '../harness/sign-in.ts';

const ALLIANCE = 99_000_001;
const DAY = 24 * 3_600_000;

let app: TestApp;
let root: Client;
beforeAll(async () => {
  app = await startTestApp({ provider: { alliances: 3, corporations: 12, characters: 200 } });
  root = app.client(app.root);
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

/**
 * Runs `register`; while it waits for names, having read the records, they change and the sync stores the new ones, with
 * these services.
 */
async function overtaken<T>(
  register: () => Promise<T>,
  change: () => unknown,
  services: Partial<Services> = {},
): Promise<T> {
  let answer = () => {};
  const until = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const held = app.provider.faults.add('POST /universe/names', { kind: 'hold', until }, { times: 1 });
  const registering = register();
  await expect.poll(() => held.strikes, { timeout: 10_000 }).toBe(1);
  await change();
  app.clock.advance(4_000);
  await forgetProvider(app);
  await refreshOrganizations(
    { ...app.app.services, ...services },
    testRun('refresh-organizations', { asked: true }),
  );
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
    const register = () => root.corporation.register({ params: { corporation_id: id } });
    const answer = await overtaken(register, () => app.provider.world.setCeo(id, next));
    expect(answer).toMatchObject({ status: 200, body: { ceo: { character_id: next } } });
    expect(await userRow(app, next)).toMatchObject({ clearance_level: 6 });
    expect(await userRow(app, former)).toMatchObject({ clearance_level: 0 });
  });

  it('nor where the list of members could not be read', async () => {
    const id = 98_000_008;
    const { former, next } = await successorIn(id);
    const lister = app.provider.world.membersOf(id).find((one) => one !== former && one !== next) as number;
    await addGrant(app, lister, ['ext-corporations.read_corporation_membership.v1']);
    app.provider.faults.add(`/corporations/${id}/members`, { kind: 'status', status: 500 });
    const register = () => root.corporation.register({ params: { corporation_id: id } });
    await overtaken(register, () => app.provider.world.setCeo(id, next));
    expect(await stored(id)).toMatchObject({ ceo_id: next });
    expect(await userRow(app, next)).toMatchObject({ clearance_level: 6 });
  });

  it('nor where the clock of the worker is behind', async () => {
    const id = 98_000_009;
    const { next } = await successorIn(id);
    const register = () => root.corporation.register({ params: { corporation_id: id } });
    const clock = { ...app.clock, now: () => new Date(app.clock.now().getTime() - 10_000) };
    await overtaken(register, () => app.provider.world.setCeo(id, next), { clock });
    expect(await stored(id)).toMatchObject({ ceo_id: next });
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

  it('D26b: a sign-in is decided by its affiliation, though the sync stored the corporation’s older record', async () => {
    const id = 98_000_011;
    const { world } = app.provider;
    const member = world.membersOf(id).find((one) => one !== world.corporation(id)?.ceoId) as number;
    await root.user.delete({ params: { character_id: member } });
    world.moveCorporation(id, null);
    await root.corporation.register({ params: { corporation_id: id } });
    world.moveCorporation(id, ALLIANCE);
    await forgetProvider(app);
    const older: ProviderClient = {
      ask: async (request) => {
        const answer = await app.app.services.client.ask(request);
        if (request.path !== `/corporations/${id}`) return answer;
        return madeAnswer(answer.status, { ...(answer.data as object), alliance_id: undefined });
      },
    };
    const signingIn = () => trySignIn(app, { characterId: member });
    const { status } = await overtaken(signingIn, () => undefined, { client: older });
    expect(status).toBe(302);
    expect(await userRow(app, member)).toMatchObject({ corporation_id: id });
    expect(await stored(id)).toMatchObject({ alliance_id: ALLIANCE });
  });

  it('a corporation that has left its alliance is not put back by register-alliance-members', async () => {
    const id = 98_000_012;
    const { world } = app.provider;
    await forget(app, { corporation_id: id });
    world.moveCorporation(id, ALLIANCE);
    const leaves = async () => {
      world.moveCorporation(id, null);
      await forgetProvider(app);
      await root.corporation.register({ params: { corporation_id: id } });
    };
    await overtaken(() => registerMembers(app.app.services, ALLIANCE), leaves);
    expect(await stored(id)).toMatchObject({ alliance_id: null });
  });
});
