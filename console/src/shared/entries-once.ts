/**
 * The entries of all pages, each once: what is added at the top between two requests moves the last entries of a page to
 * the next one.
 */
export function entriesOnce<Entry>(
  pages: readonly { readonly entries: readonly Entry[] }[],
  keyOf: (entry: Entry) => string | number,
): Entry[] {
  const all = pages.flatMap(({ entries }) => entries.map((entry) => [keyOf(entry), entry] as const));
  return [...new Map(all).values()];
}
