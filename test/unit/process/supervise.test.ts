import { expect, it } from 'vitest';
import { againAfter } from '../../../server/process/supervise.ts';

it('a process that keeps ending is restarted after a growing pause of at most half a minute', () => {
  const pauses = [againAfter(0, Number.POSITIVE_INFINITY)];
  for (let n = 0; n < 7; n += 1) pauses.push(againAfter(pauses[n] ?? 0, pauses[n] ?? 0));
  expect(pauses).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  expect(againAfter(30_000, 60_001)).toBe(500);
  expect(againAfter(0, 100)).toBe(500);
});
