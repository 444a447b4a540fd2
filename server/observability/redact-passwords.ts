/** A range of a text: inclusive start, exclusive end. */
export type Span = readonly [start: number, end: number];

/** Text without white space or quotes, which contains a URL completely, however carelessly it was written. */
const UNBROKEN = /[^\s"<>`]+/g;
/** What precedes user and password; percent-encoded in a URL within another URL's query. */
const SCHEME_END = /:\/\/|%3A%2F%2F/gi;
const USER = /[^:/@?#[]*:/y;
const ENCODED_USER = /(?:(?!%(?:3A|2F|40|3F|23|5B))[^:/@?#[])*(?::|%3A)/iy;
/** In http and ws URLs an `@` in the path does not mean a password: `https://host:8080/a@b`. */
const WEB = /(?:http|ws)s?$/i;
const PORT = /\d{1,5}(?:[/?#]|%2F|%3F|%23|$)/iy;

/**
 * Finds passwords in URLs. A password ends at the last `@`, because one that was not percent-encoded may contain `/`,
 * `:` and `@`.
 */
export function* passwordsIn(text: string): Generator<Span> {
  for (const { 0: part, index } of text.matchAll(UNBROKEN)) {
    for (const [start, end] of passwordsWithin(part)) yield [index + start, index + end];
  }
}

function* passwordsWithin(part: string): Generator<Span> {
  const lastAt = part.lastIndexOf('@');
  const lastOfAny = Math.max(lastAt, part.lastIndexOf('%40'));
  let done = 0;
  for (const { 0: schemeEnd, index } of part.matchAll(SCHEME_END)) {
    if (index >= lastOfAny) return;
    if (index < done) continue;
    const encoded = schemeEnd !== '://';
    const start = endOf(encoded ? ENCODED_USER : USER, part, index + schemeEnd.length);
    const end = encoded ? lastOfAny : lastAt;
    if (start === undefined || start >= end) continue;
    const isPort =
      WEB.test(part.slice(Math.max(0, index - 5), index)) && endOf(PORT, part, start) !== undefined;
    if (isPort) continue;
    yield [start, end];
    done = end;
  }
}

/** The end of the match that begins at `start`. */
function endOf(form: RegExp, text: string, start: number): number | undefined {
  form.lastIndex = start;
  return form.test(text) ? form.lastIndex : undefined;
}
