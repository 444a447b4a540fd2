import { describe, expect, it } from 'vitest';
import { alone, firstSize, type Held, isOpen, nextSize } from '../../../server/rate-limit/leased-block.ts';
import { FARTHEST_END_MILLIS } from '../../../server/rate-limit/windows.queries.ts';

const block = (change: Partial<Held>): Held => ({ ...alone(600, 0), ...change });

describe('D60: a window', () => {
  const NOW = 1_000_000;
  const open = (endsIn: number) => isOpen(block({ endsAt: NOW + endsIn }), NOW);

  it('is open until its end, unless that is farther away than windows are long', () => {
    expect([-1, 0, 1].map(open)).toEqual([false, false, true]);
    expect(FARTHEST_END_MILLIS).toBe(120_000);
    expect([0, 1].map((more) => open(FARTHEST_END_MILLIS + more))).toEqual([true, false]);
  });
});

describe('D60: how much is leased', () => {
  it.each([
    [1, 1],
    [100, 1],
    [199, 1],
    [200, 2],
    [600, 6],
    [6_000, 60],
  ])('first a hundredth, of %i requests %i', (most, size) => {
    expect(firstSize(most)).toBe(size);
    expect(nextSize(undefined, most)).toBe(size);
  });

  it.each([
    ['twice as much as before', { granted: 6, free: 500 }, 12],
    ['a quarter of what is free, where that is less', { granted: 100, free: 40 }, 10],
    ['rounded up', { granted: 100, free: 41 }, 11],
    ['never less than at first', { granted: 6, free: 0 }, 6],
    ['never less than at first, where nothing was granted', { granted: 0, free: 400 }, 6],
  ])('then %s', (_, former, size) => {
    expect(nextSize(block(former), 600)).toBe(size);
  });

  it('all of it for a process on its own', () => {
    expect(alone(600, 5_000)).toEqual({
      ...{ most: 600, granted: 600, free: 0, endsAt: 5_000, askAgainAt: 5_000, left: 600, used: true },
    });
  });
});
