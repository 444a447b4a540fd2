import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Listening, listen } from '../../server/http/listen.ts';
import { consistsOf, READER_LIMITS, type ReaderLimits } from '../../server/http/slow-readers.ts';

const MIB = 1024 * 1024;
/** More than the buffers of both sides hold on any system. */
const LARGE = Buffer.alloc(32 * MIB, 'x');
/** Limits that no test reaches. */
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

/** A service that answers with a large body, or with a small one after some milliseconds. */
async function serve(limits: Partial<ReaderLimits>, after = 0, shared = false): Promise<void> {
  const body = after === 0 ? LARGE : Buffer.from('small');
  const handler = async (_: unknown, answer: ServerResponse) => {
    answers.push(answer);
    if (after > 0) await sleep(after);
    if (shared) consistsOf(answer, body);
    answer.writeHead(200, { 'Content-Length': body.length }).end(body);
  };
  http = await listen((req, res) => void handler(req, res), '127.0.0.1', 0, { ...NONE, ...limits });
}

/** A client that sends a request, and reads nothing until it is told to. */
async function ask(header = ''): Promise<Socket> {
  const client = connect({ port: http?.port ?? 0, host: '127.0.0.1', noDelay: true });
  clients.push(client);
  client.on('error', () => undefined);
  client.pause();
  await once(client, 'connect');
  const before = answers.length;
  client.write(`GET / HTTP/1.1\r\nHost: x\r\n${header}\r\n`);
  await expect.poll(() => answers.length).toBe(before + 1);
  return client;
}

/** Checks that the answer was discarded, and the client did not get all of it. */
async function isCut(n: number): Promise<void> {
  await vi.waitFor(() => expect(answers[n]?.destroyed).toBe(true), { timeout: 60_000 });
  expect(clients[n]?.bytesRead).toBeLessThan(LARGE.length);
}

const isTaken = (n: number, bytes = LARGE.length) =>
  vi.waitFor(() => expect(clients[n]?.bytesRead).toBeGreaterThan(bytes), { timeout: 60_000, interval: 100 });

describe('a client that does not read its answer', () => {
  it('is disconnected when nothing was sent for a while, and the memory of its answer is freed', async () => {
    await serve({ stalledFor: 500 });
    await ask();
    const { socket } = answers[0] as ServerResponse;
    await isCut(0);
    expect(socket?.writableLength ?? 0).toBe(0);
  });

  it.each([[{ stalledFor: 500 }], [{ takenWithin: 500 }], [{ waitingBytes: MIB }]])(
    'is disconnected at %o whatever it expects',
    async (limits) => {
      await serve(limits);
      await ask('Expect: the-best\r\n');
      await isCut(0);
    },
  );

  it('gets a truncated answer and nothing else', async () => {
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

  it('stays connected as long as it reads something', async () => {
    await serve({ stalledFor: 3_000 });
    const client = await ask();
    client.on('data', () => {
      client.pause();
      setTimeout(() => client.resume(), 5);
    });
    client.resume();
    await isTaken(0);
  });

  it('is disconnected at the time limit of an answer, even if it reads slowly', async () => {
    await serve({ takenWithin: 2_000 });
    const client = await ask();
    // Reads a little now and then, so that something is always sent.
    const bite = setInterval(() => client.read(1_000), 50);
    await isCut(0);
    clearInterval(bite);
  });

  it('one without a further request is disconnected', async () => {
    await serve({ idleFor: 500 }, 1);
    const client = await ask();
    client.resume();
    await isTaken(0, 5);
    await once(client, 'close');
  });

  it('when too many bytes wait, the one that has waited longest is disconnected first', async () => {
    await serve({ waitingBytes: 70 * MIB });
    await ask();
    // Until after the next check, and then for two more.
    await sleep(1_100);
    await ask();
    await ask();
    await isCut(0);
    await sleep(2_100);
    expect(answers.slice(1).map(({ destroyed }) => destroyed)).toEqual([false, false]);
  });

  it('bytes that several answers share count once', async () => {
    await serve({ waitingBytes: 40 * MIB }, 0, true);
    for (let n = 0; n < 4; n += 1) await ask();
    await sleep(2_100);
    expect(answers.map(({ destroyed }) => destroyed)).toEqual([false, false, false, false]);
  });

  it('all that share bytes are disconnected when these are too many', async () => {
    await serve({ waitingBytes: 20 * MIB }, 0, true);
    for (let n = 0; n < 3; n += 1) await ask();
    for (let n = 0; n < 3; n += 1) await isCut(n);
  });
});

describe('a client that sends its request slowly', () => {
  it.each([
    ['nothing', ''],
    ['part of a head', 'GET / HTTP/1.1\r\nHost: x\r\nX-A'],
    ['part of a body', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nb'],
  ])(
    'that sends %s gets 408 soon after the time limit, not at the next of Node’s half minutes',
    async (_, sent) => {
      http = await listen(() => undefined, '127.0.0.1', 0, NONE, 500);
      const client = connect({ port: http.port, host: '127.0.0.1' });
      clients.push(client);
      const began = performance.now();
      client.write(sent);
      expect(await text(client)).toMatch(/^HTTP\/1\.1 408 /);
      expect(performance.now() - began).toBeLessThan(20_000);
    },
  );
});

describe('other clients are not disconnected', () => {
  it('one that waits for a slow answer', async () => {
    await serve({ stalledFor: 300, takenWithin: 1_000 }, 2_500);
    const client = await ask();
    client.resume();
    await isTaken(0, 5);
  });

  it('one that waits for the second answer of its connection, whatever it expects', async () => {
    await serve({ stalledFor: 300 }, 1_000);
    const client = await ask();
    client.resume();
    await isTaken(0, 5);
    const once = client.bytesRead;
    client.write('GET / HTTP/1.1\r\nHost: x\r\nExpect: the-best\r\n\r\n');
    await isTaken(0, once + 5);
  });

  it('one that is idle between two requests, within the limit for that', async () => {
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

it('bytes that are no HTTP get no answer in the middle of another one', async () => {
  http = await listen(
    (_, answer) => {
      answers.push(answer);
      answer.writeHead(200, { 'Content-Length': 10 }).write('half');
    },
    '127.0.0.1',
    0,
    NONE,
  );
  const client = await ask();
  client.write('garbage\r\n\r\n');
  const said = await text(client);
  expect(said).toMatch(/\r\n\r\nhalf$/);
});
