import type { Distance } from './distance.ts';

/** May somebody of this level read or change what is so far away? (D12) Guests, at -1, may not even at 0. */
export function hasAuthority(level: number, distance: Distance, mode: 'read' | 'write'): boolean {
  return mode === 'read' ? level >= Math.min(distance, 7) : level >= Math.min(distance + 1, 8);
}
