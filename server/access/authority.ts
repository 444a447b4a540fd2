import { GUEST_LEVEL } from '../../contract/access.ts';
import type { Distance } from './distance.ts';

/** May somebody of this level read or change what is so far away? (D12) */
export function hasAuthority(level: number, distance: Distance, mode: 'read' | 'write'): boolean {
  if (level <= GUEST_LEVEL) return false;
  return mode === 'read' ? level >= Math.min(distance, 7) : level >= Math.min(distance + 1, 8);
}
