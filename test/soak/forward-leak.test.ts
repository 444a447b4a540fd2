import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { callAcrossUsers } from '../harness/forward-leak.ts';
import { progressOf } from './progress.ts';

/** How many calls; fewer for a quick look. */
const CALLS = Number(process.env.SOAK_FORWARDS ?? 20_000);
const SEED = Number(process.env.SOAK_SEED ?? 1);

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ env: { RATE_LIMIT: '0' } });
});
afterAll(() => app.stop());

it(`D33: of ${CALLS} calls of many users at once, in two instances, every answer belongs to its caller`, async () => {
  const figures = await callAcrossUsers(app, CALLS, SEED, progressOf('forwarded calls', CALLS));
  process.stdout.write(`${JSON.stringify({ seed: SEED, ...figures })}\n`);
  expect(figures.calls).toBeGreaterThanOrEqual(CALLS);
});
