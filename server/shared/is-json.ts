/** Bytes that are read at once: a fraction of a millisecond. */
const PIECE = 64 * 1024;
/** Maximum nesting of lists and objects, so that brackets alone do not take memory for each. */
const MOST_LEVELS = 1_000;

/**
 * Whether bytes of valid UTF-8 are one JSON text (RFC 8259) of at most 1,000 levels. `JSON.parse` would tell, too, but
 * holds the event loop for milliseconds with a large text, and takes memory for its values.
 *
 * @param before called before each 64 KiB, to let other work pass
 */
export async function isJson(bytes: Uint8Array, before: () => Promise<void>): Promise<boolean> {
  const reader = new JsonReader(bytes);
  for (let end = PIECE; ; end += PIECE) {
    await before();
    const verdict = reader.read(end);
    if (verdict !== undefined) return verdict;
  }
}

const QUOTE = 0x22;
const PLUS = 0x2b;
const COMMA = 0x2c;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const UPPER_E = 0x45;
const BACKSLASH = 0x5c;
const LOWER_E = 0x65;
const LOWER_U = 0x75;

const IN_LIST = { opening: 0x5b, closing: 0x5d, first: 'first element', later: 'value' } as const;
const IN_OBJECT = { opening: 0x7b, closing: 0x7d, first: 'first name', later: 'name' } as const;
type Level = typeof IN_LIST | typeof IN_OBJECT;
type Expected = Level['first'] | Level['later'] | 'colon' | 'end of value';

const bytesOf = (text: string): Uint8Array => Buffer.from(text, 'latin1');
const LITERALS = new Map(['true', 'false', 'null'].map((text) => [text.charCodeAt(0), bytesOf(text)]));
/** What may follow a backslash, besides `u`. */
const ESCAPES = new Set(bytesOf('"\\/bfnrt'));
const HEX_DIGITS = new Set(bytesOf('0123456789abcdefABCDEF'));

/** Reads token by token without keeping any. */
class JsonReader {
  readonly #bytes: Uint8Array;
  readonly #levels: Level[] = [];
  #at = 0;
  #expected: Expected = 'value';
  #end = 0;
  #isInString = false;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Reads at least to `end`; undefined while there is more. */
  read(end: number): boolean | undefined {
    this.#end = end;
    while (this.#at < this.#bytes.length) {
      if (this.#at >= end) return undefined;
      const code = this.#bytes[this.#at] as number;
      if (this.#isInString) {
        if (!this.#restOfString()) return false;
      } else if (isBlank(code)) this.#at += 1;
      else if (!this.#take(code)) return false;
    }
    return this.#expected === 'end of value' && this.#levels.length === 0 && !this.#isInString;
  }

  /** Takes the token that begins here; false where none may that begins so. */
  #take(code: number): boolean {
    const level = this.#levels.at(-1);
    switch (this.#expected) {
      case 'colon':
        return code === COLON && this.#skip('value');
      case 'end of value':
        if (level !== undefined && code === COMMA) return this.#skip(level.later);
        return this.#close(code);
      case 'first name':
        return this.#close(code) || this.#name(code);
      case 'name':
        return this.#name(code);
      case 'first element':
        return this.#close(code) || this.#value(code);
      case 'value':
        return this.#value(code);
    }
  }

  #skip(expected: Expected): true {
    this.#at += 1;
    this.#expected = expected;
    return true;
  }

  #open(level: Level): boolean {
    this.#levels.push(level);
    return this.#levels.length <= MOST_LEVELS && this.#skip(level.first);
  }

  #close(code: number): boolean {
    if (code !== this.#levels.at(-1)?.closing) return false;
    this.#levels.pop();
    return this.#skip('end of value');
  }

  #name(code: number): boolean {
    this.#expected = 'colon';
    return code === QUOTE && this.#beginString();
  }

  #value(code: number): boolean {
    if (code === IN_OBJECT.opening) return this.#open(IN_OBJECT);
    if (code === IN_LIST.opening) return this.#open(IN_LIST);
    this.#expected = 'end of value';
    if (code === QUOTE) return this.#beginString();
    if (code === MINUS || isDigit(code)) return this.#number();
    return this.#literal(LITERALS.get(code));
  }

  #literal(literal: Uint8Array | undefined): boolean {
    if (literal === undefined) return false;
    for (let n = 0; n < literal.length; n += 1) {
      if (this.#bytes[this.#at + n] !== literal[n]) return false;
    }
    this.#at += literal.length;
    return true;
  }

  #beginString(): boolean {
    this.#at += 1;
    return this.#restOfString();
  }

  /** Reads a string to its end, or as far as is wanted now: one alone may be as large as all. */
  #restOfString(): boolean {
    const bytes = this.#bytes;
    const end = Math.min(this.#end, bytes.length);
    let at = this.#at;
    for (; at < end; at += 1) {
      const code = bytes[at] as number;
      if (code === QUOTE) {
        this.#at = at + 1;
        this.#isInString = false;
        return true;
      }
      if (code < 0x20) return false;
      if (code !== BACKSLASH) continue;
      at += 1;
      const escaped = bytes[at] as number;
      if (escaped === LOWER_U) {
        if (!this.#hasFourHexDigits(at + 1)) return false;
        at += 4;
      } else if (!ESCAPES.has(escaped)) return false;
    }
    this.#at = at;
    this.#isInString = true;
    return true;
  }

  #hasFourHexDigits(begin: number): boolean {
    for (let at = begin; at < begin + 4; at += 1) {
      if (!HEX_DIGITS.has(this.#bytes[at] as number)) return false;
    }
    return true;
  }

  #number(): boolean {
    if (this.#bytes[this.#at] === MINUS) this.#at += 1;
    if (this.#bytes[this.#at] === ZERO) this.#at += 1;
    else if (!this.#digits()) return false;
    if (this.#bytes[this.#at] === POINT) {
      this.#at += 1;
      if (!this.#digits()) return false;
    }
    const exponent = this.#bytes[this.#at];
    if (exponent !== LOWER_E && exponent !== UPPER_E) return true;
    this.#at += 1;
    const sign = this.#bytes[this.#at];
    if (sign === PLUS || sign === MINUS) this.#at += 1;
    return this.#digits();
  }

  #digits(): boolean {
    const begin = this.#at;
    while (isDigit(this.#bytes[this.#at])) this.#at += 1;
    return this.#at > begin;
  }
}

/** Blank, line feed, carriage return and tab. */
export function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

function isDigit(code: number | undefined): boolean {
  return code !== undefined && code >= ZERO && code <= NINE;
}
