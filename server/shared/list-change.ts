/** An update's changes to one list of members; null and absent mean no change, an empty list is a value (D3). */
export interface ListChange<T> {
  readonly add: readonly T[] | null | undefined;
  readonly replace: readonly T[] | null | undefined;
  readonly remove: readonly T[] | null | undefined;
}

/** How a list differs after an update, each element once. */
export interface ListDifference<T> {
  readonly added: readonly T[];
  readonly removed: readonly T[];
}

/** All elements that a change mentions, without duplicates. */
export function mentioned<T>({ add, replace, remove }: ListChange<T>): Set<T> {
  return new Set([...(add ?? []), ...(replace ?? []), ...(remove ?? [])]);
}

/** The list after additions, full replacement and removals, in this order (Group rule 3, Coalition rule 2). */
export function changeList<T>(before: Iterable<T>, { add, replace, remove }: ListChange<T>): Set<T> {
  const after = new Set(replace ?? [...before, ...(add ?? [])]);
  for (const element of remove ?? []) after.delete(element);
  return after;
}

/** The additions and removals that turn one list into the other. */
export function difference<T>(before: ReadonlySet<T>, after: ReadonlySet<T>): ListDifference<T> {
  return {
    added: [...after].filter((element) => !before.has(element)),
    removed: [...before].filter((element) => !after.has(element)),
  };
}

export function isEmpty({ added, removed }: ListDifference<unknown>): boolean {
  return added.length === 0 && removed.length === 0;
}
