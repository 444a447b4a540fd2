import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isJson } from '../../../server/shared/is-json.ts';

const KIB = 1024;

async function judged(text: string): Promise<{ readonly verdict: boolean; readonly pieces: number }> {
  let pieces = 0;
  const verdict = await isJson(Buffer.from(text), async () => {
    pieces += 1;
  });
  return { verdict, pieces };
}

function isParsed(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

async function agrees(text: string): Promise<void> {
  expect((await judged(text)).verdict, text).toBe(isParsed(text));
}

/** What JSON is made of, and what is nearly that. */
const token = fc.constantFrom(
  ...['[', ']', '{', '}', ',', ':', '"', '\\', ' ', '\n', '\t', '\r', '\f', '\u00a0', '\ufeff', '\u0000'],
  ...[
    '0',
    '1',
    '-',
    '+',
    '.',
    'e',
    'E',
    '00',
    '-0',
    '1.5',
    '1e9',
    '.5',
    '5.',
    '1e',
    '0x1',
    'NaN',
    'Infinity',
  ],
  ...['true', 'false', 'null', 'nul', 'True', 'undefined', '""', '"a"', '"é"', "'a'", '"\\n"', '"\\u00e9"'],
  ...['"\\u00g9"', '"\\u12"', '"\\x"', '"\u001f"', '"\u007f"', '"\u2028"', '"a":', '//', '/**/'],
);

describe('D30: what is JSON', () => {
  it('is what the language takes for it: any value, with any white space', async () => {
    const space = fc.constantFrom(undefined, 1, '\t', '\r\n');
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), space, async (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        expect((await judged(` ${text}\n`)).verdict, text).toBe(true);
      }),
    );
  });

  it('and nothing else: any sequence of tokens', async () => {
    const text = fc.array(token, { maxLength: 8 }).map((tokens) => tokens.join(''));
    await fc.assert(fc.asyncProperty(text, agrees), { numRuns: 2_000 });
  });

  it('nor a value with one character too few, too many, or another one', async () => {
    const edit = fc.record({ at: fc.nat(), cut: fc.nat({ max: 2 }), put: fc.oneof(fc.constant(''), token) });
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), edit, async (value, { at, cut, put }) => {
        const text = JSON.stringify(value);
        const place = at % (text.length + 1);
        await agrees(text.slice(0, place) + put + text.slice(place + cut));
      }),
      { numRuns: 1_000 },
    );
  });

  it('D3c: is read in pieces, between which others get their turn', async () => {
    const list = `[${'{"id":12345},'.repeat(20 * KIB)}null]`;
    const pieces = Math.ceil(list.length / (64 * KIB));
    expect(await judged(list)).toEqual({ verdict: true, pieces });
    expect(await judged(`${list}]`)).toEqual({ verdict: false, pieces });
    expect(await judged(`,${list}`)).toEqual({ verdict: false, pieces: 1 });
  });

  it('D3c: is read in pieces even where it is one string, wherever they end', async () => {
    for (const text of ['\\u00e9', '\\"', 'x']) {
      for (let before = 0; before < 6; before += 1) {
        const string = `"${'x'.repeat(before)}${text.repeat(20 * KIB)}`;
        const pieces = (length: number) => Math.ceil(length / (64 * KIB));
        expect(await judged(`${string}"`)).toEqual({ verdict: true, pieces: pieces(string.length + 1) });
        expect((await judged(string)).verdict).toBe(false);
        expect((await judged(`${string}\n"`)).verdict).toBe(false);
      }
    }
  });

  it('has at most 1,000 levels, so that brackets take no memory', async () => {
    const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
    expect((await judged(nested(1_000))).verdict).toBe(true);
    expect((await judged(nested(1_001))).verdict).toBe(false);
    expect(await judged('['.repeat(1024 * KIB))).toEqual({ verdict: false, pieces: 1 });
  });
});
