import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createLog } from '../../../server/observability/log.ts';
import { untilStopped } from '../../../server/process/lifecycle.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const before = new Map(SIGNALS.map((signal) => [signal, process.listeners(signal)]));

const exit = vi.fn();
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout'] });
  vi.spyOn(process, 'exit').mockImplementation(exit as never);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  exit.mockReset();
  for (const signal of SIGNALS)
    for (const listener of process.listeners(signal))
      if (!before.get(signal)?.includes(listener)) process.off(signal, listener);
});

describe('a process that is asked to stop', () => {
  const log = createLog('silent');

  it('again within a second: one Ctrl-C under npm arrives twice', async () => {
    const last = vi.fn(async () => undefined);
    const stopped = untilStopped(log, 0, last);
    process.emit('SIGINT', 'SIGINT');
    process.emit('SIGINT', 'SIGINT');
    vi.advanceTimersByTime(900);
    process.emit('SIGTERM', 'SIGTERM');
    expect(await stopped).toBe('SIGINT');
    expect(last).not.toHaveBeenCalled();
    expect(exit).not.toHaveBeenCalled();
  });

  it('a second time ends when what must not be lost is done, a third time at once', async () => {
    let done = () => undefined as unknown;
    const lasts = new Promise((resolve) => {
      done = () => resolve(undefined);
    });
    const last = vi.fn(() => lasts);
    void untilStopped(log, 0, last);
    const then = (millis: number, signal: NodeJS.Signals) => {
      vi.advanceTimersByTime(millis);
      process.emit(signal, signal);
    };
    then(0, 'SIGTERM');
    then(1_001, 'SIGINT');
    then(10, 'SIGINT');
    expect(last.mock.calls).toEqual([['SIGINT']]);
    expect(exit).not.toHaveBeenCalled();
    done();
    await setImmediate();
    expect(exit.mock.calls).toEqual([[1]]);
    then(1_001, 'SIGINT');
    expect(exit.mock.calls).toEqual([[1], [1]]);
    expect(last).toHaveBeenCalledOnce();
  });

  it('and does not come to its end is cut short, later when it drains first', () => {
    void untilStopped(log, 5_000);
    process.emit('SIGTERM', 'SIGTERM');
    vi.advanceTimersByTime(16_000);
    expect(exit).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1_000);
    expect(exit.mock.calls).toEqual([[1]]);
  });
});
