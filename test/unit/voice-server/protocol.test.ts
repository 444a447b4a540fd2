import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  encodeCommand,
  escapeText,
  parseOutcome,
  parseRows,
  unescapeText,
} from '../../../server/voice-server/protocol.ts';
import { VoiceError } from '../../../server/voice-server/voice-error.ts';

/** The provider's table, as bytes (provider.md §3). */
const TABLE: readonly (readonly [string, string])[] = [
  ['\x5c', '\x5c\x5c'],
  ['\x2f', '\x5c\x2f'],
  ['\x20', '\x5c\x73'],
  ['\x7c', '\x5c\x70'],
  ['\x07', '\x5c\x61'],
  ['\x08', '\x5c\x62'],
  ['\x0c', '\x5c\x66'],
  ['\x0a', '\x5c\x6e'],
  ['\x0d', '\x5c\x72'],
  ['\x09', '\x5c\x74'],
  ['\x0b', '\x5c\x76'],
];

/** Matches characters that must be escaped on the wire; a slash may only follow a backslash. */
const SPECIAL = TABLE.map(([plain]) => plain).filter((plain) => plain !== '\\');

/** Texts with many characters that are escaped, or look like an escape. */
const difficult = fc
  .array(
    fc.oneof(
      fc.constantFrom(...TABLE.flat(), ...'\\/ |spabfnrtv='),
      fc.string({ unit: 'binary', maxLength: 3 }),
    ),
    { maxLength: 30 },
  )
  .map((services) => services.join(''));

describe('escapes of ServerQuery', () => {
  it.each(TABLE)('%j is %j on the wire', (plain, escaped) => {
    expect(escapeText(plain)).toBe(escaped);
    expect(unescapeText(escaped)).toBe(plain);
  });

  it('a backslash before a letter is no escape of that letter', () => {
    expect(unescapeText('a\\\\sb')).toBe('a\\sb');
    expect(escapeText('a\\sb')).toBe('a\\\\sb');
  });

  it('30,000 texts are unchanged after escaping and unescaping, alone and as a field among others', () => {
    let wrong = 0;
    fc.assert(
      fc.property(difficult, (text) => {
        const escaped = escapeText(text);
        const [command = '', ...fields] = encodeCommand('c', { one: text, two: text }, { three: text }).split(
          ' ',
        );
        const [first, second] = parseRows(fields.join(' '));
        const survives =
          unescapeText(escaped) === text &&
          !SPECIAL.some((character) => escaped.replaceAll('\\/', '').includes(character)) &&
          command === 'c' &&
          first?.get('one') === text &&
          first.get('two') === text &&
          second?.get('three') === text;
        if (!survives) wrong += 1;
      }),
      { numRuns: 30_000 },
    );
    expect(wrong).toBe(0);
  });
});

describe('answers of ServerQuery', () => {
  it('rows are separated by a bar, fields by spaces; a value may contain “=” or be missing', () => {
    const rows = parseRows('clid=1 client_nickname=a\\sb=c|clid=2 client_away');
    expect(rows.map((row) => Object.fromEntries(row))).toEqual([
      { clid: '1', client_nickname: 'a b=c' },
      { clid: '2', client_away: '' },
    ]);
  });

  it('the last line has the outcome, and the time to wait', () => {
    expect(parseOutcome('error id=0 msg=ok')).toEqual({ id: 0, message: 'ok', wait: undefined });
    expect(
      parseOutcome('error id=524 msg=client\\sis\\sflooding extra_msg=please\\swait\\s2\\sseconds'),
    ).toEqual({ id: 524, message: 'client is flooding', wait: 2 });
    expect(parseOutcome('errors=1')).toBeUndefined();
  });

  it.each(['error ', 'error id=x msg=ok', 'error id=0', 'error msg=ok'])(
    '%j is not a valid outcome',
    (line) => {
      expect(() => parseOutcome(line)).toThrow(VoiceError);
    },
  );
});
