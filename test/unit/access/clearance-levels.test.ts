import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { answersFor } from '../../../server/access/account.ts';
import {
  hasAuthority,
  isAdministrator,
  isBuiltIn,
  isGuest,
  isSuperuser,
} from '../../../server/access/clearance-levels.ts';
import { distanceTo } from '../../../server/access/distance.ts';
import { idIn } from '../../../server/access/named-user.queries.ts';
import { toPosition } from '../../../server/access/position.queries.ts';
import { pair } from '../../fixtures/positions.ts';

const DISTANCES = [0, 1, 3, 5, 7] as const;
const LEVELS = [-1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10];

describe('levels at their bounds', () => {
  it.each([
    ['D28: guests are below 0', isGuest, [-1]],
    ['D19: administrators are at 9 and 10', isAdministrator, [9, 10]],
    ['D5: everything is open to 10 alone', isSuperuser, [10]],
  ] as const)('%s', (_, is, those) => {
    expect(LEVELS.filter(is)).toEqual(those);
  });

  it('the built-in user is the one with id 0', () => {
    expect([0, 1, -1, 2_112_000_001].filter(isBuiltIn)).toEqual([0]);
  });
});

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
          expect(hasAuthority(one.level, distanceTo(one, other), mode)).toBe(false);
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

describe('who stands where', () => {
  const row = { role: 'caller', corporation_id: 10, alliance_id: 100, coalitions: ['x'] } as const;

  it('D11: a position says whether somebody is a guest, by the level alone', () => {
    expect(toPosition({ ...row, character_id: 7, level: -1 })).toEqual({
      characterId: 7,
      corporationId: 10,
      allianceId: 100,
      coalitionIds: ['x'],
      guest: true,
      level: -1,
    });
    expect(toPosition({ ...row, character_id: 7, level: 0 })).toMatchObject({ guest: false });
  });

  it('D13: that of a corporation is nobody’s, the built-in user’s neither', () => {
    expect(toPosition({ ...row, character_id: null, level: 0 })).toMatchObject({ characterId: -1 });
  });

  it('D23: the sponsor of a token answers for it, or else its owner', () => {
    expect(answersFor({ owner_id: 0, sponsor_id: 7 })).toBe(7);
    expect(answersFor({ owner_id: 5, sponsor_id: null })).toBe(5);
    expect(answersFor({ owner_id: 5, sponsor_id: 0 })).toBe(0);
  });
});

describe('D70: a text that is an id', () => {
  it.each([
    ['0', 0],
    ['7', 7],
    ['2112000001', 2_112_000_001],
    [String(Number.MAX_SAFE_INTEGER), Number.MAX_SAFE_INTEGER],
  ])('%s is', (text, id) => expect(idIn(text)).toBe(id));

  it.each([
    '',
    '00',
    '07',
    '-1',
    '+7',
    ' 7',
    '7 ',
    '7x',
    'x7',
    '7.0',
    '1e3',
    '0x7',
    '9007199254740992',
    '99999999999999999',
  ])('%j is not', (text) => expect(idIn(text)).toBeNull());
});
