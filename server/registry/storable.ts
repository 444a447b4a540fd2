import type { ProviderSnapshot } from './provider-snapshot.ts';

/** As many as names and tickers may have here (D3b), in UTF-16 units; far longer ones fit into no index. */
const LONGEST_NAME = 100;
const LONGEST_TICKER = 20;

/** A foreign name of anybody or anything, cut where it is longer than names may be (D3b). */
export function boundedName(name: string): string {
  return bounded(name, LONGEST_NAME);
}

/**
 * Findings as the registry can hold them, whatever the provider said: every body and character once, the first word
 * counting (one character may be called the CEO of two corporations), and names and tickers cut (D3b).
 */
export function storableSnapshot({
  alliances,
  corporations,
  characters,
}: ProviderSnapshot): ProviderSnapshot {
  return {
    alliances: once(alliances, (row) => row.alliance_id).map((row) => ({
      ...row,
      alliance_name: boundedName(row.alliance_name),
      ticker: bounded(row.ticker, LONGEST_TICKER),
    })),
    corporations: once(corporations, (row) => row.corporation_id).map((row) => ({
      ...row,
      corporation_name: boundedName(row.corporation_name),
      ticker: bounded(row.ticker, LONGEST_TICKER),
      ceo_name: boundedName(row.ceo_name),
    })),
    characters: once(characters, (row) => row.character_id).map((row) => ({
      ...row,
      character_name: boundedName(row.character_name),
    })),
  };
}

/** Each row once: the first one of an id. */
export function once<T>(rows: readonly T[], idOf: (row: T) => number): T[] {
  return [...new Map(rows.toReversed().map((row) => [idOf(row), row])).values()].reverse();
}

function bounded(text: string, most: number): string {
  // Half of a pair may be left at the cut.
  return text.length <= most ? text : text.slice(0, most).replace(/\p{Surrogate}$/u, '');
}
