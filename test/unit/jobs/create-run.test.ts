import pino from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createRun } from '../../../jobs/create-run.ts';
import { createMetrics } from '../../../server/observability/metrics.ts';

describe('a run of a job', () => {
  let logged: Record<string, unknown>[];
  const metrics = createMetrics();
  const start = (stopping = new AbortController()) => {
    const log = pino({}, { write: (line) => logged.push(JSON.parse(line)) });
    return createRun({ log, metrics, stopping: stopping.signal }, 'sync-users', { id: 'run' });
  };

  beforeEach(() => {
    logged = [];
    vi.useFakeTimers();
  });
  afterEach(() => vi.useRealTimers());

  it('logs every ten seconds its progress, its speed, and the time left', () => {
    const run = start();
    for (let second = 1; second <= 25; second += 1) {
      vi.advanceTimersByTime(1_000);
      run.progress(second * 40, 2_000);
    }
    expect(logged).toMatchObject([
      { job: 'sync-users', run_id: 'run', done: 400, total: 2_000, per_second: 40, seconds_left: 40 },
      { done: 800, per_second: 40, seconds_left: 30 },
    ]);
  });

  it('counts its steps in the metrics until it ends', async () => {
    const run = start();
    run.progress(7, 9);
    const { values } = await metrics.jobProgress.get();
    expect(values).toEqual([
      { labels: { job: 'sync-users', of: 'done' }, value: 7 },
      { labels: { job: 'sync-users', of: 'total' }, value: 9 },
    ]);
    run.end();
    expect((await metrics.jobProgress.get()).values).toEqual([]);
  });

  it('is aborted before its time limit, and when the process stops', () => {
    const run = start();
    vi.advanceTimersByTime(1_349_000);
    expect(run.signal.aborted).toBe(false);
    vi.advanceTimersByTime(2_000);
    expect(run.signal.aborted).toBe(true);

    const stopping = new AbortController();
    const other = start(stopping);
    expect(other.signal.aborted).toBe(false);
    stopping.abort();
    expect(other.signal.aborted).toBe(true);
    expect(start(stopping).signal.aborted).toBe(true);
  });

  it('leaves no timers behind when it has ended', () => {
    const stopping = new AbortController();
    const run = start(stopping);
    run.end();
    stopping.abort();
    expect(run.signal.aborted).toBe(false);
    expect(vi.getTimerCount()).toBe(0);
  });
});
