/** As many as names and tickers may have here (D3b), in UTF-16 units; far longer ones fit into no index. */
const LONGEST_NAME = 100;
const LONGEST_TICKER = 20;

/** A foreign name of anybody or anything, cut where it is longer than names may be (D3b). */
export function boundedName(name: string): string {
  return bounded(name, LONGEST_NAME);
}

/** A foreign ticker, cut where it is longer than tickers may be (D3b). */
export function boundedTicker(ticker: string): string {
  return bounded(ticker, LONGEST_TICKER);
}

function bounded(text: string, most: number): string {
  // Half of a pair may be left at the cut.
  return text.length <= most ? text : text.slice(0, most).replace(/\p{Surrogate}$/u, '');
}
