import { once } from 'node:events';
import { type AddressInfo, createServer, Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import pino from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, type MockInstance, vi } from 'vitest';
import { RoutedClient } from '../../../server/database/client.ts';
import { openQueueDatabase, type QueueDatabase } from '../../../server/queue/queue-database.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/database.ts';
import { startProxy } from '../../harness/proxy.ts';

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

/** PostgreSQL's messages at the start of a connection that it ends at once, as while it is stopped. */
const READY_AND_GONE = Buffer.concat([
  message('R', Buffer.alloc(4)),
  message('Z', 'I'),
  message('E', 'SFATAL\0VFATAL\0C57P01\0Mterminating connection due to administrator command\0\0'),
]);
function message(type: string, content: Buffer | string): Buffer {
  const head = Buffer.from(`${type}0000`);
  head.writeInt32BE(4 + content.length, 1);
  return Buffer.concat([head, Buffer.from(content)]);
}

it('a connection that ends as it becomes ready is lost, and does not end the process', async () => {
  vi.useRealTimers();
  const server = createServer((socket) => void socket.once('data', () => socket.end(READY_AND_GONE)));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const ending = openQueueDatabase({
    databaseUrl: `postgres://castellan:none@127.0.0.1:${port}/castellan`,
    log: pino({ level: 'silent' }),
    max: 1,
  });
  ending.hurry(0);
  expect(await ending.executeSql('select 1', [])).toBeUndefined();
  await ending.close();
  await once(server.close(), 'close');
});

it('a stop waits for a statement only as long as it was told, and so does closing', async () => {
  const proxy = await startProxy(database.url);
  const frozen = openQueueDatabase({ databaseUrl: proxy.url, log: pino({ level: 'silent' }), max: 1 });
  expect(await frozen.executeSql('select 1 as one', [])).toMatchObject({ rows: [{ one: 1 }] });
  proxy.freeze();
  const waiting = frozen.executeSql('select 2', []);
  frozen.hurry(7_000);
  const ended = vi.fn();
  void waiting.then(ended);
  vi.advanceTimersByTime(6_999);
  await setImmediate();
  expect(ended).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(await waiting).toBeUndefined();
  expect(await frozen.executeSql('select 3', [])).toBeUndefined();
  await frozen.close();
  await proxy.cut();
});
