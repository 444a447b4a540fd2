import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { entriesOf, inBatches } from '../../../server/ext/list-entries.ts';

/** A list of the provider, and its entries in batches of at least so many bytes. */
function batchesOf(list: readonly unknown[], size: number): Buffer[] {
  const entries = entriesOf(Buffer.from(JSON.stringify(list, null, 1)));
  return [...inBatches(entries ?? Buffer.alloc(0), size)];
}

const text = fc.stringMatching(/^[a"\\\\[\]{},é\u{1f600}]{0,12}$/u);
const value = fc.jsonValue().chain((json) => fc.oneof(fc.constant(json), text, fc.record({ [',']: text })));

describe('D3c, D32: entries of a list in batches', () => {
  it('are all of them, whole and in their order, whatever they hold', () => {
    const lists = fc.tuple(fc.array(value), fc.integer({ min: 1, max: 60 }));
    fc.assert(
      fc.property(lists, ([list, size]) => {
        const batches = batchesOf(list, size);
        const parsed = batches.flatMap((batch) => JSON.parse(`[${batch}]`) as unknown[]);
        expect(parsed).toEqual(JSON.parse(JSON.stringify(list)));
        expect(batches.slice(0, -1).every(({ length }) => length >= size)).toBe(true);
      }),
    );
  });

  it('end with the entry that completes one', () => {
    const batches = batchesOf(['aa', 'bb', 'cc', 'dd', 'ee'], 8);
    expect(batches.map((batch) => JSON.parse(`[${batch}]`))).toEqual([['aa', 'bb'], ['cc', 'dd'], ['ee']]);
  });

  it('are none of an empty list', () => {
    expect(batchesOf([], 1)).toEqual([]);
  });
});
