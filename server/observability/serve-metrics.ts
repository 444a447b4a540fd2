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

/** Milliseconds between two looks at the event loop's delay: ten, as usual, cost an idle process half of what it uses. */
const LOOK_EVERY = 50;

const NOT_SERVED: Served = { stop: async () => undefined };

/**
 * Serves `GET /metrics` in Prometheus' text format beside the API, never through it; port 0 serves none. Where
 * the port is taken, as by another process of the same machine, the process goes on without. One of several processes
 * behind one port leaves it to the one that supervises them.
 */
export async function serveMetrics({ registry }: Metrics, where: Where, log: Logger): Promise<Served> {
  if (where.metricsPort === 0) return NOT_SERVED;
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LOOK_EVERY });
  if (!cluster.isWorker) return serveText(() => registry.metrics(), where, log);
  tellMetrics(registry);
  return NOT_SERVED;
}

/** Serves those of all processes that this one supervises, added up. */
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
      log.warn({ port, code: error.code }, 'metrics are not served: set METRICS_PORT to a free port');
      resolve(NOT_SERVED);
    });
    server.listen(port, host, () => resolve({ stop }));
  });
}
