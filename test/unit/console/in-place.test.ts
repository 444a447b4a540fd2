import { expect, it } from 'vitest';
import { inPlace } from '../../../console/src/shared/in-place.ts';

const entry = (id: number, name = 'Somebody') => ({ id, name });
const idOf = ({ id }: { id: number }) => id;

it('what is shown stays in its place: what is new comes last, what is gone is marked, what changed is exchanged', () => {
  const first = inPlace([], [entry(2), entry(1)], idOf);
  const second = inPlace(first, [entry(3), entry(1, 'Renamed')], idOf);
  expect(second).toEqual([
    { item: entry(2), isGone: true },
    { item: entry(1, 'Renamed'), isGone: false },
    { item: entry(3), isGone: false },
  ]);
  expect(inPlace(second, [entry(2)], idOf).map(({ isGone }) => isGone)).toEqual([false, true, true]);
});
