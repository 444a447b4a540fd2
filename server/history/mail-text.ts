import { storable } from '../database/text.ts';

/**
 * Matches a tag, comment or declaration; any other `<` is text. The alternatives do not overlap, so matching takes
 * linear time.
 */
const TAG = /<[!?/]?[a-z][^<>]*>|<!--[^<>]*>/gi;
/** Tags that end a line. */
const LINE_END = /^<(?:br|\/(?:p|div|li|tr|h[1-6]))\b/i;
const ENTITY = /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,4}));/gi;
const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  apos: "'",
  gt: '>',
  lt: '<',
  nbsp: '\u00A0',
  quot: '"',
};

/**
 * Converts a mail's body to plain text (D36): tags are removed, those that end a line become line breaks, entities are
 * decoded once. Invalid markup is left as it is.
 */
export function toPlainText(body: string): string {
  const text = body
    .replace(/\r\n?/g, '\n')
    .replace(TAG, (tag) => (LINE_END.test(tag) ? '\n' : ''))
    .replace(ENTITY, (entity, decimal?: string, hexadecimal?: string, name?: string) =>
      name === undefined
        ? character(decimal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number(decimal), entity)
        : (NAMED[name.toLowerCase()] ?? entity),
    );
  return storable(text);
}

function character(codePoint: number, entity: string): string {
  return codePoint <= 0x10ffff ? String.fromCodePoint(codePoint) : entity;
}
