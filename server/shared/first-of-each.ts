/** Removes rows with the same id but for the first. */
export function firstOfEach<T>(rows: readonly T[], idOf: (row: T) => number): T[] {
  return [...new Map(rows.toReversed().map((row) => [idOf(row), row])).values()].reverse();
}
