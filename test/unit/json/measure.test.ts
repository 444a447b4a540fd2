import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_DEPTH, MAX_VALUES, measure } from '../../../contract/json/measure.ts';

/** The number of values in a value: itself and, for a list or an object, all in it. */
function count(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce<number>((sum, of) => sum + count(of), 1);
}

const kindOf = (text: string) => measure(text)?.type;

describe('D3c: values are counted on the raw text', () => {
  it('counts exactly, whatever the contents and white space of the text', () => {
    const layouts = fc.constantFrom(undefined, 1, '\t', '\r\n');
    // The depth has its own limit.
    const values = fc.jsonValue({ maxDepth: 10 });
    const property = fc.property(values, layouts, (value, layout) => {
      const rest = MAX_VALUES - 1 - count(value);
      const full = JSON.stringify([value, ...Array(rest).fill(0)], null, layout);
      expect(kindOf(full)).toBeUndefined();
      expect(kindOf(`${full.slice(0, -1)},0]`)).toBe('too_many_values');
    });
    fc.assert(property, { numRuns: 50 });
  });

  it.each([
    ['lists', '[]'],
    ['objects', '{}'],
    ['numbers', '-1.5e3'],
    ['texts', '"a,b,[c,{"'],
    ['texts with quotes', '"\\",\\",\\\\"'],
    ['fields', '{"a,b:":[null,{"c":[]}]}'],
  ])('%s', (_, element) => {
    const each = count(JSON.parse(element));
    const copies = Math.floor((MAX_VALUES - 1) / each);
    expect(kindOf(`[${Array(copies).fill(element).join()}]`)).toBeUndefined();
    expect(
      kindOf(
        `[${Array(copies + 1)
          .fill(element)
          .join(' , ')}]`,
      ),
    ).toBe('too_many_values');
  });

  it('up to the first fault: what follows it does not count', () => {
    for (const text of ['', ' ', '{', ']]]]', '"', '"\\', '{"a"::::', `[${':'.repeat(50_000)}`]) {
      expect(kindOf(text), text.slice(0, 10)).toBeUndefined();
    }
    expect(kindOf(`[${'1,'.repeat(30_000)}`)).toBe('too_many_values');
  });

  it('so are levels of nesting', () => {
    const nested = (open: string, close: string, depth: number) => open.repeat(depth) + close.repeat(depth);
    expect(kindOf(nested('[', ']', MAX_DEPTH))).toBeUndefined();
    expect(kindOf(nested('[', ']', MAX_DEPTH + 1))).toBe('too_deep');
    expect(kindOf(nested('{"a":', '}', MAX_DEPTH + 1))).toBe('too_deep');
    // Siblings are not nested.
    expect(kindOf(`[${Array(1_000).fill('[[]]').join()}]`)).toBeUndefined();
    expect(kindOf(`["${'['.repeat(100)}"]`)).toBeUndefined();
  });
});
