import cluster from 'node:cluster';
import { createServer } from 'node:http';
import type { Logger } from 'pino';
import { collectDefaultMetrics, Registry } from 'prom-client';
import type { Settings } from '../config/settings.ts';
import { type JointMetrics, tellMetrics } from './joint-metrics.ts';
import type { Metrics } from './metrics.ts';

type Where = Pick<Settings, 'metricsHost' | 'metricsPort'>;

interface Served {
  stop(): Promise<void>;
}

/** Milliseconds between two samples of the event loop's delay; prom-client's 10 take half of an idle process' CPU time. */
const SAMPLE_EVERY = 50;

/** What to do about errors of `listen`. */
const ADVICE: Readonly<Record<string, string>> = {
  EADDRINUSE: 'set METRICS_PORT to a free port',
  EACCES: 'set METRICS_PORT to one above 1023',
  EADDRNOTAVAIL: 'this machine does not have that address, set METRICS_HOST',
  ENOTFOUND: 'nothing is known by that name, set METRICS_HOST',
};

const NOT_SERVED: Served = { stop: async () => undefined };

/**
 * Serves `GET /metrics` in Prometheus' text format on a port of its own, never through the API; port 0 means not at
 * all. If the port is taken, as by another process on the machine, the process runs without. Of several processes
 * behind one port only the supervisor serves metrics.
 */
export async function serveMetrics({ registry }: Metrics, where: Where, log: Logger): Promise<Served> {
  if (where.metricsPort === 0) return NOT_SERVED;
  collectProcessMetrics(registry);
  if (!cluster.isWorker) return serveText(() => registry.metrics(), where, log);
  tellMetrics(registry);
  return NOT_SERVED;
}

/** Collects memory, CPU and event loop; of several processes the one whose loop is held longest counts, not the average. */
export function collectProcessMetrics(registry: Registry): void {
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: SAMPLE_EVERY });
  for (const metric of registry.getMetricsAsArray())
    if (/^nodejs_eventloop_lag_(?!min)/.test(metric.name)) metric.aggregator = 'max';
}

/** Serves the aggregated metrics of all supervised processes. */
export async function serveJointMetrics({ read }: JointMetrics, where: Where, log: Logger): Promise<Served> {
  return where.metricsPort === 0 ? NOT_SERVED : serveText(read, where, log);
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
      const advice = ADVICE[error.code ?? ''] ?? 'see METRICS_HOST and METRICS_PORT';
      log.warn({ host, port, code: error.code }, `metrics are not served: ${advice}`);
      resolve(NOT_SERVED);
    });
    server.listen(port, host, () => resolve({ stop }));
  });
}
