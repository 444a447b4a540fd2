import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Listening, listen } from '../../server/http/listen.ts';
import { READER_LIMITS, type ReaderLimits } from '../../server/http/readers.ts';

const MIB = 1024 * 1024;
/** More than the buffers of any system take on both sides. */
const LARGE = Buffer.alloc(32 * MIB, 'x');
/** Limits that nobody meets in a test. */
const NONE: ReaderLimits = {
  stalledFor: 600_000,
  takenWithin: 600_000,
  waitingBytes: 1024 * MIB,
  idleFor: 65_000,
};

let http: Listening | undefined;
let answers: ServerResponse[] = [];
let clients: Socket[] = [];

afterEach(async () => {
  for (const client of clients) client.destroy();
  await http?.stop(0);
  answers = [];
  clients = [];
});

/** A service that answers with something large, or with something small after so many milliseconds. */
async function serve(limits: Partial<ReaderLimits>, after = 0): Promise<void> {
  const body = after === 0 ? LARGE : Buffer.from('small');
  const handler = async (_: unknown, answer: ServerResponse) => {
    answers.push(answer);
    if (after > 0) await sleep(after);
    answer.writeHead(200, { 'Content-Length': body.length }).end(body);
  };
  http = await listen((req, res) => void handler(req, res), '127.0.0.1', 0, { ...NONE, ...limits });
}

/** A client that asks and reads nothing, until it is told to. */
async function ask(): Promise<Socket> {
  const client = connect({ port: http?.port ?? 0, host: '127.0.0.1', noDelay: true });
  clients.push(client);
  client.on('error', () => undefined);
  client.pause();
  await once(client, 'connect');
  const before = answers.length;
  client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await vi.waitFor(() => expect(answers.length).toBe(before + 1));
  return client;
}

/** Nothing of it waits any more, and its client has not got it. */
async function isCut(n: number): Promise<void> {
  await vi.waitFor(() => expect(answers[n]?.destroyed).toBe(true), { timeout: 60_000 });
  expect(clients[n]?.bytesRead).toBeLessThan(LARGE.length);
}

const isTaken = (n: number, bytes = LARGE.length) =>
  vi.waitFor(() => expect(clients[n]?.bytesRead).toBeGreaterThan(bytes), { timeout: 60_000, interval: 100 });

describe('a client that does not take its answer', () => {
  it('is cut off when nothing moved for a while, and what waited for it is freed', async () => {
    await serve({ stalledFor: 500 });
    await ask();
    const { socket } = answers[0] as ServerResponse;
    await isCut(0);
    expect(socket?.writableLength ?? 0).toBe(0);
  });

  it('is told nothing else: the answer ends in the middle', async () => {
    await serve({ stalledFor: 500 });
    const client = await ask();
    await isCut(0);
    let got = 0;
    client.on('data', (chunk) => {
      got += chunk.length;
    });
    client.resume();
    await once(client, 'close');
    expect(got).toBeLessThan(LARGE.length);
  });

  it('is left alone as long as it takes something', async () => {
    await serve({ stalledFor: 3_000 });
    const client = await ask();
    client.on('data', () => {
      client.pause();
      setTimeout(() => client.resume(), 5);
    });
    client.resume();
    await isTaken(0);
  });

  it('is cut off at the end of the time for an answer, however it dawdles', async () => {
    await serve({ takenWithin: 2_000 });
    const client = await ask();
    // A small bite now and then: never a standstill.
    const bite = setInterval(() => client.read(1_000), 50);
    await isCut(0);
    clearInterval(bite);
  });

  it('and one that asks for nothing more is let go', async () => {
    await serve({ idleFor: 500 }, 1);
    const client = await ask();
    client.resume();
    await isTaken(0, 5);
    await once(client, 'close');
  });

  it('goes first of all when too much waits: the one that has waited longest', async () => {
    await serve({ waitingBytes: 70 * MIB });
    await ask();
    // Until after the next look at what waits, and then for two more.
    await sleep(1_100);
    await ask();
    await ask();
    await isCut(0);
    await sleep(2_100);
    expect(answers.slice(1).map(({ destroyed }) => destroyed)).toEqual([false, false]);
  });
});

describe('nobody else is cut off', () => {
  it('who waits for an answer that takes its time', async () => {
    await serve({ stalledFor: 300, takenWithin: 1_000 }, 2_500);
    const client = await ask();
    client.resume();
    await isTaken(0, 5);
  });

  it('who is idle between two requests, before the time for that is over', async () => {
    await serve({ stalledFor: 300 }, 1);
    const client = await ask();
    client.resume();
    await isTaken(0, 5);
    const once = client.bytesRead;
    await sleep(1_000);
    expect(client.destroyed).toBe(false);
    client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await isTaken(0, once + 5);
  });

  it('the usual limits are half a minute, ten minutes and 64 MiB', () => {
    expect(READER_LIMITS).toMatchObject({
      stalledFor: 30_000,
      takenWithin: 600_000,
      waitingBytes: 64 * MIB,
    });
  });
});
