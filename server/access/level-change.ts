import type { Lack } from '../shared/lack.ts';
import { ADMINISTRATOR_LEVEL, hasAuthority, isBuiltIn, isGuest } from './clearance-levels.ts';
import { distanceTo, type Position } from './distance.ts';

export interface RankedPosition extends Position {
  readonly level: number;
}

/** What `caller` lacks to set the level of `target` to `next` (0 to 10); undefined means allowed (D16). */
export function lackToSetLevel(
  caller: RankedPosition,
  target: RankedPosition,
  next: number,
): Lack | undefined {
  if (isBuiltIn(target.characterId)) return { never: 'nobody changes the built-in user' };
  const distance = distanceTo(caller, target);
  if (distance === 0) return { never: 'nobody sets their own level' };
  if (isGuest(target.level)) return { never: "nobody sets a guest's level" };
  // Lowering a level needs level 9.
  const level = Math.max(next, target.level, next < target.level ? ADMINISTRATOR_LEVEL : next);
  if (caller.level < level) {
    return { level, has: caller.level, to: `setting level ${target.level} to ${next}` };
  }
  if (hasAuthority(caller.level, distance, 'write')) return undefined;
  return { authority: 'write', over: `user ${target.characterId}` };
}
