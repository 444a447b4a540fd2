import type pg from 'pg';
import { Gauge } from 'prom-client';
import { singleFlight } from '../shared/single-flight.ts';
import { waitAtMost } from '../shared/wait-at-most.ts';
import type { Metrics } from './metrics.ts';

/** State of the whole service, which every process reports alike; null where it is unknown. */
export interface Backlog {
  /** Seconds since the last whole run of the sync began. */
  readonly sync_age: number | null;
  /** Errors that the game's API still allows in the present minute. */
  readonly provider_errors_left: number | null;
  /** Due jobs that wait for a worker, and jobs that failed for good within a day. */
  readonly jobs: readonly { readonly job: string; readonly waiting: number; readonly failed: number }[];
  /** Crash reports of the last day. */
  readonly crashes: number;
}

/** Milliseconds for which a result of the query is cached; also its timeout. */
const KEPT_FOR = 5_000;
const WITHIN = 2_000;

/** Registers gauges of the backlog, read when the metrics are scraped; left out while the database does not answer. */
export function followBacklog({ registry }: Metrics, read: () => Promise<Backlog>): void {
  let reading: Promise<Backlog | undefined> | undefined;
  let readAt = Number.NEGATIVE_INFINITY;
  const backlog = () => {
    if (reading === undefined || performance.now() - readAt > KEPT_FOR) {
      readAt = performance.now();
      reading = waitAtMost(
        WITHIN,
        read().catch(() => undefined),
      );
    }
    return reading;
  };
  // All processes report the same value, so the supervisor must not add them up.
  const aggregator = 'max';
  const gauge = (name: string, help: string, value: (of: Backlog) => number | null) =>
    new Gauge({
      name,
      help,
      aggregator,
      registers: [registry],
      async collect() {
        const of = await backlog();
        const known = of === undefined ? null : value(of);
        if (known === null) this.remove();
        else this.set(known);
      },
    });
  gauge(
    'castellan_sync_age_seconds',
    'Since the last run began that was answered about all characters and their corporations.',
    ({ sync_age }) => sync_age,
  );
  gauge(
    'castellan_provider_errors_left',
    "Errors that the game's API still allows in its present minute.",
    ({ provider_errors_left }) => provider_errors_left,
  );
  gauge('castellan_crash_reports', 'Crash reports of the last day.', ({ crashes }) => crashes);
  for (const state of ['waiting', 'failed'] as const) {
    new Gauge({
      name: `castellan_jobs_${state}`,
      help: { waiting: 'Jobs that nobody took.', failed: 'Jobs that failed for good within a day.' }[state],
      labelNames: ['job'],
      aggregator,
      registers: [registry],
      async collect() {
        this.reset();
        for (const of of (await backlog())?.jobs ?? []) this.set({ job: of.job }, of[state]);
      },
    });
  }
}

/** Gauges of the replica, which is checked when the metrics are read. */
export function followReplica(
  { registry }: Metrics,
  examine: () => Promise<{ readonly behind?: number | undefined; readonly fault?: string }>,
): void {
  // Both gauges show what one examination found.
  const look = singleFlight(examine);
  new Gauge({
    name: 'castellan_replica_behind_seconds',
    help: 'Upper bound of the lag of the replica.',
    aggregator: 'max',
    registers: [registry],
    async collect() {
      const { behind } = await look();
      if (behind === undefined) this.remove();
      else this.set(behind / 1000);
    },
  });
  new Gauge({
    name: 'castellan_replica_in_use',
    help: 'Whether lists are read from the replica: 1, or 0.',
    aggregator: 'min',
    registers: [registry],
    async collect() {
      const { fault } = await look();
      this.set(fault === undefined ? 1 : 0);
    },
  });
}

/** Gauges of a supervisor: how many processes serve, and how many should. It answers even where none is left. */
export function followProcesses(
  { registry }: Pick<Metrics, 'registry'>,
  wanted: number,
  ready: () => number,
): void {
  const gauge = (name: string, help: string, value: () => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(value());
      },
    });
  gauge('castellan_processes_ready', 'Processes behind the port that answer requests.', ready);
  gauge('castellan_processes_wanted', 'Processes that should: PROCESSES.', () => wanted);
}

/** Registers gauges of the connection pool. */
export function followPool({ registry }: Metrics, pool: pg.Pool): void {
  new Gauge({
    name: 'castellan_database_connections',
    help: 'Open connections: idle, or at work.',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      this.set({ state: 'idle' }, pool.idleCount);
      this.set({ state: 'busy' }, pool.totalCount - pool.idleCount);
    },
  });
  new Gauge({
    name: 'castellan_database_waiting',
    help: 'Statements that wait for a connection.',
    registers: [registry],
    collect() {
      this.set(pool.waitingCount);
    },
  });
}
