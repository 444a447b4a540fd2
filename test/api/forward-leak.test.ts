import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { callAcrossUsers } from '../harness/forward-leak.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ env: { RATE_LIMIT: '0' } });
});
afterAll(() => app.stop());

it('D33: of 400 concurrent calls of many users to two instances, every answer belongs to its caller', async () => {
  const { calls, personal, refused, asked } = await callAcrossUsers(app, 400, 1);
  expect(calls).toBe(400);
  expect(personal).toBeGreaterThan(200);
  expect(refused).toBeGreaterThan(20);
  // Some answers came from the cache, others did not.
  expect(asked).toBeGreaterThan(40);
  expect(asked).toBeLessThan(360);
});
