import cluster from 'node:cluster';
import type { Logger } from 'pino';
import type { Settings } from '../config/settings.ts';
import { serveJointMetrics } from '../observability/serve-metrics.ts';
import { CannotStart } from '../shared/cannot-start.ts';
import { untilStopped } from './lifecycle.ts';

/** Milliseconds before another process takes the place of one that ended: at first, and at the most. */
const AGAIN_AFTER = { first: 500, most: 30_000 };
/** Milliseconds without an end after which the next one counts as the first. */
const CALM = 60_000;
/** Seconds longer than those that it supervises this process waits at a stop. */
const LONGER = 1;
/** What a process says that answers requests. */
const READY = 'castellan is ready';

/** Tells a supervising process that this one answers requests. */
export function tellReady(): void {
  if (isSupervised()) process.send?.(READY);
}

/** Whether this process is one of several behind one port. */
export function isSupervised(): boolean {
  return cluster.isWorker;
}

/** Whether this process is to start others that serve, and not to serve itself. */
export function isSupervisor({ processes }: Pick<Settings, 'processes'>): boolean {
  return cluster.isPrimary && processes > 1;
}

/** Milliseconds until the next try, so that what ends at once again and again does not take the machine. */
export function againAfter(previous: number, calmFor: number): number {
  return calmFor > CALM ? AGAIN_AFTER.first : Math.min(previous * 2, AGAIN_AFTER.most);
}

/**
 * Runs the service in several processes behind one port, until it is told to stop. They share nothing but that port: one
 * that ends is replaced, and meanwhile the others answer.
 *
 * @throws CannotStart when one of the first ones does not start; it has said why
 */
export async function supervise(settings: Settings, log: Logger): Promise<void> {
  const stopped = untilStopped(log, settings.drainSeconds + LONGER);
  const ready = new Set<number>();
  let started = false;
  let stopping = false;
  let pause = AGAIN_AFTER.first;
  let endedAt = Number.NEGATIVE_INFINITY;
  const failed = new Promise<never>((_, reject) => {
    cluster.on('exit', ({ id, process: { pid } }, code, signal) => {
      ready.delete(id);
      if (stopping) return;
      if (!started) return reject(new CannotStart('A process of the service did not start.'));
      pause = againAfter(pause, performance.now() - endedAt);
      endedAt = performance.now();
      log.error({ pid, code, signal, pause }, 'a process of the service ended; another one takes its place');
      setTimeout(() => stopping || cluster.fork(), pause);
    });
  });
  cluster.on('message', ({ id }, message) => {
    if (message !== READY) return;
    ready.add(id);
    if (ready.size < settings.processes) return;
    started = true;
    log.info({ processes: ready.size }, 'all processes of the service are ready');
  });
  for (let n = 0; n < settings.processes; n += 1) cluster.fork();
  const metrics = await serveJointMetrics(settings, log);
  try {
    endAll(await Promise.race([stopped, failed]));
  } catch (error) {
    endAll('SIGTERM');
    throw error;
  } finally {
    await allEnded();
    await metrics.stop();
  }
  log.info('all processes have stopped');

  function endAll(signal: NodeJS.Signals): void {
    stopping = true;
    // A Ctrl-C in a terminal has reached them already: so soon, they take both for one.
    for (const each of Object.values(cluster.workers ?? {})) each?.process.kill(signal);
  }
}

async function allEnded(): Promise<void> {
  while (Object.keys(cluster.workers ?? {}).length > 0) {
    await new Promise((resolve) => cluster.once('exit', resolve));
  }
}
