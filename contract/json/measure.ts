/** Maximum number of values in one JSON text: lists, objects and everything in them (D3c). */
export const MAX_VALUES = 20_000;
/** Maximum nesting of lists and objects; operations need at most three levels. */
export const MAX_DEPTH = 32;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;

/**
 * Why a text is too large to be parsed; undefined when it is not. One pass without allocation that stops at the first
 * excess. The text need not be valid JSON: up to the first syntax error the count is exact, and the parser would stop
 * there.
 */
export function measure(text: string): { readonly msg: string; readonly type: string } | undefined {
  let values = 1;
  let depth = 0;
  let opened = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (isBlank(code)) continue;
    const closes = isClosing(code);
    // Every comma means one more value, and so does an opening bracket that is not closed at once.
    if (code === COMMA || (opened && !closes)) values += 1;
    opened = isOpening(code);
    if (opened) depth += 1;
    else if (closes) depth -= 1;
    else if (code === QUOTE) at = endOfString(text, at);
    if (values > MAX_VALUES)
      return { msg: `Must hold at most ${MAX_VALUES} values`, type: 'too_many_values' };
    if (depth > MAX_DEPTH) return { msg: `Must be at most ${MAX_DEPTH} levels deep`, type: 'too_deep' };
  }
  return undefined;
}

/** Blank, line feed, carriage return and tab. */
function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

function isOpening(code: number): boolean {
  return code === 0x5b || code === 0x7b;
}

function isClosing(code: number): boolean {
  return code === 0x5d || code === 0x7d;
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at += 1;
  }
  return text.length;
}
