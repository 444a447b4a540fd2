import { describe, expect, it } from 'vitest';
import { type Standing, standingThen } from '../../../console/src/screens/user/standing-then.ts';

const NOW: Standing = {
  may_log_in: true,
  clearance_level: 4,
  corporation: 98_000_002,
  alliance: 99_000_001,
  coalitions: ['a'],
};
const at = (day: number) => new Date(Date.UTC(2026, 2, day));

let position = 100;

/** Events latest first, as in the audit log. */
const events = [
  told(20, 'user.standing_changed', { clearance_level: [2, 4] }),
  told(15, 'user.moved', { corporation: [98_000_001, 98_000_002] }),
  told(15, 'user.standing_changed', { corporation: [98_000_001, 98_000_002], alliance: [null, 99_000_001] }),
  told(10, 'user.standing_changed', {
    clearance_level: [0, 2],
    may_log_in: [false, true],
    coalitions: [[], ['a']],
  }),
  told(5, 'user.registered', { clearance_level: [null, 0], corporation: [null, 98_000_001] }),
  told(3, 'user.deleted', {
    character_name: ['Vale', null],
    clearance_level: [1, null],
    coalitions: [[], null],
  }),
];

function told(day: number, type: string, values: Readonly<Record<string, readonly [unknown, unknown]>>) {
  position -= 1;
  const changes = Object.entries(values).map(([field, [before, after]]) => ({ field, before, after }));
  const occurred_on = at(day).toISOString();
  return { position, occurred_on, type, changes };
}

describe('D91: undoing the events of a user gives its standing at an earlier time', () => {
  it.each([
    ['after the last event all is as it is', 21, NOW],
    ['at the moment of an event that has happened', 20, NOW],
    ['before it', 19, { ...NOW, clearance_level: 2 }],
    ['before two more', 14, { ...NOW, clearance_level: 2, corporation: 98_000_001, alliance: null }],
    [
      'before it was let in',
      9,
      { may_log_in: false, clearance_level: 0, corporation: 98_000_001, alliance: null, coalitions: [] },
    ],
    ['before it was registered', 4, undefined],
    [
      'before it was deleted: an end takes a whole standing away',
      2,
      { may_log_in: false, clearance_level: 1, corporation: null, alliance: null, coalitions: [] },
    ],
  ] as const)('%s', (_, day, standing) => {
    expect(standingThen(NOW, events, at(day))).toEqual(standing);
  });

  it('the events may come in any order', () => {
    expect(standingThen(NOW, events.toReversed(), at(9))).toEqual(standingThen(NOW, events, at(9)));
  });

  it('changes of member lists do not affect a standing', () => {
    const list = {
      ...told(25, 'user.standing_changed', {}),
      changes: [{ field: 'coalitions', added: [], removed: [1] }],
    };
    expect(standingThen(NOW, [list], at(1))).toEqual(NOW);
  });
});
