import { FARTHEST_END_MILLIS } from './windows.queries.ts';

/** A block that this process has at hand. */
export interface Held {
  readonly most: number;
  readonly granted: number;
  readonly free: number;
  readonly endsAt: number;
  /** When nothing was granted: asked no sooner, as others may have given something back by then. */
  readonly askAgainAt: number;
  left: number;
  /** Since it was last looked at. */
  used: boolean;
}

/** Whether its window goes on; one that ends too far ahead was begun before the clock was put right. */
export function isOpen({ endsAt }: Held, now: number): boolean {
  return now < endsAt && endsAt <= now + FARTHEST_END_MILLIS;
}

/** 1 % of the limit: the first block, the least one, and as much as may lie idle. */
export function firstSize(most: number): number {
  return Math.max(1, Math.floor(most / 100));
}

/** Doubled each time, but at most a quarter of what is free, so that all processes get to the end together. */
export function nextSize(block: Held | undefined, most: number): number {
  if (block === undefined) return firstSize(most);
  return Math.max(firstSize(most), Math.min(2 * block.granted, Math.ceil(block.free / 4)));
}

/** Without PostgreSQL the whole limit is this process's: what needs the database is answered 503 anyway. */
export function alone(most: number, until: number): Held {
  return { most, granted: most, free: 0, endsAt: until, askAgainAt: until, left: most, used: true };
}
