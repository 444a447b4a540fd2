import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createSendWithinLimits } from '../../server/provider/send-within-limits.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';

const AT_ONCE = 16;
const LARGE = JSON.stringify(['x'.repeat(70_000)]);

let app: TestApp;
/** Called with each request to the provider. */
let answer: (res: ServerResponse) => void;
const provider = createServer((_req, res) => answer(res));

beforeAll(async () => {
  app = await startTestApp();
  await once(provider.listen(0, '127.0.0.1'), 'listening');
});
afterAll(async () => {
  provider.closeAllConnections();
  provider.close();
  await app.stop();
});

/** @param onRead called when an answer was received and checked */
function asker(onRead: () => void) {
  const sendWithinLimits = createSendWithinLimits(app.app.services);
  return (n: number) =>
    sendWithinLimits(
      {
        url: `http://127.0.0.1:${(provider.address() as AddressInfo).port}/${n}`,
        headers: {},
        on: 'service',
        operation: undefined,
        label: '/large',
        characterId: 0,
        bytes: 100_000,
        cacheEntryOf: () => {
          onRead();
          return undefined;
        },
      },
      performance.now() + 15_000,
    );
}

it('D3c: of large answers that arrive together, one is read to its end in each turn of the event loop', async () => {
  const waiting: ServerResponse[] = [];
  answer = (res) => {
    if (waiting.push(res) === AT_ONCE) for (const each of waiting) each.end(LARGE);
  };
  let tick = 0;
  const counting = { on: true };
  const count = () => {
    tick += 1;
    if (counting.on) setImmediate(count);
  };
  try {
    const read: number[] = [];
    const ask = asker(() => read.push(tick));
    count();
    const answers = await Promise.all(Array.from({ length: AT_ONCE }, (_, n) => ask(n)));
    expect(answers.map(({ status }) => status)).toEqual(Array(AT_ONCE).fill(200));
    expect(new Set(read).size).toBe(AT_ONCE);
  } finally {
    counting.on = false;
  }
});

it.each([
  ['is no JSON', `${LARGE}]`],
  ['ends too early', LARGE.slice(0, -1)],
])('D30: a large answer that %s is unusable', async (_, body) => {
  answer = (res) => res.end(body);
  await expect(asker(() => undefined)(0)).rejects.toMatchObject({ fault: 'unusable' });
});

it('D30: a large answer is passed on as it was written', async () => {
  const written = `\n${LARGE.replace('[', '[ 1e400, 12345678901234567890, "é\\u00e9",')}`;
  answer = (res) => res.end(written);
  const { body } = await asker(() => undefined)(0);
  expect(body).toBeInstanceOf(Buffer);
  expect(body.toString()).toBe(written);
});
