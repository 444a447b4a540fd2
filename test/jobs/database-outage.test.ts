import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { letIn } from '../fixtures/registry.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { type DatabaseProxy, startProxy } from '../harness/proxy.ts';
import { type Receiver, startReceiver } from '../harness/receiver.ts';

let app: TestApp;
let proxy: DatabaseProxy;
let receiver: Receiver;
const rejected: unknown[] = [];
const note = (error: unknown) => rejected.push(error);

beforeAll(async () => {
  process.on('unhandledRejection', note);
  receiver = await startReceiver();
  app = await startTestApp({
    worker: true,
    env: { CALLBACK_ALLOW_PRIVATE: 'true' },
    databaseBy: async (url) => {
      proxy = await startProxy(url);
      return proxy.url;
    },
  });
  await letIn(app, { corporations: [98_000_011] });
});
beforeEach(() => void rejected.splice(0));
afterAll(async () => {
  process.off('unhandledRejection', note);
  await app.stop();
  await receiver.stop();
});

describe('the database fails while a job runs', () => {
  it('the process survives, and the job’s end is stored once the database is back', async () => {
    let answer = (): void => undefined;
    receiver.answer = (response) => {
      answer = () => response.writeHead(204).end();
    };
    const [member = 0] = app.provider.world.membersOf(98_000_011);
    await app.signIn(member, { dyn: await app.dynamicToken(receiver.callback) });
    await expect.poll(() => receiver.received.length, { timeout: 60_000 }).toBe(1);
    await proxy.cut();
    const complaints = () => app.logged.filter((line) => line.includes('job queue')).length;
    const before = complaints();
    answer();
    await expect.poll(complaints, { timeout: 60_000 }).toBeGreaterThan(before);
    await proxy.mend();
    const states = async () =>
      (await sql`select state::text from pgboss.job where name = 'deliver-sign-in'`.execute(app.db)).rows;
    await expect.poll(states, { timeout: 60_000 }).toEqual([{ state: 'completed' }]);
    expect(receiver.received).toHaveLength(1);
    expect(rejected).toEqual([]);
  });
});
