const DAY = 86_400_000;

/**
 * A schedule that does not start a job while a test runs, on whichever day. The first of a month is found ten times
 * sooner than a later day.
 */
export function farOff(): string {
  const day = new Date(Date.now() + 180 * DAY);
  return `0 0 1 ${day.getUTCMonth() + 1} *`;
}
