/** CSV in which no text becomes a formula. */

/**
 * Where a spreadsheet takes what follows for a formula: at the beginning of a cell. Spreadsheets of many countries
 * separate cells by semicolons and some by tabs, wherever we mean none, and ignore quotes inside of a cell. No
 * place where one may begin is passed over in search of the next: that would take quadratic time.
 */
const FORMULA = /(^|[;\t\r\n])((?:(?![\t\r\n])["\s])*)(?=[=+\-@])/g;
/** Control characters that some drop before they look for a formula. */
const CONTROL = /^(?=[\t\r])/;

/** Lines of cells after RFC 4180. An apostrophe is put before what a spreadsheet would calculate. */
export function toCsv(lines: readonly (readonly unknown[])[]): string {
  return lines.map((cells) => `${cells.map(cell).join(',')}\r\n`).join('');
}

function cell(value: unknown): string {
  const text = String(value ?? '');
  const harmless = typeof value === 'string' ? text.replace(FORMULA, "$1$2'").replace(CONTROL, "'") : text;
  return /[",;\t\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
