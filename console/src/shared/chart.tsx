import { useComputedColorScheme } from '@mantine/core';
import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { formatNumber } from '../text/text.ts';

export interface Point {
  readonly at: string;
  readonly value: number;
}

const HEIGHT = 240;

/** A line over time, in EVE time; the table beside it is what screen readers have. */
export function Chart({ title, points }: { readonly title: string; readonly points: readonly Point[] }) {
  const place = useRef<HTMLDivElement>(null);
  const dark = useComputedColorScheme() === 'dark';
  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    const ordered = points.toReversed();
    const ink = dark ? '#c5cede' : '#3d4759';
    const axis = { stroke: ink, grid: { stroke: dark ? '#2d3544' : '#e3e8f0' } };
    const options: uPlot.Options = {
      width: element.clientWidth,
      height: HEIGHT,
      tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
      axes: [axis, { ...axis, size: 110, values: (_plot, values) => values.map(formatNumber) }],
      series: [{}, { label: title, stroke: dark ? '#9cc3f5' : '#1f4f86', width: 2 }],
    };
    const data: uPlot.AlignedData = [
      ordered.map(({ at }) => Date.parse(at) / 1000),
      ordered.map(({ value }) => value),
    ];
    const plot = new uPlot(options, data, element);
    const watcher = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }));
    watcher.observe(element);
    return () => {
      watcher.disconnect();
      plot.destroy();
    };
  }, [title, points, dark]);
  return <div ref={place} aria-hidden="true" style={{ minHeight: HEIGHT }} />;
}
