import { setImmediate as breathe } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createSemaphore } from '../../../server/shared/semaphore.ts';

it('limits the number of holders, in order, and continues after a failure', async () => {
  const limited = createSemaphore(2);
  const begun: number[] = [];
  const ends: ((failure?: Error) => void)[] = [];
  const work = (n: number) =>
    limited(() => {
      begun.push(n);
      return new Promise<number>((resolve, reject) => {
        ends[n] = (failure) => (failure === undefined ? resolve(n) : reject(failure));
      });
    });
  const all = [0, 1, 2, 3].map(work);
  const settled = Promise.allSettled(all);
  await breathe();
  expect(begun).toEqual([0, 1]);
  ends[1]?.(new Error('failed'));
  await breathe();
  expect(begun).toEqual([0, 1, 2]);
  ends[0]?.();
  ends[2]?.();
  await breathe();
  expect(begun).toEqual([0, 1, 2, 3]);
  ends[3]?.();
  expect((await settled).map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'fulfilled',
    'fulfilled',
  ]);
});
