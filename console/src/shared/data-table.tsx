import { Table, Text, UnstyledButton } from '@mantine/core';
import {
  createSortedRowModel,
  rowSortingFeature,
  sortFn_alphanumeric,
  tableFeatures,
  useTable,
} from '@tanstack/react-table';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useMemo, useRef } from 'react';

const features = tableFeatures({
  rowSortingFeature,
  sortedRowModel: createSortedRowModel(),
  sortFns: { alphanumeric: sortFn_alphanumeric },
});

export interface TableColumn<Row> {
  readonly id: string;
  readonly header: () => string;
  /** The value to sort by; also shown, unless there is a `cell`. */
  readonly value: (row: Row) => string | number;
  readonly cell?: (row: Row) => ReactNode;
}

interface DataTableProps<Row> {
  readonly label: string;
  readonly rows: readonly Row[];
  readonly columns: readonly TableColumn<Row>[];
  readonly empty: string;
}

const ROW = 44;
const ARROWS = { asc: ' ↑', desc: ' ↓' } as const;
const SORTED = { asc: 'ascending', desc: 'descending' } as const;

/** A table that can be sorted by its headings. Only the visible rows are rendered. */
export function DataTable<Row extends object>({ label, rows, columns, empty }: DataTableProps<Row>) {
  const definitions = useMemo(
    () =>
      columns.map(({ id, value }) => ({
        id,
        accessorFn: (row: Row) => value(row),
        sortFn: 'alphanumeric' as const,
      })),
    [columns],
  );
  const table = useTable({ features, columns: definitions, data: rows as Row[] });
  const window = useRef<HTMLElement>(null);
  const sorted = table.getRowModel().rows;
  const virtual = useVirtualizer({
    count: sorted.length,
    getScrollElement: () => window.current,
    estimateSize: () => ROW,
    overscan: 8,
  });
  if (rows.length === 0) return <Text>{empty}</Text>;
  const items = virtual.getVirtualItems();
  const before = items[0]?.start ?? 0;
  const after = virtual.getTotalSize() - (items.at(-1)?.end ?? 0);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: focusable, so that it can be scrolled by keyboard.
    <section className="window" ref={window} tabIndex={0} aria-label={label}>
      <Table stickyHeader>
        <Table.Thead>
          <Table.Tr>
            {table.getFlatHeaders().map(({ id, column }, index) => {
              const direction = column.getIsSorted();
              return (
                <Table.Th key={id} aria-sort={direction === false ? 'none' : SORTED[direction]}>
                  <UnstyledButton fw={700} onClick={column.getToggleSortingHandler()}>
                    {columns[index]?.header()}
                    {direction === false ? '' : ARROWS[direction]}
                  </UnstyledButton>
                </Table.Th>
              );
            })}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          <Space height={before} />
          {items.map(({ index }) => {
            const row = sorted[index];
            return row === undefined ? null : (
              <Table.Tr key={row.id} data-index={index} ref={virtual.measureElement}>
                {columns.map(({ id, cell, value }) => (
                  <Table.Td key={id}>
                    {cell === undefined ? value(row.original) : cell(row.original)}
                  </Table.Td>
                ))}
              </Table.Tr>
            );
          })}
          <Space height={after} />
        </Table.Tbody>
      </Table>
    </section>
  );
}

/** Takes the space of the rows that are not rendered. */
function Space({ height }: { readonly height: number }) {
  return height > 0 ? <tr style={{ height }} /> : null;
}
