import fc from 'fast-check';
import { expect, it } from 'vitest';
import { toCsv } from '../../../console/src/shared/csv.ts';
import { toCsv as toCsvOfService } from '../../../server/shared/csv.ts';

it('D102: tables of the console are escaped like those of the service', () => {
  const texts = fc.string({ unit: fc.constantFrom(...'=+-@;,"\'\t\r\n a1'), maxLength: 12 });
  const same = fc.property(texts, (text) => {
    expect(toCsv([[text]])).toBe(toCsvOfService([[text]]));
  });
  fc.assert(same, { numRuns: 1000 });
});
