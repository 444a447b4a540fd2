import type { Span } from './redact-passwords.ts';

const SECRET_NAME = /token|secret|password|passwd|code|state|key|authorization|cookie|signature|verifier/i;
/**
 * Names that mean a secret also outside of queries and JSON. `code` is not among them, as in `code: 'ECONNREFUSED'`,
 * nor `invalid_token:`, which is followed by an error message of the sign-on.
 */
const SECRET_FOR_SURE =
  /(?:(?<!invalid_)token|secret|passw(?:or)?d|verifier|cookie|(?:api|access|private|secret).?key)$/i;

/** Characters that end a name; each may be percent-encoded, as in a URL within another URL's query. */
const BREAK = String.raw`\s"'\x60#?&=,;:(){}<>\\`;
const ENCODED_BREAK = '%(?:22|23|26|2C|3A|3D|3F|7B)';
const NAME = `(?<=^|[${BREAK}]|${ENCODED_BREAK})(?:(?!${ENCODED_BREAK})[^${BREAK}])+`;
/** Matches `name=`, `name: ` and `"name":`, also with quotation marks that are escaped or percent-encoded. */
const ASSIGNMENT = new RegExp(
  String.raw`(${NAME})(?:(=|%3D)|(\\{0,7}["'\x60]|%22)?(?:\s|%20){0,3}(?::|%3A)(?:\s|%20){0,3})`,
  'gi',
);
const QUOTATION_MARK = /(\\{0,7})(["'`])/y;
const ENCODED_MARK = /()(%22)/y;
/** Quotation marks with the backslashes that escape them. */
const MARKS = {
  '"': /(?<!\\)(\\*)"/g,
  "'": /(?<!\\)(\\*)'/g,
  '`': /(?<!\\)(\\*)`/g,
  '%22': /()%22/g,
} as const;
const VALUE_IN_QUERY = /[^\s"#&]+/y;
const ENCODED_VALUE_IN_QUERY = /(?:(?!%26|%23)[^\s"#&])+/iy;
const VALUE_OF_PROPERTY = /[^\s"',;(){}[\]]+/y;

/** Whether values of this name are always hidden. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name);
}

/** Finds values assigned to names of secrets in queries, forms, JSON, and in Node's output of objects. */
export function* assignedIn(text: string): Generator<Span> {
  let done = 0;
  for (const { 0: assignment, 1: name = '', 2: equals, 3: nameQuoted, index } of text.matchAll(ASSIGNMENT)) {
    if (index < done || !SECRET_NAME.test(name)) continue;
    const after = index + assignment.length;
    const encoded = /%3[AD]/i.test(assignment);
    const quoted = quotedFrom(text, after, encoded ? ENCODED_MARK : QUOTATION_MARK);
    const byNameAlone = equals !== undefined || (nameQuoted !== undefined && quoted !== undefined);
    if (!byNameAlone && !SECRET_FOR_SURE.test(name)) continue;
    const inQuery = encoded ? ENCODED_VALUE_IN_QUERY : VALUE_IN_QUERY;
    const value = quoted ?? from(equals === undefined ? VALUE_OF_PROPERTY : inQuery, text, after);
    if (value === undefined) continue;
    yield value;
    done = value[1];
  }
}

function from(form: RegExp, text: string, start: number): Span | undefined {
  form.lastIndex = start;
  return form.test(text) ? [start, form.lastIndex] : undefined;
}

/** The text within the quotation marks that open here; to the end of the text if they are not closed. */
function quotedFrom(text: string, at: number, marking: RegExp): Span | undefined {
  marking.lastIndex = at;
  const opening = marking.exec(text);
  if (opening === null) return undefined;
  const [whole, { length: depth } = '', mark] = opening;
  const start = at + whole.length;
  const marks = MARKS[mark as keyof typeof MARKS];
  marks.lastIndex = start;
  for (let next = marks.exec(text); next !== null; next = marks.exec(text)) {
    const backslashes = next[1]?.length ?? 0;
    // A quotation mark within the value is escaped once more than the enclosing ones.
    if (backslashes % (2 * (depth + 1)) === depth) return [start, next.index + backslashes - depth];
  }
  return [start, text.length];
}
