import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, type ReactNode, useCallback, useEffect, useRef } from 'react';

interface WindowedListProps<Item> {
  readonly label: string;
  readonly items: readonly Item[];
  readonly keyOf: (item: Item) => string | number;
  /** Whether the item is no longer one, and shown only to fill its place. */
  readonly isGone?: (item: Item) => boolean;
  readonly children: (item: Item) => ReactNode;
  /** Called when the last item becomes visible. */
  readonly onEnd?: () => void;
}

/** The exact height of a row of one line in pixels; rows with another height cost a second render. */
const ROW = 45;

/** A list of any length, of which only the visible items are rendered. */
export function WindowedList<Item>(props: WindowedListProps<Item>) {
  const { label, items, keyOf, isGone, children, onEnd } = props;
  const window = useRef<HTMLElement>(null);
  // Must be stable: a new function makes the virtualizer compute the positions of all items again.
  const getItemKey = useCallback((index: number) => keyOf(items[index] as Item), [items, keyOf]);
  const rows = useVirtualizer({
    count: items.length,
    getScrollElement: () => window.current,
    estimateSize: () => ROW,
    overscan: 8,
    getItemKey,
  });
  const seen = rows.getVirtualItems();
  const atEnd = seen.at(-1)?.index === items.length - 1;
  useEffect(() => {
    if (atEnd) onEnd?.();
  }, [atEnd, onEnd]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: focusable, so that it can be scrolled by keyboard.
    <section className="window" ref={window} tabIndex={0} aria-label={label}>
      <ul className="rows" style={{ height: rows.getTotalSize(), position: 'relative' }}>
        {seen.map(({ key, index, start }) => (
          <li
            key={key}
            data-index={index}
            ref={rows.measureElement}
            aria-setsize={items.length}
            aria-posinset={index + 1}
            inert={isGone?.(items[index] as Item)}
            style={{ transform: `translateY(${start}px)` }}
          >
            <Row item={items[index] as Item}>{children}</Row>
          </li>
        ))}
      </ul>
    </section>
  );
}

interface RowProps<Item> {
  readonly item: Item;
  readonly children: (item: Item) => ReactNode;
}

/** Memoised, so that scrolling does not render it again. */
const Row = memo(function Row<Item>({ item, children }: RowProps<Item>) {
  return children(item);
}) as <Item>(props: RowProps<Item>) => ReactNode;
