/**
 * The server side of ServerQuery (provider.md §3). It shares no code with the client in server/voice-server, so that a
 * mistake in one is detected by the other. It is strict: unescaped special characters are errors.
 */

/** Characters that must be escaped, each at the same index as the letter of its escape. */
const SPECIAL = '\\/ |\x07\b\f\n\r\t\v';
const LETTERS = '\\/spabfnrtv';

export type Fields = Readonly<Record<string, string | number>>;
export type Row = ReadonlyMap<string, string>;

/** Records as one line of data, without its end. */
export function formatRows(rows: readonly Fields[]): string {
  const field = ([key, value]: [string, string | number]) => `${key}=${escapeValue(String(value))}`;
  return rows.map((row) => Object.entries(row).map(field).join(' ')).join('|');
}

function escapeValue(value: string): string {
  const onTheWire = (character: string) => {
    const at = SPECIAL.indexOf(character);
    return at === -1 ? character : `\\${LETTERS[at]}`;
  };
  return Array.from(value, onTheWire).join('');
}

export interface VoiceCommand {
  readonly name: string;
  /** Its sets of parameters; undefined where one of them is not properly escaped. */
  readonly rows: readonly Row[] | undefined;
}

export function parseCommand(line: string): VoiceCommand {
  const [name = '', ...fields] = line.split(' ');
  const rows = fields
    .join(' ')
    .split('|')
    .map((set) => parseFields(set.split(' ').filter(Boolean)));
  return { name, rows: rows.every((row) => row !== undefined) ? rows : undefined };
}

function parseFields(fields: readonly string[]): Row | undefined {
  const row = new Map<string, string>();
  for (const field of fields) {
    const [key = '', ...parts] = field.split('=');
    const value = unescapeValue(parts.join('='));
    if (value === undefined) return undefined;
    row.set(key, value);
  }
  return row;
}

function unescapeValue(text: string): string | undefined {
  const tokens = text.match(/\\?[\s\S]/g) ?? [];
  const characters = tokens.map((token) => {
    if (token.length === 2) return SPECIAL[LETTERS.indexOf(token.slice(1))];
    return SPECIAL.includes(token) ? undefined : token;
  });
  return characters.includes(undefined) ? undefined : characters.join('');
}

/**
 * Cuts what comes into lines, which end in `\n`; empty ones are left out.
 * @throws RangeError where a line has more than `longest` characters
 */
export function createLineCutter(longest: number, onLine: (line: string) => void): (text: string) => void {
  let rest = '';
  return (text) => {
    const lines = `${rest}${text}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line.trim() !== '') onLine(line.replace(/\r$/, ''));
    if (rest.length > longest) throw new RangeError(`a line is longer than ${longest} characters`);
  };
}
