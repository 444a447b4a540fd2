import { Text, TextInput } from '@mantine/core';
import { type ReactNode, useDeferredValue, useMemo, useState } from 'react';
import { count, t } from '../text/text.ts';
import { WindowedList } from './windowed-list.tsx';

interface FilteredListProps<Item> {
  readonly label: string;
  readonly items: readonly Item[];
  /** The text that the filter searches. */
  readonly textOf: (item: Item) => string;
  readonly keyOf: (item: Item) => string | number;
  /** Whether the item is no longer one: it is shown in its place, but not counted. */
  readonly isGone?: (item: Item) => boolean;
  readonly children: (item: Item) => ReactNode;
  /** The text for an empty list. */
  readonly empty: string;
}

/** A list with a text filter. Only the visible rows are rendered. */
export function FilteredList<Item>(props: FilteredListProps<Item>) {
  const { label, items, textOf, empty, isGone = () => false } = props;
  const [filter, setFilter] = useState('');
  const wanted = useDeferredValue(filter.trim().toLowerCase());
  const shown = useMemo(
    () => (wanted === '' ? items : items.filter((item) => textOf(item).toLowerCase().includes(wanted))),
    [items, textOf, wanted],
  );
  const present = (all: readonly Item[]) => all.filter((item) => !isGone(item)).length;
  const all = present(items);
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
        {all === 0 ? empty : t('{shown} of {all}', { shown: present(shown), all: count(all, '{n}', '{n}') })}
      </Text>
      {shown.length > 0 && (
        <WindowedList {...props} label={t('List: {list}', { list: label })} items={shown} />
      )}
    </div>
  );
}
