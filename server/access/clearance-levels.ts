import { ADMINISTRATOR_LEVEL, BUILT_IN_USER, GUEST_LEVEL, MAX_LEVEL } from '../../contract/access.ts';
import type { Distance } from './distance.ts';

export { ADMINISTRATOR_LEVEL, BUILT_IN_USER, GUEST_LEVEL };
/** The lowest level of a member, which a new member gets (D19); lower levels are guests (D28). */
export const MEMBER_LEVEL = 0;
/** Levels that come with an office (D19): CEOs may manage their corporation, executors' CEOs the alliance. */
export const CEO_LEVEL = 2;
export const EXECUTOR_CEO_LEVEL = 4;
/** Levels from here on give authority beyond the corporation, so they are lost with the alliance (D19). */
export const ALLIANCE_LEVEL = 3;
/** The lowest level with read authority over anybody but oneself (D12). */
export const READS_OTHERS_LEVEL = 1;
export const READS_ALL_LEVEL = 7;
/** Corporations with a lower id belong to the game itself and are not treated as a membership (D11). */
export const FIRST_PLAYER_CORPORATION = 2_000_000;

/** Guests are guests of a corporation but members of nothing; their level grants nothing (D28). */
export function isGuest(level: number): boolean {
  return level < MEMBER_LEVEL;
}

/** Levels 9 and 10 are set by hand and not lowered by changes of membership (D19). */
export function isAdministrator(level: number): boolean {
  return level >= ADMINISTRATOR_LEVEL;
}

/** Whether this is the built-in user, which stands for the service itself and is no character of the game. */
export function isBuiltIn(characterId: number): boolean {
  return characterId === BUILT_IN_USER;
}

/** Whether this is level 10, which may call every operation. */
export function isSuperuser(level: number): boolean {
  return level >= MAX_LEVEL;
}

/** How far above a distance the lowest level with authority at it is (D12). */
const ABOVE = { read: 0, write: 1 } as const;
export type Mode = keyof typeof ABOVE;

/** The lowest level with authority at a distance: the distance itself to read, one more to write (D12). */
export function leastLevel(distance: Distance, mode: Mode): number {
  return distance + ABOVE[mode];
}

/** Whether a level has authority at a distance (D12). Guests (-1) have none, not even at distance 0. */
export function hasAuthority(level: number, distance: Distance, mode: Mode): boolean {
  return level >= leastLevel(distance, mode);
}
