import type { Worker } from 'node:cluster';
import { setTimeout as sleep } from 'node:timers/promises';
import { AggregatorRegistry, type Registry } from 'prom-client';

/** What a supervisor asks one of its processes. */
const WANTED = 'castellan: your metrics';

/** Milliseconds that one who is asked may take; what it told last counts then. */
const WITHIN = 1_000;

/** A metric as it travels between processes: prom-client's own form. */
interface Told {
  readonly type: string;
}

/** A process that can be asked for its metrics. */
type Source = Pick<Worker, 'on' | 'once' | 'send'>;

/** The metrics of processes that come and go as those of one, whose counters never fall. */
export interface JointMetrics {
  /** From now on this process is asked, too; when it has ended, what it had counted stays. */
  add(source: Source): void;
  /** In Prometheus' text format. */
  read(): Promise<string>;
}

/** @param within milliseconds that a process may take to answer */
export function createJointMetrics(within = WITHIN): JointMetrics {
  const processes = new Set<Process>();
  let ended: readonly object[] = [];
  return {
    add(source) {
      const process = follow(source);
      processes.add(process);
      source.once('exit', () => {
        processes.delete(process);
        // What it counted after it was asked last, nobody has ever seen.
        const counts = process.told().filter(({ type }) => type !== 'gauge');
        ended = AggregatorRegistry.aggregate([ended, counts]).getMetricsAsArray();
      });
    },
    async read() {
      const late = sleep(within, undefined, { ref: false });
      await Promise.race([late, Promise.all([...processes].map((process) => process.ask()))]);
      const all = [ended, ...[...processes].map((process) => process.told())];
      return AggregatorRegistry.aggregate(all).metrics();
    },
  };
}

interface Process {
  /** Resolves when it has told its metrics, or ended. */
  ask(): Promise<void>;
  /** What it told last. */
  told(): readonly Told[];
}

function follow(source: Source): Process {
  const waiting = new Set<() => void>();
  let told: readonly Told[] = [];
  const wake = () => {
    for (const heard of waiting) heard();
    waiting.clear();
  };
  source.on('message', (message: { readonly metrics?: readonly Told[] } | string) => {
    if (typeof message === 'string' || message.metrics === undefined) return;
    told = message.metrics;
    wake();
  });
  source.once('exit', wake);
  return {
    told: () => told,
    ask: () =>
      new Promise((resolve) => {
        waiting.add(resolve);
        // One that has just ended cannot be asked, and is not waited for.
        source.send(WANTED, (error) => error && resolve());
      }),
  };
}

/** In one of several processes: tells its supervisor the metrics whenever it asks. */
export function tellMetrics(registry: Registry): void {
  process.on('message', (message) => {
    if (message !== WANTED) return;
    // Who cannot tell them counts as late.
    registry.getMetricsAsJSON().then(
      (metrics) => process.send?.({ metrics }),
      () => undefined,
    );
  });
}
