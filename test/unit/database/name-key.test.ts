import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nameKey } from '../../../server/database/name-key.ts';

const name = fc.string({ unit: 'grapheme', maxLength: 30 });

describe('D7, D9: the key that equal names share', () => {
  it.each([
    ['Scouts', 'SCOUTS'],
    ['Straße', 'STRASSE'],
    ['Straße', 'STRAẞE'],
    ['é', 'E\u0301'],
    ['Å', '\u212b'],
    ['ǆ', 'ǅ'],
    ['Ω', 'ω'],
    ['ﬁ', 'FI'],
  ])('%j and %j', (one, other) => {
    expect(nameKey(one)).toBe(nameKey(other));
  });

  it.each([
    ['Scouts', 'Scout'],
    ['e', 'é'],
    ['A', 'А'],
    ['a b', 'ab'],
    ['0', 'O'],
    ['ısı', 'isi'],
  ])('%j and %j stay two', (one, other) => {
    expect(nameKey(one)).not.toBe(nameKey(other));
  });

  it('is the same for a name in upper case, lower case, composed and decomposed form', () => {
    fc.assert(
      fc.property(name, (text) => {
        const key = nameKey(text);
        expect(nameKey(text.normalize('NFC'))).toBe(key);
        expect(nameKey(text.normalize('NFD'))).toBe(key);
        expect(nameKey(key)).toBe(key);
      }),
      { numRuns: 2000 },
    );
  });

  it('ignores case', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'aAbBzZéÉßẞñÑжЖσΣ 19-') }), (text) => {
        expect(nameKey(text.toUpperCase())).toBe(nameKey(text));
        expect(nameKey(text.toLowerCase())).toBe(nameKey(text));
      }),
    );
  });
});
