import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { beyond, limitsOf, MAX_FIELDS } from '../../../contract/json/limits.ts';

const schema = z
  .object({
    names: z.array(z.string()).max(3).nullish(),
    rows: z.array(z.object({ cells: z.array(z.number()).max(2) }).strict()).max(5),
    more: z.record(z.union([z.string(), z.array(z.number()).max(4)])).default({}),
  })
  .strict()
  .superRefine(() => undefined)
  .default({ rows: [] });

const limits = limitsOf(schema);
const fields = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${i}`, 0]));

describe('D3c: limits are read from the schema', () => {
  it.each([
    [{ names: ['', '', ''], rows: [{ cells: [1, 2] }], more: { a: [1, 2, 3, 4], b: 'x' } }],
    // Of the wrong type, which the schema reports.
    [{ names: 'x', rows: { a: 1 }, more: [1, 2, 3, 4, 5, 6] }],
    [[1, 2, 3, 4, 5, 6]],
    [null],
    ['text'],
    [fields(MAX_FIELDS)],
  ])('%j is within them', (value) => {
    expect(beyond(value, limits)).toBeUndefined();
  });

  it.each([
    [{ names: [1, 2, 3, 4] }, ['names'], 'Must have at most 3 elements'],
    [{ rows: [{}, { cells: [1, 2, 3] }] }, ['rows', 1, 'cells'], 'Must have at most 2 elements'],
    [{ more: { a: 'x', b: [1, 2, 3, 4, 5] } }, ['more', 'b'], 'Must have at most 4 elements'],
    [{ more: fields(MAX_FIELDS + 1) }, ['more'], 'Must have at most 100 fields'],
    [{ rows: [fields(MAX_FIELDS + 1)] }, ['rows', 0], 'Must have at most 100 fields'],
    [fields(MAX_FIELDS + 1), [], 'Must have at most 100 fields'],
  ])('%j is beyond them (case %#)', (value, loc, msg) => {
    expect(beyond(value, limits)).toEqual({ loc, msg, type: 'too_big' });
  });

  it('the check ends at the first excess: elements of a list that is too long are not checked', () => {
    const untouchable = new Proxy([1, 2, 3, 4], {
      get: (list, key) => {
        if (key !== 'length') throw new Error(`looked at ${String(key)}`);
        return list.length;
      },
    });
    expect(beyond({ names: untouchable, rows: [1, 2, 3, 4, 5, 6] }, limits)?.loc).toEqual(['names']);
  });

  it('a field __proto__, which schemas of maps leave out without a word, is told (D30)', () => {
    const ofMaps = limitsOf(z.object({ params: z.record(z.unknown()) }));
    const unknown = { msg: 'Unknown field', type: 'unrecognized_keys' };
    expect(beyond(JSON.parse('{"params":{"__proto__":1}}'), ofMaps)).toEqual({
      loc: ['params', '__proto__'],
      ...unknown,
    });
    expect(beyond(JSON.parse('{"__proto__":{"params":{}}}'), ofMaps)).toEqual({
      loc: ['__proto__'],
      ...unknown,
    });
    expect(beyond({ params: { constructor: 1 } }, ofMaps)).toBeUndefined();
  });

  it('a list without a limit is an error of the contract', () => {
    expect(() => limitsOf(z.object({ names: z.array(z.string()) }))).toThrow(
      'A list of a request needs a limit',
    );
  });
});
