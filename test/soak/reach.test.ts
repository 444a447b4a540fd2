import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { checkReach } from '../harness/reach/run.ts';
import { progressOf } from './progress.ts';

/** How many registries, each with a sequence of calls; at least the 2,000 of a release. */
const REGISTRIES = Number(process.env.SOAK_REGISTRIES ?? 2_000);

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

it(`D14: in ${REGISTRIES} random registries nobody's calls, nor those of two together, reach more than was given`, async () => {
  const successes = await checkReach(app, REGISTRIES, progressOf('registries', REGISTRIES));
  for (const count of Object.values(successes)) expect(count).toBeGreaterThan(REGISTRIES / 20);
  expect(app.logged.filter((line) => line.includes('uncaught'))).toEqual([]);
}, 3_600_000);
