import cluster from 'node:cluster';
import { createServer } from 'node:http';
import type { Logger } from 'pino';
import { AggregatorRegistry, collectDefaultMetrics, Registry } from 'prom-client';
import type { Settings } from '../config/settings.ts';
import type { Metrics } from './metrics.ts';

type Where = Pick<Settings, 'metricsHost' | 'metricsPort'>;

interface Served {
  stop(): Promise<void>;
}

const NOT_SERVED: Served = { stop: async () => undefined };

/**
 * Serves `GET /metrics` in Prometheus' text format on a port of its own, never through the API; port 0 means not at
 * all. If the port is taken, as by another process on the machine, the process runs without. Of several processes
 * behind one port only the supervisor serves metrics.
 */
export async function serveMetrics({ registry }: Metrics, where: Where, log: Logger): Promise<Served> {
  if (where.metricsPort === 0) return NOT_SERVED;
  collectDefaultMetrics({ register: registry });
  if (!cluster.isWorker) return serveText(() => registry.metrics(), where, log);
  AggregatorRegistry.setRegistries([registry]);
  // The constructor registers the listener that answers the supervisor's requests for metrics.
  void new AggregatorRegistry();
  return NOT_SERVED;
}

/** Serves the aggregated metrics of all supervised processes. */
export async function serveJointMetrics(where: Where, log: Logger): Promise<Served> {
  const all = new AggregatorRegistry();
  return where.metricsPort === 0 ? NOT_SERVED : serveText(() => all.clusterMetrics(), where, log);
}

function serveText(
  read: () => Promise<string>,
  { metricsHost: host, metricsPort: port }: Where,
  log: Logger,
): Promise<Served> {
  const server = createServer((req, res) => {
    if (req.method !== 'GET' || req.url !== '/metrics') return void res.writeHead(404).end();
    read().then(
      (text) => res.writeHead(200, { 'Content-Type': Registry.PROMETHEUS_CONTENT_TYPE }).end(text),
      (error: unknown) => {
        log.error({ err: error }, 'the metrics could not be written');
        res.writeHead(500).end();
      },
    );
  });
  const stop = () => new Promise<void>((resolve) => void server.close(() => resolve()).closeAllConnections());
  return new Promise((resolve) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      log.warn({ port, code: error.code }, 'metrics are not served: set METRICS_PORT to a free port');
      resolve(NOT_SERVED);
    });
    server.listen(port, host, () => resolve({ stop }));
  });
}
