import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toCsv } from '../../../server/shared/csv.ts';

/** The cells as a spreadsheet has them that separates by this character: quotes count at the beginning of a cell alone. */
function cellsOf(csv: string, separator: string): string[] {
  const cells: string[] = [];
  let cell = '';
  let begins = true;
  let quoted = false;
  for (let at = 0; at < csv.length; at += 1) {
    const letter = csv[at] as string;
    if (quoted) {
      if (letter !== '"') cell += letter;
      else if (csv[at + 1] === '"') cell += csv[++at];
      else quoted = false;
    } else if (letter === separator || letter === '\n' || letter === '\r') {
      cells.push(cell);
      cell = '';
      begins = true;
      continue;
    } else if (letter === '"' && begins) quoted = true;
    else cell += letter;
    begins = false;
  }
  return [...cells, cell];
}

describe('D94, D102: CSV', () => {
  it.each([
    ['=1', "'=1"],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@a', "'@a"],
    ['a;=1', `"a;'=1"`],
    ['a; "=1', `"a; ""'=1"`],
    ['a\t@b', `"a\t'@b"`],
    ['a\n=b', `"a\n'=b"`],
    ['\t=1', `"'\t'=1"`],
    ['a=1, b-2', '"a=1, b-2"'],
  ])('no text becomes a formula: %j', (text, cell) => {
    expect(toCsv([[text]])).toBe(`${cell}\r\n`);
  });

  const texts = fc.string({ unit: fc.constantFrom(...'=+-@;,"\'\t\r\n a1'), maxLength: 12 });
  it('of many places where a formula may begin none is looked at twice', () => {
    const lookingTwice = /(^|[;\t\r\n])(["\s]*)(?=[=+\-@])/g;
    const slowly = (text: string) => {
      const harmless = text.replace(lookingTwice, "$1$2'").replace(/^(?=[\t\r])/, "'");
      return /[",;\t\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
    };
    const same = fc.property(texts, (text) => {
      expect(toCsv([[text]])).toBe(`${slowly(text)}\r\n`);
    });
    fc.assert(same, { numRuns: 1000 });
    expect(toCsv([['\n'.repeat(200_000)]])).toHaveLength(200_004);
  });

  it('numbers stay numbers, and nothing is an empty cell', () => {
    expect(
      toCsv([
        ['a', 'b', 'c'],
        [-1, null, undefined],
      ]),
    ).toBe('a,b,c\r\n-1,,\r\n');
  });

  it('whatever separates the cells, none begins like a formula', () => {
    const text = fc.string({ unit: fc.constantFrom(...'=+-@;,"\'\t\r\n a1'), maxLength: 12 });
    fc.assert(
      fc.property(
        fc.array(text, { minLength: 1, maxLength: 4 }),
        fc.constantFrom(',', ';', '\t'),
        (line, by) => {
          for (const cell of cellsOf(toCsv([line]), by)) expect(cell).not.toMatch(/^["\s]*[=+\-@]/);
        },
      ),
      { numRuns: 3000 },
    );
  });

  it('and read as it is meant, each cell is what it was, but for the apostrophes', () => {
    const text = fc.string({ unit: fc.constantFrom(...'=+-@;,"\t a1'), maxLength: 12 });
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 4 }), (line) => {
        const read = cellsOf(toCsv([line]).replace(/\r\n$/, ''), ',');
        expect(read.map((cell) => cell.replaceAll("'", ''))).toEqual(line);
      }),
    );
  });
});
