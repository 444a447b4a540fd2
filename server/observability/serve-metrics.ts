import { createServer } from 'node:http';
import type { Logger } from 'pino';
import { collectDefaultMetrics } from 'prom-client';
import type { Settings } from '../config/settings.ts';
import type { Metrics } from './metrics.ts';

/**
 * Serves `GET /metrics` in Prometheus' text format beside the API, never through it; port 0 serves none. Where
 * the port is taken, as by another process of the same machine, the process goes on without.
 */
export async function serveMetrics(
  { registry }: Metrics,
  { metricsHost: host, metricsPort: port }: Pick<Settings, 'metricsHost' | 'metricsPort'>,
  log: Logger,
): Promise<{ stop(): Promise<void> }> {
  const server = createServer((req, res) => {
    if (req.method !== 'GET' || req.url !== '/metrics') return void res.writeHead(404).end();
    registry.metrics().then(
      (text) => res.writeHead(200, { 'Content-Type': registry.contentType }).end(text),
      (error: unknown) => {
        log.error({ err: error }, 'the metrics could not be written');
        res.writeHead(500).end();
      },
    );
  });
  const stop = () => new Promise<void>((resolve) => void server.close(() => resolve()).closeAllConnections());
  if (port === 0) return { stop: async () => undefined };
  collectDefaultMetrics({ register: registry });
  return new Promise((resolve) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      log.warn({ port, code: error.code }, 'metrics are not served: set METRICS_PORT to a free port');
      resolve({ stop: async () => undefined });
    });
    server.listen(port, host, () => resolve({ stop }));
  });
}
