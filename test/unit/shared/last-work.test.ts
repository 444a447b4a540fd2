import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createLog } from '../../../server/observability/log.ts';
import { createLastWork } from '../../../server/shared/last-work.ts';

function stage() {
  const logged: string[] = [];
  const log = createLog('info', { write: (line) => logged.push(line) });
  return { logged, work: createLastWork(log, 'deliveries') };
}

it('D84: a stop waits for what runs, and for what that adds, also when it fails', async () => {
  const { work } = stage();
  let given = false;
  const giveBack = async () => {
    await setImmediate();
    given = true;
  };
  const asked = setImmediate().then(() => {
    void work.add(giveBack());
    throw new Error('not answered');
  });
  work.add(asked).catch(() => undefined);
  await work.finish(performance.now() + 60_000);
  expect(given).toBe(true);
});

it('D84: but not for requests without end that begin later, as during a drain', async () => {
  const { work, logged } = stage();
  let over = false;
  const next = async (): Promise<void> => {
    await setImmediate();
    if (!over) void work.add(next());
  };
  void work.add(next());
  await work.finish(performance.now() + 5_000);
  over = true;
  expect(logged.join('')).not.toContain('cut off');
});

it('D84: what is not done by the deadline is told, even if the timer fires a little before', async () => {
  for (let n = 0; n < 40; n += 1) {
    const { work, logged } = stage();
    void work.add(new Promise(() => undefined));
    await work.finish(performance.now() + 1 + n / 40);
    expect(logged.join('')).toContain('the stop has cut off deliveries, which may be lost');
  }
});
