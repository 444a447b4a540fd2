import pino from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { openQueueDatabase, type QueueDatabase } from '../../../server/queue/queue-database.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/database.ts';

/** Milliseconds: the longest interval between two polls. */
const POLL = 60_000;

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

let queue: QueueDatabase;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  queue = openQueueDatabase({ databaseUrl: database.url, log: pino({ level: 'silent' }), max: 3 });
});
afterEach(async () => {
  vi.useRealTimers();
  await queue.close();
});

/** The backends that answer as many statements at a time, sorted. */
async function backends(count: number): Promise<number[]> {
  const ask = () => queue.executeSql('select pg_backend_pid() as pid', []);
  const answers = await Promise.all(Array.from({ length: count }, ask));
  return answers
    .flatMap(({ rows }) => (rows as { pid: number }[]).map(({ pid }) => pid))
    .sort((a, b) => a - b);
}

it('connections stay open from one poll to the next', async () => {
  const first = await backends(3);
  expect(new Set(first).size).toBe(3);
  vi.advanceTimersByTime(POLL);
  expect(await backends(3)).toEqual(first);
});

it('one stays open for ever, the others go when they are not used', async () => {
  const first = await backends(3);
  vi.advanceTimersByTime(2 * POLL);
  const [one] = await backends(1);
  expect(first).toContain(one);
  const after = await backends(3);
  expect(after.filter((pid) => first.includes(pid))).toEqual([one]);
});
