import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromStored, toStored } from '../../../server/provider/stored-body.ts';
import { type Body, bodyOf, bytesOf, LARGE } from '../../../server/shared/json-body.ts';

const body = (text: string): Body => bodyOf(Buffer.from(text));

describe('D30: a body as the cache stores it', () => {
  it('is the same again', async () => {
    const piece = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(piece, fc.integer({ min: 1, max: 2 * LARGE }), async (text, length) => {
        const whole = body(JSON.stringify(text.repeat(Math.ceil(length / text.length))));
        const again = await fromStored(await toStored(whole));
        expect(typeof again).toBe(typeof whole);
        // toEqual compares byte by byte, each as a property: half a second for a body.
        expect(bytesOf(again).equals(bytesOf(whole))).toBe(true);
      }),
      { numRuns: 30 },
    );
  });

  it('is text while it is small, and packed from the size on at which an answer is large', async () => {
    expect(await toStored(body('x'.repeat(LARGE - 1)))).toEqual({
      body: 'x'.repeat(LARGE - 1),
      packed: null,
    });
    const stored = await toStored(body('x'.repeat(LARGE)));
    expect(stored.body).toBeNull();
    expect(stored.packed?.length).toBeLessThan(LARGE / 100);
  });

  it('has U+FFFD for what is not UTF-8, whatever its size', () => {
    for (const length of [1, LARGE]) {
      const bytes = Buffer.concat([Buffer.from([0xc9]), Buffer.from('x'.repeat(length))]);
      expect(bytesOf(bodyOf(bytes)).equals(Buffer.from(`\ufffd${'x'.repeat(length)}`))).toBe(true);
    }
  });
});
