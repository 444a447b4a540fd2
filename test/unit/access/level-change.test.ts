import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lackToSetLevel, type RankedPosition } from '../../../server/access/level-change.ts';
import type { Lack } from '../../../server/shared/lack.ts';
import { pair, registry } from '../../fixtures/positions.ts';

const somebody = (
  characterId: number,
  level: number,
  where: Partial<RankedPosition> = {},
): RankedPosition => ({
  characterId,
  corporationId: 10,
  allianceId: null,
  coalitionIds: [],
  guest: level < 0,
  level,
  ...where,
});

const anyLevel = fc.integer({ min: 0, max: 10 });

const maySetLevel = (caller: RankedPosition, target: RankedPosition, next: number) =>
  lackToSetLevel(caller, target, next) === undefined;

describe('D16: setting a level', () => {
  it.each([
    ['a raise below the own level, near', somebody(1, 2), somebody(2, 0), 2, true],
    ['above the own level', somebody(1, 2), somebody(2, 0), 3, false],
    ['somebody above oneself', somebody(1, 9), somebody(2, 10), 9, false],
    ['a peer downwards, at 9', somebody(1, 9), somebody(2, 9), 0, true],
    ['downwards, below 9', somebody(1, 8), somebody(2, 5), 4, false],
    ['the same level again, below 9', somebody(1, 8), somebody(2, 5), 5, true],
    ['a member of the own corporation with level 1', somebody(1, 1), somebody(2, 0), 1, false],
    ['a stranger with level 7', somebody(1, 7), somebody(2, 0, { corporationId: 11 }), 1, false],
    ['a stranger with level 8', somebody(1, 8), somebody(2, 0, { corporationId: 11 }), 8, true],
    ['oneself', somebody(1, 10), somebody(1, 10), 9, false],
    ['a guest', somebody(1, 10), somebody(2, -1), 0, false],
    ['the built-in user', somebody(1, 10), somebody(0, 10, { corporationId: null }), 10, false],
  ])('%s', (_, caller, target, next, allowed) => {
    expect(maySetLevel(caller, target, next)).toBe(allowed);
  });

  it.each<[RankedPosition, RankedPosition, number, Lack]>([
    [somebody(1, 2), somebody(2, 0), 3, { level: 3, has: 2, to: 'setting level 0 to 3' }],
    [somebody(1, 9), somebody(2, 10), 9, { level: 10, has: 9, to: 'setting level 10 to 9' }],
    [somebody(1, 8), somebody(2, 5), 4, { level: 9, has: 8, to: 'setting level 5 to 4' }],
    [somebody(1, 1), somebody(2, 0), 1, { authority: 'write', over: 'user 2' }],
    [somebody(1, 7), somebody(2, 0, { corporationId: 11 }), 1, { authority: 'write', over: 'user 2' }],
    [somebody(1, 10), somebody(1, 10), 9, { never: 'nobody sets their own level' }],
    [somebody(1, 10), somebody(2, -1), 0, { never: "nobody sets a guest's level" }],
    [somebody(1, 10), somebody(0, 10), 10, { never: 'nobody changes the built-in user' }],
  ])('D5: says what is lacking (%#)', (caller, target, next, lack) => {
    expect(lackToSetLevel(caller, target, next)).toEqual(lack);
  });

  it.each([
    [1, { corporationId: 10 }],
    [3, { corporationId: 11, allianceId: 100 }],
    [5, { corporationId: 11, coalitionIds: ['x'] }],
    [7, { corporationId: 11 }],
  ])('at distance %i: exactly what the rule lets through, for every three levels', (distance, where) => {
    for (let own = 0; own <= 10; own += 1) {
      const caller = somebody(1, own, { allianceId: 100, coalitionIds: ['x'] });
      for (let present = 0; present <= 10; present += 1) {
        for (let next = 0; next <= 10; next += 1) {
          const reasons = [next > own, present > own, own <= distance, next < present && own < 9];
          const target = somebody(2, present, where);
          expect(maySetLevel(caller, target, next), `${own}: ${present} to ${next}`).toBe(
            !reasons.includes(true),
          );
        }
      }
    }
  });

  it('never gives more than the caller has, and never changes users above it, or guests', () => {
    fc.assert(
      fc.property(pair, anyLevel, ([caller, target], next) => {
        if (!maySetLevel(caller, target, next)) return;
        expect(next).toBeLessThanOrEqual(caller.level);
        expect(target.level).toBeLessThanOrEqual(caller.level);
        expect(caller.characterId).not.toBe(target.characterId);
        expect(Math.min(caller.level, target.level)).toBeGreaterThanOrEqual(0);
        if (next < target.level) expect(caller.level).toBeGreaterThanOrEqual(9);
      }),
      { numRuns: 2000 },
    );
  });

  it('the right to raise to a level includes all levels in between', () => {
    fc.assert(
      fc.property(pair, anyLevel, anyLevel, ([caller, target], next, between) => {
        fc.pre(between >= target.level && between <= next);
        if (maySetLevel(caller, target, next)) expect(maySetLevel(caller, target, between)).toBe(true);
      }),
    );
  });

  it('a caller with a higher level has the same rights', () => {
    fc.assert(
      fc.property(pair, anyLevel, fc.integer({ min: 0, max: 10 }), ([caller, target], next, higher) => {
        fc.pre(higher >= caller.level && !caller.guest);
        if (maySetLevel(caller, target, next)) {
          expect(maySetLevel({ ...caller, level: higher }, target, next)).toBe(true);
        }
      }),
    );
  });

  it('no sequence of calls by any number of users raises one above the highest of them', () => {
    const calls = fc.array(fc.tuple(fc.nat(), fc.nat(), fc.integer({ min: 0, max: 10 })), { maxLength: 60 });
    fc.assert(
      fc.property(registry, calls, ({ people }, sequence) => {
        const levels = people.map(({ level }) => level);
        const highest = Math.max(...levels);
        const present = (index: number) => ({
          ...(people[index] as RankedPosition),
          level: levels[index] as number,
        });
        for (const [by, of, next] of sequence) {
          const [caller, target] = [by % people.length, of % people.length];
          const before = present(caller).level;
          if (maySetLevel(present(caller), present(target), next)) levels[target] = next;
          // Nobody raises their own level.
          expect(present(caller).level).toBe(before);
        }
        expect(Math.max(...levels)).toBeLessThanOrEqual(highest);
        for (const [index, { level }] of people.entries()) if (level < 0) expect(levels[index]).toBe(level);
      }),
      { numRuns: 500 },
    );
  });

  it('users cannot raise each other above their common highest level, by any sequence', () => {
    const calls = fc.array(fc.tuple(fc.nat(), fc.nat(), fc.integer({ min: 0, max: 10 })), { maxLength: 60 });
    fc.assert(
      fc.property(registry, calls, ({ people }, sequence) => {
        // Everybody of at most level 4 cooperates; the others do nothing.
        const levels = people.map(({ level }) => level);
        const gang = people.flatMap(({ level }, index) => (level <= 4 ? [index] : []));
        fc.pre(gang.length > 0);
        const present = (index: number) => ({
          ...(people[index] as RankedPosition),
          level: levels[index] as number,
        });
        for (const [by, of, next] of sequence) {
          const [caller, target] = [gang[by % gang.length] as number, of % people.length];
          if (maySetLevel(present(caller), present(target), next)) levels[target] = next;
        }
        for (const index of gang) expect(levels[index]).toBeLessThanOrEqual(4);
        for (const [index, { level }] of people.entries()) if (level > 4) expect(levels[index]).toBe(level);
      }),
      { numRuns: 500 },
    );
  });
});
