import { describe, expect, it } from 'vitest';
import { timeAxis, valueMarks, widthOf } from '../../../console/src/shared/chart-axis.ts';

const at = (time: string) => Date.parse(`${time}Z`) / 1000;
const HOUR = 3_600;
const DAY = 24 * HOUR;

describe('the axis of time', () => {
  it('one day that was counted is marked by its date alone, in the middle', () => {
    const day = at('2026-03-02T00:00');
    const axis = timeAxis([day]);
    expect(axis.range(day, day)).toEqual([day - DAY / 2, day + DAY / 2]);
    expect(axis.splits?.()).toEqual([day]);
    expect(axis.labels([day], 2 * HOUR)).toEqual(['2026-03-02']);
  });

  it('one moment is marked by its hour and date', () => {
    const moment = at('2026-03-02T07:05');
    expect(timeAxis([moment]).labels([moment], 2 * HOUR)).toEqual(['07:05\n2026-03-02']);
  });

  it('within a day hours are marked, the date once and at midnight again', () => {
    const times = [at('2026-03-02T16:10'), at('2026-03-03T02:00')];
    const axis = timeAxis(times);
    expect(axis.splits).toBeUndefined();
    expect(axis.range(times[0] ?? 0, times[1] ?? 0)).toEqual(times);
    const marks = [at('2026-03-02T18:00'), at('2026-03-02T21:00'), at('2026-03-03T00:00')];
    expect(axis.labels(marks, 3 * HOUR)).toEqual(['18:00\n2026-03-02', '21:00', '00:00\n2026-03-03']);
  });

  it('what was counted day by day has marks at whole days', () => {
    const axis = timeAxis([at('2026-03-02T00:00'), at('2026-03-03T00:00')]);
    expect(Math.min(...(axis.incrs ?? []))).toBe(DAY);
    expect(timeAxis([at('2026-03-02T00:00'), at('2026-03-03T00:01')]).incrs).toBeUndefined();
  });

  it('months are marked as months', () => {
    const marks = [at('2026-03-01T00:00'), at('2026-04-01T00:00')];
    expect(timeAxis(marks).labels(marks, 28 * DAY)).toEqual(['2026-03', '2026-04']);
  });
});

describe('the axis of values', () => {
  it('people are counted in whole numbers, ISK is not', () => {
    expect(Math.min(...(valueMarks([0, 3, 1]) ?? []))).toBe(1);
    expect(valueMarks([0.5, 3])).toBeUndefined();
  });

  it('is as wide as its longest label', () => {
    expect(widthOf(['0', '1,234,567,890,123.45'])).toBeGreaterThan(widthOf(['0', '100']));
  });
});
