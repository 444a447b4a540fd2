import { createServer } from 'node:http';
import type { Logger } from 'pino';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Settings } from '../config/settings.ts';

/** What the process counts, for Prometheus; one set per app, so that apps in one process do not mix. */
export interface Metrics {
  readonly registry: Registry;
  /** Runs of jobs by outcome: `done`, `failed`, `given up`. */
  readonly jobRuns: Counter<'job' | 'outcome'>;
  /** Seconds. */
  readonly jobDuration: Histogram<'job'>;
  /** Steps of the run at work: `done` and `total`. */
  readonly jobProgress: Gauge<'job' | 'of'>;
  /** Runs that changed nothing because they would have taken too much away (D63). */
  readonly jobsHeld: Counter<'job'>;
  /** Requests answered 429 because their token or address had used up its minute (D60). */
  readonly rateLimited: Counter<'counted_by'>;
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  return {
    registry,
    jobRuns: new Counter({
      name: 'castellan_job_runs_total',
      help: 'Runs of background jobs.',
      labelNames: ['job', 'outcome'],
      registers,
    }),
    jobDuration: new Histogram({
      name: 'castellan_job_duration_seconds',
      help: 'How long runs of background jobs take.',
      labelNames: ['job'],
      buckets: [0.1, 1, 10, 60, 300, 1800],
      registers,
    }),
    jobProgress: new Gauge({
      name: 'castellan_job_progress',
      help: 'Steps of the run at work.',
      labelNames: ['job', 'of'],
      registers,
    }),
    jobsHeld: new Counter({
      name: 'castellan_job_held_total',
      help: 'Runs that changed nothing because they would have taken something from too many users.',
      labelNames: ['job'],
      registers,
    }),
    rateLimited: new Counter({
      name: 'castellan_rate_limited_requests_total',
      help: 'Requests refused because their token, or their address without one, had used up its minute.',
      labelNames: ['counted_by'],
      registers,
    }),
  };
}

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
