import type { Worker } from 'node:cluster';
import { AggregatorRegistry, type Registry } from 'prom-client';
import { waitAtMost } from '../shared/wait-at-most.ts';

/** The message by which a supervisor asks a process for its metrics. */
const WANTED = 'castellan: your metrics';

/** Milliseconds after which the last known metrics of a process are used. */
const WITHIN = 1_000;

/** A metric in the JSON form of prom-client. */
interface SentMetric {
  readonly type: string;
}

/** A process that can be asked for its metrics. */
type Source = Pick<Worker, 'on' | 'once' | 'send'>;

/** The aggregated metrics of processes that come and go. Counters never fall. */
export interface JointMetrics {
  /** Includes a process from now on; its counts stay after it has ended. */
  add(source: Source): void;
  /** In Prometheus' text format. */
  read(): Promise<string>;
}

/**
 * @param own metrics of this process, which asks the others
 * @param within milliseconds that a process may take to answer
 */
export function createJointMetrics(own: Registry, within = WITHIN): JointMetrics {
  const processes = new Set<Process>();
  let ended: readonly object[] = [];
  return {
    add(source) {
      const process = follow(source);
      processes.add(process);
      source.once('exit', () => {
        processes.delete(process);
        // Counts since it was asked last are lost, but no reader has seen them either.
        const counts = process.lastSent().filter(({ type }) => type !== 'gauge');
        ended = AggregatorRegistry.aggregate([ended, counts]).getMetricsAsArray();
      });
    },
    async read() {
      await waitAtMost(within, Promise.all([...processes].map((process) => process.ask())));
      const ours = await own.getMetricsAsJSON();
      const all = [ours, ended, ...[...processes].map((process) => process.lastSent())];
      return AggregatorRegistry.aggregate(all).metrics();
    },
  };
}

interface Process {
  /** Resolves when it has sent its metrics, or ended. */
  ask(): Promise<void>;
  /** The metrics that it sent last. */
  lastSent(): readonly SentMetric[];
}

function follow(source: Source): Process {
  const waiting = new Set<() => void>();
  let sent: readonly SentMetric[] = [];
  const wake = () => {
    for (const resolve of waiting) resolve();
    waiting.clear();
  };
  source.on('message', (message: { readonly metrics?: readonly SentMetric[] } | string) => {
    if (typeof message === 'string' || message.metrics === undefined) return;
    sent = message.metrics;
    wake();
  });
  source.once('exit', wake);
  return {
    lastSent: () => sent,
    ask: () =>
      new Promise((resolve) => {
        waiting.add(resolve);
        // A process that has just ended cannot be asked, and is not waited for.
        source.send(WANTED, (error) => error && resolve());
      }),
  };
}

/** Called in a supervised process: sends its metrics to the supervisor on request. */
export function tellMetrics(registry: Registry): void {
  process.on('message', (message) => {
    if (message !== WANTED) return;
    // A process that fails to collect them counts as late.
    registry.getMetricsAsJSON().then(
      (metrics) => process.send?.({ metrics }),
      () => undefined,
    );
  });
}
