/** Texts for people. The English text is the key of a message; another language is a catalogue with translations. */
type Values = Readonly<Record<string, string | number>>;

const LOCALE = 'en';
const catalogue: Readonly<Record<string, string>> = {};
const plurals = new Intl.PluralRules(LOCALE);
const numbers = new Intl.NumberFormat(LOCALE);

const FORMATTING = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g;
const RIGHT_TO_LEFT = /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}]/u;

/** A value that cannot change the text direction of the sentence around it, as `Name` does it for a name alone. */
function isolated(value: string): string {
  const text = value.replace(FORMATTING, '');
  return text !== value || RIGHT_TO_LEFT.test(text) ? `\u2068${text}\u2069` : value;
}

/** The message in the reader's language, with the placeholders in braces filled in. */
export function t(message: string, values: Values = {}): string {
  const known = catalogue[message] ?? message;
  return known.replace(/\{(\w+)\}/g, (whole, name: string) => isolated(String(values[name] ?? whole)));
}

/** A message with a number in singular or plural: `count(3, '{n} member', '{n} members')`. */
export function count(n: number, one: string, other: string): string {
  return t(plurals.select(n) === 'one' ? one : other, { n: formatNumber(n) });
}

export function formatNumber(n: number): string {
  return numbers.format(n);
}

/** Whether nothing of a text is seen: it is empty, or made of blanks and of characters without a width. */
export function isBlank(text: string): boolean {
  return /^[\s\p{Z}\p{C}\p{Default_Ignorable_Code_Point}]*$/u.test(text);
}

/** What stands between blanks and commas. */
export function listed(text: string): string[] {
  return text.split(/[\s,]+/).filter((each) => each !== '');
}
