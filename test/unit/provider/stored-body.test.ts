import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LARGE } from '../../../server/provider/answer.ts';
import { toStored, toText } from '../../../server/provider/stored-body.ts';

describe('D30: a body as the cache stores it', () => {
  it('is the same text again', async () => {
    const piece = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(piece, fc.integer({ min: 1, max: 2 * LARGE }), async (text, length) => {
        const body = JSON.stringify(text.repeat(Math.ceil(length / text.length)));
        expect(await toText(await toStored(body))).toBe(body);
      }),
      { numRuns: 30 },
    );
  });

  it('is text while it is small, and packed from the size on at which an answer is large', async () => {
    expect(await toStored('x'.repeat(LARGE - 1))).toEqual({ body: 'x'.repeat(LARGE - 1), packed: null });
    const { body, packed } = await toStored('x'.repeat(LARGE));
    expect(body).toBeNull();
    expect(packed?.length).toBeLessThan(LARGE / 100);
  });
});
