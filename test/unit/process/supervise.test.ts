import { expect, it } from 'vitest';
import { againAfter } from '../../../server/process/supervise.ts';

it('a process that ends again and again is started later each time, though never later than half a minute', () => {
  let pause = againAfter(0, Number.POSITIVE_INFINITY);
  const pauses = [pause];
  for (let n = 0; n < 7; n += 1) pauses.push((pause = againAfter(pause, pause)));
  expect(pauses).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  expect(againAfter(pause, 60_001)).toBe(500);
});
