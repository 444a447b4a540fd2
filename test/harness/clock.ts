import type { Clock } from '../../server/shared/clock.ts';

const MINUTE = 60_000;
/** Milliseconds that must remain of the minute, as the provider counts by minutes and short bans are waited for. */
const LEFT = 20_000;

/**
 * A clock that stands still, except when a test advances it, so that nothing expires by itself. It starts at the
 * present or slightly earlier; tokens from a later time would be refused by other processes as not yet issued.
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
