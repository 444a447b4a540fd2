import { Text, TextInput } from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useDeferredValue, useMemo, useRef, useState } from 'react';
import { count, t } from '../text/text.ts';

interface FilteredListProps<Item> {
  readonly label: string;
  readonly items: readonly Item[];
  /** What the filter looks at. */
  readonly textOf: (item: Item) => string;
  readonly keyOf: (item: Item) => string | number;
  readonly children: (item: Item) => ReactNode;
  /** What is said where there is nothing. */
  readonly empty: string;
}

const ROW = 46;

/** A list of any length, narrowed down as one types; of a long one only what is seen is in the page. */
export function FilteredList<Item>(props: FilteredListProps<Item>) {
  const { label, items, textOf, empty } = props;
  const [filter, setFilter] = useState('');
  const wanted = useDeferredValue(filter.trim().toLowerCase());
  const shown = useMemo(
    () => (wanted === '' ? items : items.filter((item) => textOf(item).toLowerCase().includes(wanted))),
    [items, textOf, wanted],
  );
  return (
    <div>
      <TextInput
        label={t('Filter {list}', { list: label })}
        value={filter}
        onChange={(event) => setFilter(event.currentTarget.value)}
        type="search"
        mb="xs"
      />
      <Text size="sm" c="dimmed" role="status" mb="xs">
        {items.length === 0
          ? empty
          : t('{shown} of {all}', { shown: shown.length, all: count(items.length, '{n}', '{n}') })}
      </Text>
      {shown.length > 0 && <Rows {...props} items={shown} />}
    </div>
  );
}

function Rows<Item>({ label, items, keyOf, children }: FilteredListProps<Item>) {
  const window = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: items.length,
    getScrollElement: () => window.current,
    estimateSize: () => ROW,
    overscan: 8,
    getItemKey: (index) => keyOf(items[index] as Item),
  });
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keyboard.
    <section className="window" ref={window} tabIndex={0} aria-label={t('List: {list}', { list: label })}>
      <ul className="rows" style={{ height: rows.getTotalSize(), position: 'relative' }}>
        {rows.getVirtualItems().map(({ key, index, start }) => (
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
