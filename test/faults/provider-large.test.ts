import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { createSendWithinLimits } from '../../server/provider/send-within-limits.ts';
import { startTestApp } from '../harness/app.ts';

const AT_ONCE = 16;
const LARGE = JSON.stringify(['x'.repeat(70_000)]);

it('D3c: of large answers that arrive together, one is parsed in each turn of the event loop', async () => {
  const app = await startTestApp();
  const waiting: ServerResponse[] = [];
  const provider = createServer((_req, res) => {
    if (waiting.push(res) === AT_ONCE) for (const each of waiting) each.end(LARGE);
  }).listen(0, '127.0.0.1');
  await once(provider, 'listening');
  let turn = 0;
  const counting = { on: true };
  const count = () => {
    turn += 1;
    if (counting.on) setImmediate(count);
  };
  try {
    const sendWithinLimits = createSendWithinLimits(app.app.services);
    const read: number[] = [];
    const ask = (n: number) =>
      sendWithinLimits(
        {
          url: `http://127.0.0.1:${(provider.address() as AddressInfo).port}/${n}`,
          headers: {},
          on: 'service',
          operation: undefined,
          label: '/large',
          characterId: 0,
          bytes: 100_000,
          toKeep: () => {
            read.push(turn);
            return undefined;
          },
        },
        performance.now() + 15_000,
      );
    count();
    const answers = await Promise.all(Array.from({ length: AT_ONCE }, (_, n) => ask(n)));
    expect(answers.map(({ status }) => status)).toEqual(Array(AT_ONCE).fill(200));
    expect(new Set(read).size).toBe(AT_ONCE);
  } finally {
    counting.on = false;
    provider.closeAllConnections();
    provider.close();
    await app.stop();
  }
});
