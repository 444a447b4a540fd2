import { BUILT_IN_USER, GUEST_LEVEL } from '../../contract/access.ts';
import type { Lack } from '../shared/lack.ts';
import { hasAuthority } from './authority.ts';
import { distanceToUser, type Position } from './distance.ts';

export interface RankedPosition extends Position {
  readonly level: number;
}

/** Lowering somebody is an administrative right (D16). */
const LOWERING = 9;

/**
 * What `caller` lacks to give `target` the level `next`, which is one of 0 to 10; undefined lets it (D16).
 */
export function lackToSetLevel(
  caller: RankedPosition,
  target: RankedPosition,
  next: number,
): Lack | undefined {
  if (target.characterId === BUILT_IN_USER) return { never: 'nobody changes the built-in user' };
  const distance = distanceToUser(caller, target);
  if (distance === 0) return { never: 'nobody sets their own level' };
  if (target.level <= GUEST_LEVEL) return { never: "nobody sets a guest's level" };
  const level = Math.max(next, target.level, next < target.level ? LOWERING : 0);
  if (caller.level < level) {
    return { level, has: caller.level, to: `setting level ${target.level} to ${next}` };
  }
  if (hasAuthority(caller.level, distance, 'write')) return undefined;
  return { authority: 'write', over: `user ${target.characterId}` };
}
