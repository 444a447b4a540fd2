import { Text, UnstyledButton } from '@mantine/core';
import {
  createSortedRowModel,
  rowSortingFeature,
  sortFn_alphanumeric,
  tableFeatures,
  useTable,
} from '@tanstack/react-table';
import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, type ReactNode, useMemo, useRef } from 'react';

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

/** The exact height of a row of one line in pixels; rows with another height cost a second render. */
const ROW = 45;
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
      <table className="sheet" aria-rowcount={sorted.length + 1}>
        <thead>
          <tr aria-rowindex={1}>
            {table.getFlatHeaders().map(({ id, column }, index) => {
              const direction = column.getIsSorted();
              return (
                <th key={id} scope="col" aria-sort={direction === false ? 'none' : SORTED[direction]}>
                  <UnstyledButton fw={700} onClick={column.getToggleSortingHandler()}>
                    {columns[index]?.header()}
                    {direction === false ? '' : ARROWS[direction]}
                  </UnstyledButton>
                </th>
              );
            })}
          </tr>
        </thead>
        <tbody>
          <Space height={before} />
          {items.map(({ index }) => {
            const row = sorted[index];
            return row === undefined ? null : (
              <tr key={row.id} data-index={index} aria-rowindex={index + 2} ref={virtual.measureElement}>
                <Cells row={row.original} columns={columns} />
              </tr>
            );
          })}
          <Space height={after} />
        </tbody>
      </table>
    </section>
  );
}

interface CellsProps<Row> {
  readonly row: Row;
  readonly columns: readonly TableColumn<Row>[];
}

/** Memoised, so that scrolling does not render them again. */
const Cells = memo(function Cells<Row>({ row, columns }: CellsProps<Row>) {
  return columns.map(({ id, cell, value }) => (
    <td key={id}>{cell === undefined ? value(row) : cell(row)}</td>
  ));
}) as <Row>(props: CellsProps<Row>) => ReactNode;

/** Takes the space of the rows that are not rendered. */
function Space({ height }: { readonly height: number }) {
  return height > 0 ? <tr style={{ height }} /> : null;
}
