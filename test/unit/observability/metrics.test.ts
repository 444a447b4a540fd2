import { createServer } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { readSettings } from '../../../server/config/settings.ts';
import { createLog } from '../../../server/observability/log.ts';
import { createMetrics } from '../../../server/observability/metrics.ts';
import { serveMetrics } from '../../../server/observability/serve-metrics.ts';

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

it.skipIf(process.platform !== 'linux').each([
  ['127.0.0.1', {}],
  ['127.0.0.2', { METRICS_HOST: '127.0.0.2' }],
])('D61: the metrics are read at %s, and nowhere else, where HOST is every address', async (at, env) => {
  const port = await freePort();
  const { metricsHost, metricsPort } = readSettings({ ...env, METRICS_PORT: String(port) });
  const everywhere = { host: '0.0.0.0', metricsHost, metricsPort };
  const { stop } = await serveMetrics(createMetrics(), everywhere, createLog('silent'));
  closers.push(stop);
  const status = (host: string) =>
    fetch(`http://${host}:${port}/metrics`).then(
      (answer) => answer.status,
      () => 'refused',
    );
  expect(await Promise.all(['127.0.0.1', '127.0.0.2'].map(status))).toEqual(
    ['127.0.0.1', '127.0.0.2'].map((host) => (host === at ? 200 : 'refused')),
  );
});

it('where this machine lacks the address of METRICS_HOST it is said so, and the process goes on', async () => {
  const lines: string[] = [];
  const log = createLog('warn', { write: (line) => lines.push(line) });
  const at = { metricsHost: '192.0.2.1', metricsPort: await freePort() };
  const { stop } = await serveMetrics(createMetrics(), at, log);
  closers.push(stop);
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    {
      msg: 'metrics are not served: this machine does not have that address, set METRICS_HOST',
      host: '192.0.2.1',
    },
  ]);
});
