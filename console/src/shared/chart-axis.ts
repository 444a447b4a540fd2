import { eveTime } from '../text/time.ts';

/** Seconds. */
const DAY = 86_400;
const MONTH = 28 * DAY;
/** Seconds shown on each side of a single point. */
const AROUND = DAY / 2;

/** Possible distances of the ticks of daily values, in seconds. */
const DAYS = [1, 2, 4, 7, 14, 28, 56, 91, 182, 365, 730].map((days) => days * DAY);
/** Possible distances of the ticks of whole numbers: 1, 2, 5, 10 and so on. */
const WHOLE = Array.from({ length: 16 }, (_, power) => [1, 2, 5].map((n) => n * 10 ** power)).flat();

/** Options of the time axis; all times are in seconds, UTC. */
interface TimeAxis {
  range(first: number, last: number): [number, number];
  /** The allowed distances of ticks, where they are limited. */
  readonly incrs?: number[];
  /** The only tick of a single point. */
  readonly splits?: () => number[];
  labels(marks: readonly number[], distance: number): string[];
}

/** Daily values get ticks at whole days only, a single point gets one tick. */
export function timeAxis(times: readonly number[]): TimeAxis {
  const [only] = times;
  const isDaily = times.every((at) => at % DAY === 0);
  const isAlone = only !== undefined && times.every((at) => at === only);
  return {
    range: (first, last) => (first === last ? [first - AROUND, last + AROUND] : [first, last]),
    ...(isDaily && { incrs: DAYS }),
    ...(isAlone && { splits: () => [only] }),
    labels: (marks, distance) => {
      const apart = isAlone ? (isDaily ? DAY : 0) : distance;
      return marks.map((at, n) => label(at, marks[n - 1], apart));
    },
  };
}

/** Month, date or time by the distance of the ticks; times get the date below at the first tick of each day. */
function label(at: number, before: number | undefined, distance: number): string {
  const [date = '', time = ''] = eveTime(new Date(at * 1000)).split(' ');
  if (distance >= MONTH) return date.slice(0, 7);
  if (distance >= DAY) return date;
  const isNewDate = before === undefined || Math.floor(before / DAY) !== Math.floor(at / DAY);
  return isNewDate ? `${time}\n${date}` : time;
}

/** The allowed distances of ticks: whole numbers for whole values, any for others. */
export function valueMarks(values: readonly number[]): number[] | undefined {
  return values.every(Number.isInteger) ? WHOLE : undefined;
}

/** The width in pixels that the labels need. */
export function widthOf(labels: readonly string[]): number {
  return 24 + 8 * Math.max(3, ...labels.map(({ length }) => length));
}
