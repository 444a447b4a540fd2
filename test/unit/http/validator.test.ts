import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { parseToFirstIssues } from '../../../server/http/input/first-issues.ts';
import { nearest } from '../../../server/http/input/nearest.ts';
import { validator } from '../../../server/http/input/validator.ts';

describe('D3c: validation ends at the hundredth issue', () => {
  it('and does not validate anything behind it', () => {
    let looked = 0;
    const counted = z.unknown().superRefine((_, ctx) => {
      looked += 1;
      ctx.addIssue({ code: 'custom', message: 'never right' });
    });
    const list = Array.from({ length: 10_000 }, () => 0);
    for (const [schema, data] of [
      [z.array(counted), list],
      [z.record(counted), { ...list }],
    ] as const) {
      looked = 0;
      const { error } = parseToFirstIssues(schema, data);
      expect(error?.issues).toHaveLength(100);
      expect(looked).toBe(101);
    }
  });

  it('gives the same result as Zod for fewer issues', () => {
    const schema = z.object({ a: z.number().default(7), b: z.array(z.string()) }).strict();
    for (const value of [{ b: ['x'] }, { b: [1, 'x', 2], c: 1 }, null, 'text', { a: 'x' }]) {
      const [ours, zods] = [parseToFirstIssues(schema, value), schema.safeParse(value)];
      expect([ours.success, ours.data]).toEqual([zods.success, zods.data]);
      expect(ours.error?.issues).toEqual(zods.error?.issues);
    }
  });

  it('an error that a schema throws is not taken for the end', () => {
    const broken = z.string().refine(() => {
      throw new TypeError('broken');
    });
    expect(() => parseToFirstIssues(broken, 'x')).toThrow(TypeError);
  });
});

describe('D5: the most similar valid name', () => {
  const known = ['ticker', 'coalition_name', 'member_alliances', 'member_corporations'];

  it.each([
    ['tickr', 'ticker'],
    ['Ticker', 'ticker'],
    ['coalitionName', 'coalition_name'],
    ['member_corporation', 'member_corporations'],
    ['members_alliance', 'member_alliances'],
  ])('%s: %s', (given, meant) => {
    expect(nearest(given, known)).toBe(meant);
  });

  it.each(['', 'x', 'motto', 'name', 'ticker'.repeat(20)])('%j is similar to none of them', (given) => {
    expect(nearest(given, known)).toBeUndefined();
  });

  it('is searched among the fields of the object with the unknown one', () => {
    const schema = z
      .object({ inner: z.array(z.object({ colour: z.string().nullish() }).strict()).max(3) })
      .strict();
    const said = validator(schema, { noun: 'field' }).safeParse({ inner: [{}, { color: 'red', inner: 1 }] });
    expect(said.error?.issues.map(({ path, message }) => [path, message])).toEqual([
      [['inner', 1, 'color'], 'Unknown field: did you mean "colour"?'],
      [['inner', 1, 'inner'], 'Unknown field'],
    ]);
  });
});
