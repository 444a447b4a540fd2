import { eveTime } from '../text/time.ts';

/** Seconds. */
const DAY = 86_400;
const MONTH = 28 * DAY;
/** Seconds on each side of a time that stands alone: without them the axis would have no length. */
const AROUND = DAY / 2;

/** Distances between the marks of days, in seconds. */
const DAYS = [1, 2, 4, 7, 14, 28, 56, 91, 182, 365, 730].map((days) => days * DAY);
/** 1, 2, 5, 10 and so on. */
const WHOLE = Array.from({ length: 16 }, (_, power) => [1, 2, 5].map((n) => n * 10 ** power)).flat();

/** What the axis of time goes by; all times are seconds of EVE time. */
interface TimeAxis {
  range(first: number, last: number): [number, number];
  /** Where marks are allowed only at certain distances: these. */
  readonly incrs?: number[];
  /** Where a time stands alone: the one mark. */
  readonly splits?: () => number[];
  labels(marks: readonly number[], distance: number): string[];
}

/** What was counted once a day has no hours; what has one time alone is marked by that. */
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

/** A date at the first mark and at every new one, below the hour where marks are hours apart. */
function label(at: number, before: number | undefined, distance: number): string {
  const [date = '', time = ''] = eveTime(new Date(at * 1000)).split(' ');
  if (distance >= MONTH) return date.slice(0, 7);
  if (distance >= DAY) return date;
  const isNewDate = before === undefined || Math.floor(before / DAY) !== Math.floor(at / DAY);
  return isNewDate ? `${time}\n${date}` : time;
}

/** Marks of what comes in whole numbers stand at whole numbers. */
export function valueMarks(values: readonly number[]): number[] | undefined {
  return values.every(Number.isInteger) ? WHOLE : undefined;
}

/** Pixels that labels take, so that none is cut off. */
export function widthOf(labels: readonly string[]): number {
  return 24 + 8 * Math.max(3, ...labels.map(({ length }) => length));
}
