import { afterAll, beforeAll, expect, it } from 'vitest';
import { ok } from '../../sdk/src/index.ts';
import { syncUsers } from '../../server/registry/sync-users.ts';
import { populate } from '../fixtures/population.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { follow, headOf, present } from '../harness/replay.ts';
import { testRun } from '../harness/run.ts';

let app: TestApp;
let coalition_id: string;
beforeAll(async () => {
  app = await startTestApp({ provider: { alliances: 3, corporations: 9, characters: 60 } });
  coalition_id = await populate(app);
  await syncUsers(app.app.services, testRun('sync-users', { force: true }));
  // Records that were inserted directly get their autogroup with their first change.
  await changeCoalition('remove_member_alliances');
  await changeCoalition('add_member_alliances');
});
afterAll(() => app.stop());

async function changeCoalition(change: 'add_member_alliances' | 'remove_member_alliances'): Promise<void> {
  const alliance_id = app.provider.world.alliances[0]?.id ?? 0;
  const { coalition } = app.client(app.root);
  await ok(coalition.update({ params: { coalition_id }, body: { [change]: [alliance_id] } }));
}

it('D91: the events of job runs and of changes between them rebuild users, rights and groups', async () => {
  const { world } = app.provider;
  const [known, since] = [await present(app), await headOf(app)];
  const players = world.corporations.filter(({ npc, closed }) => !npc && !closed);
  const members = players
    .flatMap(({ id }) => world.membersOf(id))
    .filter((id) => !world.character(id)?.isCeo);
  for (let round = 0; round < 3; round += 1) {
    for (let n = 0; n < 6; n += 1) {
      const to = players[(n * 5 + round) % players.length]?.id ?? 0;
      world.moveCharacter(members[(round * 17 + n * 7) % members.length] ?? 0, to);
    }
    app.clock.advance(2 * 3_600_000);
    await changeCoalition(round % 2 === 0 ? 'remove_member_alliances' : 'add_member_alliances');
    await syncUsers(app.app.services, testRun('sync-users', { force: true }));
  }
  expect(await headOf(app)).toBeGreaterThan(since + 10);
  await follow(app, known, since);
  expect(known).toEqual(await present(app));
});
