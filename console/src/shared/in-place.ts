interface Placed<Item> {
  readonly item: Item;
  /** Whether the list no longer contains it. */
  readonly isGone: boolean;
}

/** The list with all that was shown in its place: what is new comes last, and what is gone leaves no gap. */
export function inPlace<Item>(
  shown: readonly Placed<Item>[],
  items: readonly Item[],
  keyOf: (item: Item) => string | number,
): readonly Placed<Item>[] {
  const fresh = new Map(items.map((item) => [keyOf(item), item]));
  const kept = shown.map((placed) => {
    const item = fresh.get(keyOf(placed.item));
    fresh.delete(keyOf(placed.item));
    return { item: item ?? placed.item, isGone: item === undefined };
  });
  return [...kept, ...[...fresh.values()].map((item) => ({ item, isGone: false }))];
}
