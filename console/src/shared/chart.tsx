import { useComputedColorScheme } from '@mantine/core';
import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { formatNumber, t } from '../text/text.ts';
import { eveTime } from '../text/time.ts';
import { timeAxis, valueMarks, widthOf } from './chart-axis.ts';

export interface Point {
  readonly at: string;
  /** One value for each line. */
  readonly values: readonly number[];
}

const HEIGHT = 240;
/** Minimum distance of two dates in pixels, so that they do not overlap. */
const DATE = 90;
/** Dash patterns, which tell lines apart without colour; their number is the maximum of lines. */
const DASHES = [[], [10, 5], [2, 5]];
const COLOURS = { light: ['#1f4f86', '#1d6b45', '#b02a1b'], dark: ['#9cc3f5', '#7fd1a6', '#ff9e91'] };

/** The legend's time; null while the pointer is outside of the chart. */
function timeInWords(at: number | null): string {
  return at === null ? '' : eveTime(new Date(at * 1000));
}

interface ChartProps {
  /** The names of the lines. */
  readonly lines: readonly string[];
  readonly points: readonly Point[];
}

/** Lines over EVE time. Screen readers use the table beside it. */
export function Chart({ lines, points }: ChartProps) {
  const container = useRef<HTMLDivElement>(null);
  const scheme = useComputedColorScheme();
  // As text, so that a new list with the same names does not redraw the chart.
  const names = lines.join('\n');
  useEffect(() => {
    const element = container.current;
    if (element === null) return;
    const dark = scheme === 'dark';
    const ordered = points.toReversed();
    const ink = dark ? '#c5cede' : '#3d4759';
    const times = ordered.map(({ at }) => Date.parse(at) / 1000);
    const { range, labels, ...time } = timeAxis(times);
    const marks = valueMarks(points.flatMap(({ values }) => values));
    const axis = { stroke: ink, grid: { stroke: dark ? '#2d3544' : '#e3e8f0' } };
    const series = names.split('\n').map((label, line) => ({
      label,
      width: 2,
      dash: DASHES[line] ?? [],
      stroke: COLOURS[scheme][line] ?? ink,
    }));
    const options: uPlot.Options = {
      width: element.clientWidth,
      height: HEIGHT,
      tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
      scales: { x: { range: (_plot, first, last) => range(first, last) } },
      axes: [
        {
          ...axis,
          ...time,
          space: DATE,
          values: (_plot, splits, _axis, _space, distance) => labels(splits, distance),
        },
        {
          ...axis,
          ...(marks && { incrs: marks }),
          size: (_plot, shown) => widthOf(shown ?? []),
          values: (_plot, splits) => splits.map(formatNumber),
        },
      ],
      series: [{ label: t('When'), value: (_plot, at) => timeInWords(at) }, ...series],
    };
    const data: uPlot.AlignedData = [
      times,
      ...series.map((_, line) => ordered.map(({ values }) => values[line] ?? null)),
    ];
    const plot = new uPlot(options, data, element);
    const watcher = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }));
    watcher.observe(element);
    return () => {
      watcher.disconnect();
      plot.destroy();
    };
  }, [names, points, scheme]);
  return <div ref={container} aria-hidden="true" style={{ minHeight: HEIGHT }} />;
}
