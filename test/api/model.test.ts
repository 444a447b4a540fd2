import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { compareWithModel } from '../harness/model/run.ts';

/** Usually half a minute; a busy machine needs longer. */
const TIME_LIMIT = 5 * 60_000;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

it(
  '40 random sequences of changes leave the registry as the rules say, and as the events tell it',
  async () => {
    const successes = await compareWithModel(app, 40);
    // Most kinds of steps succeeded at least once.
    expect(Object.keys(successes).length).toBeGreaterThan(12);
    expect(app.logged.filter((line) => line.includes('uncaught'))).toEqual([]);
  },
  TIME_LIMIT,
);
