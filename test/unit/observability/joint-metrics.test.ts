import type { Worker } from 'node:cluster';
import { EventEmitter } from 'node:events';
import { AggregatorRegistry, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { beforeEach, expect, it } from 'vitest';
import { followProcesses } from '../../../server/observability/gauges.ts';
import { createJointMetrics, type JointMetrics } from '../../../server/observability/joint-metrics.ts';
import { collectProcessMetrics } from '../../../server/observability/serve-metrics.ts';

/** A process with its own metrics, which answers as long as it is healthy. */
class FakeProcess extends EventEmitter {
  readonly #registry = new Registry();
  readonly #own = { name: 'n', help: 'h', registers: [this.#registry] };
  readonly count = new Counter({ ...this.#own, name: 'requests_total', labelNames: ['route'] });
  readonly busy = new Gauge({ ...this.#own, name: 'busy' });
  readonly took = new Histogram({ ...this.#own, name: 'took_seconds', buckets: [1] });
  well = true;

  send(_message: unknown, done: (error: Error | null) => void): boolean {
    done(null);
    const tell = async () => {
      // Messages between processes are JSON.
      const metrics = JSON.parse(JSON.stringify(await this.#registry.getMetricsAsJSON()));
      this.emit('message', { metrics });
    };
    if (this.well) void tell();
    return true;
  }
}

let own: Registry;
let joint: JointMetrics;
let one: FakeProcess;
let other: FakeProcess;
beforeEach(() => {
  own = new Registry();
  joint = createJointMetrics(own, 50);
  [one, other] = [new FakeProcess(), new FakeProcess()];
  for (const each of [one, other]) joint.add(each as unknown as Worker);
  one.count.inc({ route: '/token' }, 3);
  other.count.inc({ route: '/token' }, 4);
  one.busy.set(1);
  other.busy.set(2);
  one.took.observe(0.5);
});

const lines = async () =>
  (await joint.read())
    .split('\n')
    .filter((line) => /^(requests|busy|took)/.test(line))
    .sort();

const ALL = [
  'busy 3',
  'requests_total{route="/token"} 7',
  'took_seconds_bucket{le="+Inf"} 1',
  'took_seconds_bucket{le="1"} 1',
  'took_seconds_count 1',
  'took_seconds_sum 0.5',
];

it('adds up what several processes count', async () => {
  expect(await lines()).toEqual(ALL);
});

it('keeps the counters of a process that has ended, and drops its gauges', async () => {
  await lines();
  one.emit('exit');
  expect(await lines()).toEqual(['busy 2', ...ALL.slice(1)]);
  const next = new FakeProcess();
  joint.add(next as unknown as Worker);
  next.count.inc({ route: '/token' });
  other.emit('exit');
  expect(await lines()).toEqual(['busy 0', ALL[1]?.replace('7', '8'), ...ALL.slice(2)]);
});

it('tells how many processes serve, and how many should, also when none is left', async () => {
  const left = new Set([one, other]);
  followProcesses({ registry: own }, 2, () => left.size);
  const processes = async () => (await joint.read()).match(/^castellan_processes_\w+ \d+$/gm);
  expect(await processes()).toEqual(['castellan_processes_ready 2', 'castellan_processes_wanted 2']);
  for (const each of left) {
    left.delete(each);
    each.emit('exit');
  }
  expect(await processes()).toEqual(['castellan_processes_ready 0', 'castellan_processes_wanted 2']);
});

it('uses the last values of a process that does not answer in time', async () => {
  await lines();
  one.well = false;
  one.count.inc({ route: '/token' }, 100);
  expect(await lines()).toEqual(ALL);
});

it('does not wait for a process that ends meanwhile', async () => {
  const patient = createJointMetrics(new Registry(), 60_000);
  one.well = false;
  patient.add(one as unknown as Worker);
  const read = patient.read();
  one.emit('exit');
  expect(await read).not.toContain('requests');
});

it('tells the longest delay of an event loop, so that one of several processes that is held is seen', async () => {
  const told = [0.7, 0.02, 0.02].map(async (seconds) => {
    const registry = new Registry();
    collectProcessMetrics(registry);
    const metrics = await registry.getMetricsAsJSON();
    for (const { name, values } of metrics)
      if (name === 'nodejs_eventloop_lag_p99_seconds') values[0] = { value: seconds, labels: {} };
    return metrics;
  });
  const all = AggregatorRegistry.aggregate(await Promise.all(told));
  expect(await all.getSingleMetricAsString('nodejs_eventloop_lag_p99_seconds')).toMatch(/ 0\.7$/);
});
