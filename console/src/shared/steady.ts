import { useState } from 'react';
import { inPlace } from './in-place.ts';

/**
 * A list whose entries stay where they are for as long as it is on the screen, for lists with buttons that act at once:
 * a click must not meet another entry because the list moved under the pointer.
 */
export function useSteady<Item>(items: readonly Item[], keyOf: (item: Item) => string | number) {
  const [of, setOf] = useState(items);
  const [shown, setShown] = useState(() => inPlace([], items, keyOf));
  if (items !== of) {
    setOf(items);
    setShown(inPlace(shown, items, keyOf));
  }
  return shown;
}
