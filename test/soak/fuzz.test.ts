import { afterAll, beforeAll, expect, it } from 'vitest';
import { OPERATIONS } from '../harness/fuzz/requests.ts';
import { fuzz } from '../harness/fuzz/run.ts';
import { type FuzzedApp, startFuzzedApp } from '../harness/fuzz/stage.ts';
import { progressOf } from './progress.ts';

/** How many requests; a release sees a million. */
const REQUESTS = Number(process.env.SOAK_REQUESTS ?? 1_000_000);

let app: FuzzedApp;
beforeAll(async () => {
  app = await startFuzzedApp();
});
afterAll(() => app.stop());

it(
  `${REQUESTS} random requests are answered as the contract says, none with a crash`,
  async () => {
    const { statuses, reached } = await fuzz(app, REQUESTS, progressOf('requests', REQUESTS));
    process.stdout.write(`${JSON.stringify(statuses)}\n${JSON.stringify(reached)}\n`);
    const never = [...OPERATIONS.keys()].filter((operation) => reached[operation] === undefined);
    process.stdout.write(`never done: ${never.join()}\n`);
    const answered = Object.values(statuses).reduce((sum, count) => sum + count, 0);
    expect(answered).toBeGreaterThanOrEqual(REQUESTS);
  },
  12 * 3_600_000,
);
