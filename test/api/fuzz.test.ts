import { afterAll, beforeAll, expect, it } from 'vitest';
import { snapshot } from '../harness/dump.ts';
import { fuzz, sendUnacceptable } from '../harness/fuzz/run.ts';
import { type FuzzedApp, startFuzzedApp } from '../harness/fuzz/stage.ts';
import { type Problem, send } from '../harness/send.ts';

/** Usually some seconds; a busy machine needs longer. */
const TIME_LIMIT = 5 * 60_000;

/** Statuses that some of the requests must have got. */
const ANSWERS = [200, 201, 401, 403, 404, 409, 413, 422];

let app: FuzzedApp;
beforeAll(async () => {
  app = await startFuzzedApp();
});
afterAll(() => app.stop());

it(
  '1,280 random requests to every operation are answered as the contract says, none with a crash',
  async () => {
    const statuses: Record<string, number> = {};
    const reached = new Set<string>();
    const lacksSome = () => reached.size <= 70 || ANSWERS.some((status) => statuses[status] === undefined);
    // Rare answers may need more of them.
    for (let round = 0; round === 0 || (round < 6 && lacksSome()); round++) {
      const done = await fuzz(app, 1_280);
      for (const [status, count] of Object.entries(done.statuses))
        statuses[status] = (statuses[status] ?? 0) + count;
      for (const operation of Object.keys(done.reached)) reached.add(operation);
    }
    // The generator makes requests that pass validation as well as ones that do not.
    for (const status of ANSWERS) {
      expect(
        statuses[status] ?? 0,
        `answers with ${status} among ${JSON.stringify(statuses)}`,
      ).toBeGreaterThan(0);
    }
    // Most operations succeeded at least once, with existing ids.
    expect(reached.size).toBeGreaterThan(70);
  },
  TIME_LIMIT,
);

it(
  'a body that the contract does not accept changes nothing',
  async () => {
    let before: Awaited<ReturnType<typeof snapshot>> = {};
    const sent = await sendUnacceptable(app, 100, async () => {
      before = await snapshot(app.databaseUrl);
    });
    expect(sent).toBe(100);
    expect(await snapshot(app.databaseUrl)).toEqual(before);
  },
  TIME_LIMIT,
);

it.each([
  ['wrong types', Array.from({ length: 10_000 }, () => 17)],
  ['empty names', Array.from({ length: 10_000 }, () => '')],
])('10,000 %s in a list are a 422 that explains the first hundred', async (_, members) => {
  const token = app.root;
  const path = `/group/${'ab'.repeat(12)}`;
  const answer = await send<Problem>(app, 'PUT', path, { token, body: { members } });
  expect(answer.status).toBe(422);
  expect(answer.json.detail).toHaveLength(100);
  expect(answer.text.length).toBeLessThan(20_000);
});
