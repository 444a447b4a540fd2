/** Matches text that a spreadsheet would interpret as a formula. */
const FORMULA = /^\s*[=+\-@]|^[\t\r]/;

/** A table as CSV as in RFC 4180; what a spreadsheet would interpret as a formula is marked as text. */
export function toCsv(lines: readonly (readonly (string | number)[])[]): string {
  return lines.map((line) => `${line.map(cell).join(',')}\r\n`).join('');
}

function cell(value: string | number): string {
  const text = typeof value === 'string' && FORMULA.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Makes the browser download the text as a file. */
export function saveCsv(name: string, text: string): void {
  // Spreadsheets recognize UTF-8 by the byte order mark.
  const url = URL.createObjectURL(new Blob(['\uFEFF', text], { type: 'text/csv;charset=utf-8' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
