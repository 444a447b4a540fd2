/** Matches where a spreadsheet begins to interpret text as a formula, as in the service's own tables. */
const FORMULA = /(^|[;\t\r\n])((?:(?![\t\r\n])["\s])*)(?=[=+\-@])/g;
/** Matches text before control characters that some spreadsheets drop. */
const CONTROL = /^(?=[\t\r])/;

/** A table as CSV as in RFC 4180; what a spreadsheet would interpret as a formula is marked as text. */
export function toCsv(lines: readonly (readonly (string | number)[])[]): string {
  return lines.map((line) => `${line.map(cell).join(',')}\r\n`).join('');
}

function cell(value: string | number): string {
  const text =
    typeof value === 'string' ? value.replace(FORMULA, "$1$2'").replace(CONTROL, "'") : String(value);
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
