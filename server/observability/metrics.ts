import { Counter, Gauge, Histogram, Registry } from 'prom-client';

/** Prometheus metrics of the process; one registry per app, so that several apps in one process do not mix. */
export interface Metrics {
  readonly registry: Registry;
  /**
   * Seconds from receiving a request's head to the end of its answer; `status` is `none` when the client disconnected
   * before.
   */
  readonly httpDuration: Histogram<'method' | 'route' | 'status'>;
  readonly httpInProgress: Gauge;
  /** Seconds from sending a statement to its answer, by the statement's first word. */
  readonly statementDuration: Histogram<'verb'>;
  /** Duration of requests to the game's API in seconds, by class of the status: `2xx`, or `none` without an answer. */
  readonly providerDuration: Histogram<'status'>;
  /** Requests to the game's API by cache outcome: `fresh`, `unchanged` (304 by ETag), or `asked`. */
  readonly providerCache: Counter<'outcome'>;
  /** Sign-ins by outcome: `signed-in`, or the reason of the refusal. */
  readonly signIns: Counter<'outcome'>;
  /** Runs of jobs by outcome: `done`, `failed`, `given up`. */
  readonly jobRuns: Counter<'job' | 'outcome'>;
  /** Duration of runs in seconds. */
  readonly jobDuration: Histogram<'job'>;
  /** Progress of the active run: `done` and `total` steps. */
  readonly jobProgress: Gauge<'job' | 'of'>;
  /** Runs that the mass-change guard held back (D63). */
  readonly jobsHeld: Counter<'job'>;
  /** Requests answered with 429, by what they were counted against: token, OpenID Connect client or address (D60). */
  readonly rateLimited: Counter<'counted_by'>;
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  return {
    registry,
    httpDuration: new Histogram({
      name: 'castellan_http_request_duration_seconds',
      help: 'Requests by route and status, and how long their answers took.',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
      registers,
    }),
    httpInProgress: new Gauge({
      name: 'castellan_http_requests_in_progress',
      help: 'Requests that are being answered.',
      registers,
    }),
    statementDuration: new Histogram({
      name: 'castellan_database_statement_duration_seconds',
      help: 'How long statements took, the way to the database included, by their first word.',
      labelNames: ['verb'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2.5, 10],
      registers,
    }),
    providerDuration: new Histogram({
      name: 'castellan_provider_request_duration_seconds',
      help: "How long the game's API took, by the class of its answer.",
      labelNames: ['status'],
      buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    }),
    providerCache: new Counter({
      name: 'castellan_provider_cache_total',
      help: 'Requests to the game by what the cache had: fresh, unchanged, or nothing (asked).',
      labelNames: ['outcome'],
      registers,
    }),
    signIns: new Counter({
      name: 'castellan_sign_ins_total',
      help: 'Ends of sign-ins: signed-in, or why not.',
      labelNames: ['outcome'],
      registers,
    }),
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
      help: 'Requests refused because their token, their OpenID Connect client or their address had used up its minute.',
      labelNames: ['counted_by'],
      registers,
    }),
  };
}
