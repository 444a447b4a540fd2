import { Stack, Table, Text } from '@mantine/core';
import type { ComponentProps, ReactNode } from 'react';
import { formatNumber, t } from '../text/text.ts';
import type { Point } from './chart.tsx';
import { laterPart } from './later.ts';
import { Moment } from './moment.tsx';
import { More } from './more.tsx';
import { Part } from './screen.tsx';

const Chart = laterPart(() => import('./chart.tsx'), 'Chart');

interface SeriesProps {
  readonly title: string;
  /** The names of the lines, if there are several. */
  readonly lines?: readonly string[];
  /** Newest first. */
  readonly points: readonly Point[];
  readonly empty: string;
  /** Renders a time. */
  readonly when?: (at: string) => ReactNode;
  readonly more?: ComponentProps<typeof More>['of'];
}

/** Values over time as a chart and as a table. */
export function Series({ title, lines = [title], points, empty, when = momentOf, more }: SeriesProps) {
  if (points.length === 0) return <Text>{empty}</Text>;
  return (
    <Stack align="stretch">
      <Part rows={4}>
        <Chart lines={lines} points={points} />
      </Part>
      <details>
        <summary>{t('{title} as a table', { title })}</summary>
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t('When')}</Table.Th>
              {lines.map((line) => (
                <Table.Th key={line}>{line}</Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {points.map(({ at, values }) => (
              <Table.Tr key={at}>
                <Table.Td>{when(at)}</Table.Td>
                {lines.map((line, index) => (
                  <Table.Td key={line}>{formatNumber(values[index] ?? 0)}</Table.Td>
                ))}
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

function momentOf(at: string): ReactNode {
  return <Moment at={at} />;
}
