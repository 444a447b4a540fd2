import type { Distance } from './distance.ts';

export type Mode = 'read' | 'write';

/** The least level that may read or change what is so far away (D12). */
export function leastLevel(distance: Distance, mode: Mode): number {
  return mode === 'read' ? Math.min(distance, 7) : Math.min(distance + 1, 8);
}

/** May somebody of this level read or change what is so far away? (D12) Guests, at -1, may not even at 0. */
export function hasAuthority(level: number, distance: Distance, mode: Mode): boolean {
  return level >= leastLevel(distance, mode);
}
