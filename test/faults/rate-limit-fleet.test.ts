import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { addHome, addMember } from '../fixtures/users.ts';
import { envBeside, newKeys, startTestApp, type TestApp } from '../harness/app.ts';
import { build, createInstance, type Instance, PRODUCTION } from '../harness/instance.ts';
import { type Sent, send } from '../harness/send.ts';

const LIMIT = 600;
/** D60: maximum deviation of all processes together. */
const INEXACT = 0.01 * LIMIT;

let app: TestApp;
let instances: Instance[] = [];
let processes: { readonly url: string }[];

beforeAll(async () => {
  await build();
  const keys = await newKeys();
  app = await startTestApp({ env: keys });
  await addHome(app);
  instances = await Promise.all([createInstance(), createInstance()]);
  const ports = instances.flatMap(({ port }) => [port, port + 1]);
  for (const [n, port] of ports.entries())
    instances[n % 2]?.start(PRODUCTION.server, {
      ...keys,
      ...envBeside(app),
      PORT: String(port),
      METRICS_PORT: '0',
      RATE_LIMIT: String(LIMIT),
      WORKERS: 'none',
      LOG_LEVEL: 'warn',
    });
  processes = ports.map((port) => ({ url: `http://127.0.0.1:${port}` }));
  for (const { url } of processes)
    await vi.waitFor(async () => expect((await fetch(`${url}/readyz`)).status).toBe(200), {
      timeout: 60_000,
      interval: 100,
    });
  // On a busy machine a connection may take longer than the pool waits for it (a 503): those needed are open before.
  const { jwt: token } = await addMember(app, 2_120_000_002);
  for (const process of processes)
    await vi.waitFor(
      async () => {
        const answers = await Promise.all(
          Array.from({ length: 6 }, () => send(process, 'GET', '/user', { token })),
        );
        expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200));
      },
      { timeout: 60_000, interval: 1_000 },
    );
}, 300_000);
afterAll(async () => {
  for (const instance of instances) await instance.remove();
  await app?.stop();
});

/** Sends concurrent requests to all processes until each refuses; returns the number of answers by status. */
async function askUntilRefused(make: (n: number) => Sent): Promise<Record<number, number>> {
  const counts: Record<number, number> = {};
  let sent = 0;
  const lane = async (process: { readonly url: string }) => {
    for (let status = 0; status !== 429 && sent < 4 * LIMIT; counts[status] = (counts[status] ?? 0) + 1) {
      const answer = await send(process, 'GET', '/token', make(sent++));
      expect(answer.status, answer.text).toBeLessThan(500);
      ({ status } = answer);
    }
  };
  await Promise.all(processes.flatMap((process) => [lane(process), lane(process), lane(process)]));
  return counts;
}

describe('D60: four processes share the limit', () => {
  it('one token gets 600 answers from them together, with a deviation of at most 1 %', async () => {
    const { jwt: token } = await addMember(app, 2_120_000_001);
    const { 200: answered = 0, ...others } = await askUntilRefused(() => ({ token }));
    expect(Object.keys(others)).toEqual(['429']);
    expect(Math.abs(answered - LIMIT)).toBeLessThanOrEqual(INEXACT);
  });

  it('so does one address without a usable token, whatever X-Forwarded-For and tokens it sends', async () => {
    const { 401: answered = 0, ...others } = await askUntilRefused((n) => ({
      token: `a.b.${n}`,
      headers: { 'x-forwarded-for': `198.51.100.${n % 256}` },
    }));
    expect(Object.keys(others)).toEqual(['429']);
    expect(Math.abs(answered - LIMIT)).toBeLessThanOrEqual(INEXACT);
  });
});
