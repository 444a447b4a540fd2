import type { Distance } from './distance.ts';

export type Mode = 'read' | 'write';

const LEAST: Readonly<Record<Mode, (distance: Distance) => number>> = {
  read: (distance) => Math.min(distance, 7),
  write: (distance) => Math.min(distance + 1, 8),
};

/** The lowest level with authority at a distance (D12). */
export function leastLevel(distance: Distance, mode: Mode): number {
  return LEAST[mode](distance);
}

/** Whether a level has authority at a distance (D12). Guests (-1) have none, not even at distance 0. */
export function hasAuthority(level: number, distance: Distance, mode: Mode): boolean {
  return level >= leastLevel(distance, mode);
}
