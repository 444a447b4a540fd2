import { Socket } from 'node:net';
import pino from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, type MockInstance, vi } from 'vitest';
import { RoutedClient } from '../../../server/database/client.ts';
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
let connect: MockInstance;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  connect = vi.spyOn(RoutedClient.prototype, 'connect');
  queue = openQueueDatabase({ databaseUrl: database.url, log: pino({ level: 'silent' }), max: 3 });
});
afterEach(async () => {
  vi.useRealTimers();
  connect.mockRestore();
  await queue.close();
});

/** How many connections have been opened once as many statements were answered at a time. */
async function openedFor(count: number): Promise<number> {
  await Promise.all(Array.from({ length: count }, () => queue.executeSql('select 1', [])));
  return connect.mock.calls.length;
}

it('connections stay open from one poll to the next', async () => {
  expect(await openedFor(3)).toBe(3);
  vi.advanceTimersByTime(POLL);
  expect(await openedFor(3)).toBe(3);
});

it('one that is idle is probed, before a network can forget it', async () => {
  const alive = vi.spyOn(Socket.prototype, 'setKeepAlive');
  await openedFor(1);
  expect(alive.mock.calls).toEqual([[true, 30_000]]);
  alive.mockRestore();
});

it('one stays open for ever, the others go when they are not used', async () => {
  expect(await openedFor(3)).toBe(3);
  vi.advanceTimersByTime(2 * POLL);
  expect(await openedFor(1)).toBe(3);
  expect(await openedFor(3)).toBe(5);
});
