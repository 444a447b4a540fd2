import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { compareWithModel } from '../harness/model/run.ts';

/** Usually some seconds; a busy machine needs longer. */
const TIME_LIMIT = 5 * 60_000;

/** Some thousands belong to a release (`npm run soak`). */
const SEQUENCES = 10;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

it(
  `${SEQUENCES} random sequences of changes leave the registry as the rules say, and as the events tell it`,
  async () => {
    const successes = await compareWithModel(app, SEQUENCES);
    expect(Object.keys(successes).length).toBeGreaterThan(7);
    // Usually about six steps of each succeed; which kinds they are is chance in so few sequences.
    const steps = Object.values(successes).reduce((sum, count) => sum + count, 0);
    expect(steps).toBeGreaterThan(2 * SEQUENCES);
    expect(app.logged.filter((line) => line.includes('uncaught'))).toEqual([]);
  },
  TIME_LIMIT,
);
