import type { Clock } from '../../server/shared/clock.ts';

/** The time at which it was made, which stands still but for what a test adds: none comes to its end by itself. */
export class TestClock implements Clock {
  #now = Date.now();

  now(): Date {
    return new Date(this.#now);
  }

  advance(milliseconds: number): void {
    this.#now += milliseconds;
  }
}
