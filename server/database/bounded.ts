/**
 * Maximum length of names and tickers in UTF-16 units (D3b); much longer ones would exceed PostgreSQL's limit for index
 * entries.
 */
const LONGEST_NAME = 100;
const LONGEST_TICKER = 20;

/** A name from outside, truncated to the maximum length (D3b). */
export function boundedName(name: string): string {
  return bounded(name, LONGEST_NAME);
}

/** A ticker from outside, truncated to the maximum length (D3b). */
export function boundedTicker(ticker: string): string {
  return bounded(ticker, LONGEST_TICKER);
}

function bounded(text: string, most: number): string {
  // Truncation may leave half of a surrogate pair at the end.
  return text.length <= most ? text : text.slice(0, most).replace(/\p{Surrogate}$/u, '');
}
