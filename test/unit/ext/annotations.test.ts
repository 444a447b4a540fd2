import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findNameable } from '../../../server/ext/annotations.ts';

function nameableIds(...answers: readonly unknown[]): number[] {
  const found = new Set<number>();
  for (const data of answers) findNameable(data, found);
  return [...found];
}

describe('D32: id_annotations', () => {
  it('finds integers under keys of nameable kinds, at any depth, each once', () => {
    const data = [
      { solar_system_id: 30000142, station_id: 60003760, structure_id: 1_022_000_000_001 },
      {
        items: [
          { type_id: 587, item_id: 1 },
          { type_id: 587, ship_type_id: 588 },
        ],
        ceo_id: 2112000001,
      },
    ];
    expect(new Set(nameableIds(data))).toEqual(new Set([30000142, 60003760, 587, 588, 2112000001]));
  });

  it.each([
    { type_id: '587' },
    { type_id: 1.5 },
    { type_id: 0 },
    { type_id: -1 },
    { type_id: 2 ** 31 },
    { type: 587 },
    { my_typeid: 5 },
    587,
    null,
  ])('leaves %j alone', (data) => expect(nameableIds(data)).toEqual([]));

  it('handles any JSON, at any depth', () => {
    fc.assert(fc.property(fc.jsonValue(), (data) => nameableIds(data).every(Number.isInteger)));
    let deep: unknown = { type_id: 7 };
    for (let depth = 0; depth < 200_000; depth += 1) deep = [deep];
    expect(nameableIds(deep)).toEqual([7]);
  });

  it('stops at ten thousand ids, over several answers together', () => {
    const half = (first: number) => Array.from({ length: 6_000 }, (_, n) => ({ type_id: first + n }));
    expect(nameableIds(half(1), half(10_001))).toHaveLength(10_000);
    expect(nameableIds(Array.from({ length: 20_000 }, (_, id) => ({ type_id: id + 1 })))).toHaveLength(
      10_000,
    );
  });
});
