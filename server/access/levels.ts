import { ADMINISTRATOR_LEVEL, BUILT_IN_USER, GUEST_LEVEL, MAX_LEVEL } from '../../contract/access.ts';

export { ADMINISTRATOR_LEVEL, BUILT_IN_USER, GUEST_LEVEL };
/** The lowest level of a member, and where one begins (D19); whoever is below is a guest (D28). */
export const MEMBER_LEVEL = 0;
/** Levels that come with an office (D19): CEOs may manage their corporation, executors' CEOs the alliance. */
export const CEO_LEVEL = 2;
export const EXECUTOR_CEO_LEVEL = 4;
/** From here on a level reaches beyond the corporation, so it goes with the alliance (D19). */
export const ALLIANCE_LEVEL = 3;
/** From here on one reads others than oneself, and everybody (D12). */
export const READS_OTHERS_LEVEL = 1;
export const READS_ALL_LEVEL = 7;
/** Corporations below belong to the game itself; nobody counts as their member (D11). */
export const FIRST_PLAYER_CORPORATION = 2_000_000;

/** Guests have a host, but belong to nobody, and their level grants nothing (D28). */
export function isGuest(level: number): boolean {
  return level < MEMBER_LEVEL;
}

/** Administrators' levels are given by hand and outlive any change of membership (D19). */
export function isAdministrator(level: number): boolean {
  return level >= ADMINISTRATOR_LEVEL;
}

/** The user that stands for the service itself, and is no character of the game. */
export function isBuiltIn(characterId: number): boolean {
  return characterId === BUILT_IN_USER;
}

/** Superusers may do everything that anybody may. */
export function isSuperuser(level: number): boolean {
  return level >= MAX_LEVEL;
}
