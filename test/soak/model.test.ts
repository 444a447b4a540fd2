import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { compareWithModel } from '../harness/model/run.ts';
import { progressOf } from './progress.ts';

/** How many sequences; at least the 2,000 of a release. */
const SEQUENCES = Number(process.env.SOAK_SEQUENCES ?? 2_000);

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

it(`${SEQUENCES} random sequences of changes leave the registry as the rules say`, async () => {
  const successes = await compareWithModel(app, SEQUENCES, progressOf('sequences', SEQUENCES));
  process.stdout.write(`${JSON.stringify(successes)}\n`);
  for (const count of Object.values(successes)) expect(count).toBeGreaterThan(SEQUENCES / 200);
  expect(app.logged.filter((line) => line.includes('uncaught'))).toEqual([]);
}, 3_600_000);
