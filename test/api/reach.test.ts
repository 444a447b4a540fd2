import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { checkReach } from '../harness/reach/run.ts';

const PLANS = 6;
/** Kinds of calls that must succeed for the result to be meaningful; rare ones may need more plans. */
const NEEDED = ['update coalition', 'set policy', 'join group', 'leave group', 'link'] as const;
/** Usually some seconds; a busy machine needs longer. */
const TIME_LIMIT = 5 * 60_000;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

it(
  `D14, D100: after ${PLANS} random sequences of calls nobody below level 9, nor two of them together, reaches more than was given`,
  async () => {
    const seen = new Set<string>();
    for (let round = 0; round === 0 || (round < 48 && NEEDED.some((tried) => !seen.has(tried))); round++) {
      for (const [tried, successes] of Object.entries(await checkReach(app, PLANS))) {
        if (successes > 0) seen.add(tried);
      }
    }
    expect([...seen]).toEqual(expect.arrayContaining([...NEEDED]));
    expect(app.logged.filter((line) => line.includes('uncaught'))).toEqual([]);
  },
  TIME_LIMIT,
);
