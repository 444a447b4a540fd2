import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { compareWithModel } from '../harness/model/run.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

it('200 random sequences of changes leave the registry as the rules say', async () => {
  await compareWithModel(app, 200);
  expect(app.logged.filter((line) => line.includes('uncaught'))).toEqual([]);
}, 5 * 60_000);
