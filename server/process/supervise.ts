import cluster from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import type { Settings } from '../config/settings.ts';
import { longestDrain } from '../http/gate.ts';
import { followProcesses } from '../observability/gauges.ts';
import { createJointMetrics } from '../observability/joint-metrics.ts';
import { serveJointMetrics } from '../observability/serve-metrics.ts';
import { CannotStart } from '../shared/cannot-start.ts';
import { untilStopped } from './lifecycle.ts';

/** Milliseconds before a process that ended is replaced: the first time, and at most. */
const AGAIN_AFTER = { first: 500, most: 30_000 };
/** Milliseconds after which a process counts as stable, so that its end resets that pause. */
const LONG_LIFE = 60_000;
/** Milliseconds that this process waits at a stop in addition to the time limit of those it supervises. */
const LONGER = 1_000;
/** The message of a process that answers requests. */
const READY = 'castellan is ready';

/** Notifies the supervising process that this one answers requests. */
export function tellReady(): void {
  if (isSupervised()) process.send?.(READY);
}

/** Whether this process is one of several behind one port. */
export function isSupervised(): boolean {
  return cluster.isWorker;
}

/** Whether this process starts others that serve, instead of serving itself. */
export function isSupervisor({ processes }: Pick<Settings, 'processes'>): boolean {
  return cluster.isPrimary && processes > 1;
}

/** Milliseconds before the next start, so that a process that keeps ending at once does not use up the CPU. */
export function againAfter(previous: number, livedFor: number): number {
  if (livedFor > LONG_LIFE) return AGAIN_AFTER.first;
  return Math.min(Math.max(previous * 2, AGAIN_AFTER.first), AGAIN_AFTER.most);
}

/**
 * Runs the service in several processes behind one port, until it is told to stop. They share nothing but that port. A
 * process that ends is replaced; meanwhile the others answer.
 *
 * @throws CannotStart when one of the first processes does not start, which has logged the reason
 */
export async function supervise(settings: Settings, log: Logger): Promise<void> {
  let slots: Promise<void>[] = [];
  // They would end with this process, whatever they have to do.
  const last = (signal: NodeJS.Signals) => {
    endAll(signal);
    return Promise.allSettled(slots);
  };
  const stopped = untilStopped(log, longestDrain(settings.drainSeconds) + LONGER, last);
  const stopping = new AbortController();
  const ready = new Set<number>();
  const registry = new Registry();
  followProcesses({ registry }, settings.processes, () => ready.size);
  const joint = createJointMetrics(registry);
  let started = false;

  const metrics = await serveJointMetrics(joint, settings, log);
  slots = Array.from({ length: settings.processes }, superviseOne);
  try {
    endAll(await Promise.race([stopped, Promise.all(slots).then(() => stopped)]));
  } catch (error) {
    endAll('SIGTERM');
    throw error;
  } finally {
    await Promise.allSettled(slots);
    await metrics.stop();
  }
  log.info('all processes have stopped');

  /** Keeps one process running, replacing it whenever it ends. Each of these loops has its own pause. */
  async function superviseOne(): Promise<void> {
    let pause = 0;
    while (!stopping.signal.aborted) {
      const began = performance.now();
      const how = await runOne().catch((error: unknown) => ({ err: error }));
      if (stopping.signal.aborted) return;
      if (!started) throw new CannotStart('A process of the service did not start.');
      pause = againAfter(pause, performance.now() - began);
      log.error({ ...how, pause }, 'a process of the service ended; another one takes its place');
      await sleep(pause, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }

  /** Runs a process to its end; returns exit code and signal for the log. */
  async function runOne(): Promise<object> {
    const worker = cluster.fork();
    worker.on('message', (message) => {
      if (message !== READY) return;
      joint.add(worker);
      ready.add(worker.id);
      if (ready.size < settings.processes) return;
      started = true;
      log.info({ processes: ready.size }, 'all processes of the service are ready');
    });
    try {
      const [code, signal] = await once(worker, 'exit');
      return { pid: worker.process.pid, code, signal };
    } finally {
      ready.delete(worker.id);
    }
  }

  function endAll(signal: NodeJS.Signals): void {
    stopping.abort();
    // A Ctrl-C in a terminal has reached the processes too; they ignore a second signal that follows so soon.
    for (const each of Object.values(cluster.workers ?? {})) each?.process.kill(signal);
  }
}
