import { GUEST_LEVEL, MAX_LEVEL } from '../../contract/access.ts';
import { distanceToUser, type Standing } from './distance.ts';

export interface Ranked extends Standing {
  readonly level: number;
}

/** Lowering somebody is an administrative right (D16). */
const LOWERING = 9;

/** May `caller` give `target` the level `next`? (D16; the built-in user, character 0, is nobody's to change) */
export function maySetLevel(caller: Ranked, target: Ranked, next: number): boolean {
  const distance = distanceToUser(caller, target);
  return (
    next >= 0 &&
    next <= MAX_LEVEL &&
    target.characterId !== 0 &&
    distance > 0 &&
    target.level > GUEST_LEVEL &&
    caller.level >= next &&
    caller.level >= target.level &&
    caller.level >= distance + 1 &&
    (next >= target.level || caller.level >= LOWERING)
  );
}
