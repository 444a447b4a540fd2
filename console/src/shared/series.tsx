import { Stack, Table, Text } from '@mantine/core';
import { type ComponentProps, lazy, Suspense } from 'react';
import { formatNumber, t } from '../text/text.ts';
import type { Point } from './chart.tsx';
import { Loading } from './loading.tsx';
import { Moment } from './moment.tsx';
import { More } from './more.tsx';

const Chart = lazy(async () => ({ default: (await import('./chart.tsx')).Chart }));

interface SeriesProps {
  readonly title: string;
  /** Newest first. */
  readonly points: readonly Point[];
  readonly empty: string;
  readonly more?: ComponentProps<typeof More>['of'];
}

/** A value over time: a chart to look at, and the same as a table to read. */
export function Series({ title, points, empty, more }: SeriesProps) {
  if (points.length === 0) return <Text>{empty}</Text>;
  return (
    <Stack align="stretch">
      <Suspense fallback={<Loading rows={4} />}>
        <Chart title={title} points={points} />
      </Suspense>
      <details>
        <summary>{t('{title} as a table', { title })}</summary>
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t('When')}</Table.Th>
              <Table.Th>{title}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {points.map(({ at, value }) => (
              <Table.Tr key={at}>
                <Table.Td>
                  <Moment at={at} />
                </Table.Td>
                <Table.Td>{formatNumber(value)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </details>
      {more !== undefined && (
        <div>
          <More of={more} />
        </div>
      )}
    </Stack>
  );
}
