import type { Clock } from '../../server/shared/clock.ts';

const MINUTE = 60_000;
/** What is left at least of the minute: the provider counts by minutes, and a ban that ends soon is waited for. */
const LEFT = 20_000;

/**
 * The time at which it was made, or a little earlier (later, and processes beside the test would refuse its tokens as
 * not yet issued). It stands still but for what a test adds: none comes to its end by itself.
 */
export class TestClock implements Clock {
  #now = early(Date.now());

  now(): Date {
    return new Date(this.#now);
  }

  advance(milliseconds: number): void {
    this.#now += milliseconds;
  }
}

function early(time: number): number {
  return time - Math.max(0, (time % MINUTE) - (MINUTE - LEFT));
}
