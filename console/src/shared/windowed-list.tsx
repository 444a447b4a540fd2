import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useRef } from 'react';

interface WindowedListProps<Item> {
  readonly label: string;
  readonly items: readonly Item[];
  readonly keyOf: (item: Item) => string | number;
  readonly children: (item: Item) => ReactNode;
  /** Called when the last item becomes visible. */
  readonly onEnd?: () => void;
}

const ROW = 46;

/** A list of any length, of which only the visible items are rendered. */
export function WindowedList<Item>({ label, items, keyOf, children, onEnd }: WindowedListProps<Item>) {
  const window = useRef<HTMLElement>(null);
  const rows = useVirtualizer({
    count: items.length,
    getScrollElement: () => window.current,
    estimateSize: () => ROW,
    overscan: 8,
    getItemKey: (index) => keyOf(items[index] as Item),
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
            style={{ position: 'absolute', width: '100%', transform: `translateY(${start}px)` }}
          >
            {children(items[index] as Item)}
          </li>
        ))}
      </ul>
    </section>
  );
}
