import { FARTHEST_END_MILLIS } from './windows.queries.ts';

/** A block of requests that this process has leased from a window. */
export interface Held {
  readonly most: number;
  readonly granted: number;
  readonly free: number;
  readonly endsAt: number;
  /**
   * When nothing was granted: the earliest time to ask again, as other processes may have returned requests by then.
   */
  readonly askAgainAt: number;
  left: number;
  /** Whether it was used since the last check for idle blocks. */
  used: boolean;
}

/**
 * Whether the block's window is still open. A window that ends too far in the future was begun while the clock was
 * wrong.
 */
export function isOpen({ endsAt }: Held, now: number): boolean {
  return now < endsAt && endsAt <= now + FARTHEST_END_MILLIS;
}

/** 1 % of the limit: the size of the first block, the smallest block, and what an idle process may keep. */
export function firstSize(most: number): number {
  return Math.max(1, Math.floor(most / 100));
}

/**
 * The size of the next block: double the last one, but at most a quarter of what is free, so that all processes use up
 * the window at about the same time.
 */
export function nextSize(block: Held | undefined, most: number): number {
  if (block === undefined) return firstSize(most);
  return Math.max(firstSize(most), Math.min(2 * block.granted, Math.ceil(block.free / 4)));
}

/**
 * A block to use while PostgreSQL is away: the full limit for this process alone. Requests that need the database get a
 * 503 anyway.
 */
export function alone(most: number, until: number): Held {
  return { most, granted: most, free: 0, endsAt: until, askAgainAt: until, left: most, used: true };
}
