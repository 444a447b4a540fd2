import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { checkReach } from '../harness/reach/run.ts';

const PLANS = 50;
/** Half a minute as a rule; a machine may be busy with much else. */
const TIME_LIMIT = 5 * 60_000;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

it(
  `D14, D100: after ${PLANS} random sequences of calls nobody below level 9, nor two of them together, reaches more than was given`,
  async () => {
    const successes = await checkReach(app, PLANS);

    for (const tried of ['update coalition', 'set policy', 'join group', 'leave group', 'link'] as const) {
      expect(successes[tried], tried).toBeGreaterThan(0);
    }
    expect(app.logged.filter((line) => line.includes('uncaught'))).toEqual([]);
  },
  TIME_LIMIT,
);
