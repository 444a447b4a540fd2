/** Formats times in EVE time, which is UTC, and in the reader's local time. */

const two = (n: number) => String(n).padStart(2, '0');

/** `2026-03-02 07:05` */
export function eveTime(at: Date): string {
  return `${at.getUTCFullYear()}-${two(at.getUTCMonth() + 1)}-${two(at.getUTCDate())} ${two(at.getUTCHours())}:${two(at.getUTCMinutes())}`;
}

/** The time in the reader's time zone. */
export function localTime(at: Date): string {
  return new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' }).format(at);
}

const STEPS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/** `2 hours ago`, `in 3 days` */
export function distance(at: Date, now: Date): string {
  const seconds = (at.getTime() - now.getTime()) / 1000;
  const [unit, size] = STEPS.find(([, length]) => Math.abs(seconds) >= length) ?? ['minute', 60];
  return relative.format(Math.round(seconds / size), unit);
}

/** A text of the service with its times as the console tells them. */
export function withTimes(text: string): string {
  return text.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (at) => `${eveTime(new Date(at))} EVE`);
}
