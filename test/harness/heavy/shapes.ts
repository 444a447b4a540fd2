/** Writes a JSON text that is expensive to process and fills the given number of bytes: the longest is the worst. */
type Shape = (bytes: number) => string;

/** As many copies of one element as fit, in brackets. */
const listOf =
  (element: string): Shape =>
  (bytes) => {
    const copies = Math.max(1, Math.floor((bytes - 2) / (element.length + 1)));
    return `[${Array(copies).fill(element).join()}]`;
  };

/** An object with as many distinct fields as fit. */
const objectOf =
  (value: string): Shape =>
  (bytes) => {
    const copies = Math.max(1, Math.floor((bytes - 2) / (value.length + 10)));
    return `{${Array.from({ length: copies }, (_, i) => `"${i.toString(36).padStart(6, 'k')}":${value}`).join()}}`;
  };

/** Shapes cut to the maximum number of values (D3c), so that they reach the later checks. */
const atMost =
  (copies: number, shape: (copies: number) => string): Shape =>
  (bytes) => {
    for (let n = copies; n > 1; n = Math.floor(n / 2)) {
      const text = shape(n);
      if (text.length <= bytes) return text;
    }
    return shape(1);
  };

const copiesOf = (element: string) => (n: number) => `[${Array(n).fill(element).join()}]`;
/** Elements that the count of values treats differently. */
const KINDS = ['{}', '[]', '0', '"\\ud800"'];
/** Elements that schemas treat differently. */
const ELEMENTS = [...KINDS, '-1', '1.5', '1e400', 'null', 'true', '"esi-mail.read_mail.v1"', '""'];
const HUNDRED_FIELDS = `{${Array.from({ length: 100 }, (_, i) => `"field_${i}":{}`).join()}}`;

/** Shapes with too many values, or no JSON: refused before validation, wherever in the body they are. */
const REFUSED_UNREAD: Readonly<Record<string, Shape>> = {
  ...Object.fromEntries(KINDS.map((element) => [`list of ${element}`, listOf(element)])),
  'object of objects': objectOf('{}'),
  'object of lists': objectOf('[]'),
  'object of numbers': objectOf('0'),
  'one name over and over': (bytes) =>
    `{${Array(Math.max(1, Math.floor((bytes - 2) / 7)))
      .fill('"k":{}')
      .join()}}`,
  'deep lists': (bytes) => '['.repeat(Math.floor(bytes / 2)) + ']'.repeat(Math.floor(bytes / 2)),
  'deep objects': (bytes) => `${'{"a":'.repeat(Math.floor(bytes / 6))}0${'}'.repeat(Math.floor(bytes / 6))}`,
  'brackets without end': (bytes) => '['.repeat(bytes),
  'colons without end': (bytes) => `{"a"${':'.repeat(Math.max(1, bytes - 4))}`,
};

/** Lists and objects that cost most when nothing looks into them. */
export const WORST_LISTS: Readonly<Record<string, Shape>> = {
  'object of 100 lists of 190 objects': atMost(
    100,
    (n) => `{${Array.from({ length: n }, (_, i) => `"f${i}":${copiesOf('{}')(190)}`).join()}}`,
  ),
  'one long name': (bytes) => `{"${'k'.repeat(Math.max(1, bytes - 8))}":0}`,
};

/** Lists and objects that reach validation. */
export const LISTS: Readonly<Record<string, Shape>> = {
  ...Object.fromEntries(
    ELEMENTS.map((element) => [`list of 9,900 ${element}`, atMost(9_900, copiesOf(element))]),
  ),
  'list of 19,900 lists': atMost(19_900, copiesOf('[]')),
  'list of 9,900 objects of one field': atMost(
    9_900,
    (n) => `[${Array.from({ length: n }, (_, i) => `{"f${i}":0}`).join()}]`,
  ),
  'list of 95 objects of 100 fields': atMost(95, copiesOf(HUNDRED_FIELDS)),
  'list of 95 lists of 100 objects': atMost(95, copiesOf(copiesOf('{}')(100))),
  ...WORST_LISTS,
};

/** Texts and numbers that cost most when nothing looks into them. */
export const WORST_TEXTS: Readonly<Record<string, Shape>> = {
  'long text of escapes': (bytes) => `"${'\\n'.repeat(Math.max(1, Math.floor((bytes - 2) / 2)))}"`,
  'long number': (bytes) => '1'.repeat(Math.max(1, bytes)),
};

/** Texts and numbers that reach validation. */
export const TEXTS: Readonly<Record<string, Shape>> = {
  'long text': (bytes) => `"${'x'.repeat(Math.max(1, bytes - 2))}"`,
  'long text beyond ASCII': (bytes) => `"${'é'.repeat(Math.max(1, Math.floor((bytes - 2) / 2)))}"`,
  'long text of emoji': (bytes) => `"${'😀'.repeat(Math.max(1, Math.floor((bytes - 2) / 4)))}"`,
  'long text of half characters': (bytes) =>
    `"${'\\ud800'.repeat(Math.max(1, Math.floor((bytes - 2) / 6)))}"`,
  ...WORST_TEXTS,
  blanks: (bytes) => `${' '.repeat(Math.max(0, bytes - 1))}0`,
};

export const SHAPES: Readonly<Record<string, Shape>> = { ...REFUSED_UNREAD, ...LISTS, ...TEXTS };
