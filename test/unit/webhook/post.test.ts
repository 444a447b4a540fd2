import { describe, expect, it } from 'vitest';
import { pauseOf } from '../../../server/webhook/post.ts';

const NOW = new Date('2026-03-02T07:05:30.000Z');
const DAY = 86_400_000;

describe('D93: Retry-After', () => {
  it.each([
    ['120', 120_000],
    ['Mon, 02 Mar 2026 07:06:30 GMT', 60_000],
    ['99999999999', DAY],
    ['Mon, 02 Mar 2037 07:06:30 GMT', DAY],
  ])('%s asks for so many milliseconds, a day at the most', (header, pause) => {
    expect(pauseOf(header, NOW)).toBe(pause);
  });

  it.each([undefined, '0', '-5', 'soon', '', 'Mon, 02 Mar 2020 07:06:30 GMT'])(
    '%s asks for nothing',
    (header) => {
      expect(pauseOf(header, NOW)).toBeUndefined();
    },
  );
});
