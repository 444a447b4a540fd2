import { VoiceError } from './voice-error.ts';

/** The escapes of ServerQuery (provider.md §3); all other characters are sent unchanged. */
const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '/': '\\/',
  ' ': '\\s',
  '|': '\\p',
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
};
const PLAIN = Object.fromEntries(Object.entries(ESCAPES).map(([plain, escaped]) => [escaped, plain]));

export function escapeText(text: string): string {
  return text.replace(/[\s\S]/g, (character) => ESCAPES[character] ?? character);
}

/** The inverse of {@link escapeText}, in one pass; unknown escapes are left unchanged. */
export function unescapeText(text: string): string {
  return text.replace(/\\[\s\S]/g, (pair) => PLAIN[pair] ?? pair);
}

export type Parameters = Readonly<Record<string, string | number>>;
/** One record of an answer, unescaped; a key without a value has the empty string. */
export type Row = ReadonlyMap<string, string>;

/** A command as a line without its end; several sets of parameters make one command for a list. */
export function encodeCommand(name: string, ...sets: readonly Parameters[]): string {
  const fields = (set: Parameters) =>
    Object.entries(set)
      .map(([key, value]) => `${key}=${escapeText(String(value))}`)
      .join(' ');
  return [name, sets.map(fields).join('|')].filter(Boolean).join(' ');
}

/** The rows of a data line. */
export function parseRows(line: string): Row[] {
  return line.split('|').map(parseRow);
}

function parseRow(text: string): Row {
  const fields = text.split(' ').filter(Boolean);
  return new Map(
    fields.map((field) => {
      const end = field.indexOf('=');
      return end === -1 ? [field, ''] : [field.slice(0, end), unescapeText(field.slice(end + 1))];
    }),
  );
}

/** The outcome of a command, which ends its answer. */
export interface Outcome {
  readonly id: number;
  readonly message: string;
  /** Seconds to wait, if the outcome says so (flooding, ban). */
  readonly wait: number | undefined;
}

/** Parses an outcome; undefined when the line is data. */
export function parseOutcome(line: string): Outcome | undefined {
  if (!line.startsWith('error ')) return undefined;
  const row = parseRow(line.slice('error '.length));
  const message = row.get('msg');
  if (message === undefined) throw new VoiceError('unintelligible', 'an answer ends without a message');
  const [, wait] = /(\d+) seconds?/.exec(row.get('extra_msg') ?? '') ?? [];
  return { id: wholeNumber(row, 'id'), message, wait: wait === undefined ? undefined : Number(wait) };
}

/**
 * @throws VoiceError when the row has no such number
 */
export function wholeNumber(row: Row, key: string): number {
  const value = row.get(key) ?? '';
  if (/^\d{1,15}$/.test(value)) return Number(value);
  throw new VoiceError('unintelligible', `an answer lacks the number ${key}`);
}
