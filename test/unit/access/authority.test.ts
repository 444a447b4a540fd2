import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasAuthority } from '../../../server/access/authority.ts';
import { distanceToUser } from '../../../server/access/distance.ts';
import { pair } from '../../fixtures/positions.ts';

const DISTANCES = [0, 1, 3, 5, 7] as const;
const LEVELS = [-1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10];

describe('D12: authority', () => {
  it.each([
    ['read', 0, 0],
    ['read', 1, 1],
    ['read', 3, 3],
    ['read', 5, 5],
    ['read', 7, 7],
    ['write', 0, 1],
    ['write', 1, 2],
    ['write', 3, 4],
    ['write', 5, 6],
    ['write', 7, 8],
  ] as const)('to %s at distance %i takes level %i', (mode, distance, least) => {
    for (const level of LEVELS)
      expect(hasAuthority(level, distance, mode), `level ${level}`).toBe(level >= least);
  });

  it('guests have none, not even over themselves', () => {
    fc.assert(
      fc.property(pair, ([one, other]) => {
        fc.pre(one.level < 0);
        for (const mode of ['read', 'write'] as const) {
          expect(hasAuthority(one.level, distanceToUser(one, other), mode)).toBe(false);
        }
      }),
    );
  });

  it('never decreases with a higher level or a smaller distance', () => {
    const some = fc.record({
      level: fc.integer({ min: -1, max: 10 }),
      higher: fc.integer({ min: -1, max: 10 }),
      near: fc.constantFrom(...DISTANCES),
      far: fc.constantFrom(...DISTANCES),
      mode: fc.constantFrom('read', 'write'),
    });
    fc.assert(
      fc.property(some, ({ level, higher, near, far, mode }) => {
        fc.pre(level <= higher && near <= far);
        if (hasAuthority(level, far, mode)) expect(hasAuthority(higher, near, mode)).toBe(true);
      }),
    );
  });

  it('write authority includes read authority', () => {
    for (const level of LEVELS) {
      for (const distance of DISTANCES) {
        if (hasAuthority(level, distance, 'write')) expect(hasAuthority(level, distance, 'read')).toBe(true);
      }
    }
  });
});
