import { expect, it } from 'vitest';
import { changesOf, withTheirs } from '../../../console/src/shared/with-theirs.ts';

const BASE = { joining: 'closed', users: [1, 2], eligible: { groups: ['a'], level: 0 } };

it('what was not changed here is theirs, what they did not change stays as it was chosen, in its order', () => {
  const theirs = { ...BASE, joining: 'open', users: [1, 2, 3] };
  expect(withTheirs({ ...BASE, eligible: { groups: ['b', 'a'], level: 2 } }, BASE, theirs)).toEqual({
    ...theirs,
    eligible: { groups: ['b', 'a'], level: 2 },
  });
});

it('a list that two change at once is theirs, with what was added here and without what was taken out', () => {
  expect(withTheirs([2, 9], [1, 2], [1, 2, 3])).toEqual([2, 3, 9]);
  const theirs = { ...BASE, eligible: { groups: ['a', 'b'], level: 5 } };
  expect(withTheirs({ ...BASE, eligible: { groups: [], level: 0 } }, BASE, theirs).eligible).toEqual({
    groups: ['b'],
    level: 5,
  });
});

it('D81, D110: two who each take one entry out of a list do not lift the restriction together', () => {
  expect(withTheirs(['a'], ['a', 'b'], ['b'])).toEqual(['a']);
});

it('of one value the last choice counts', () => {
  expect(withTheirs<boolean | null>(true, null, false)).toBe(true);
});

it('D81: a restriction that was made since is not sent back, as nothing was chosen about it', () => {
  const opened = { name: 'Wiki', groups: [] as string[] };
  const now = { name: 'Wiki', groups: ['officers'] };
  expect(changesOf(now, { name: 'Our wiki', groups: [] }, opened)).toEqual({ name: 'Our wiki' });
  expect(changesOf(now, { name: 'Wiki', groups: ['pilots'] }, opened)).toEqual({
    groups: ['officers', 'pilots'],
  });
  expect(changesOf(now, now)).toEqual({});
});
