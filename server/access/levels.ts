/** Levels that come with an office (D19): CEOs may manage their corporation, executors' CEOs the alliance. */
export const CEO_LEVEL = 2;
export const EXECUTOR_CEO_LEVEL = 4;
/** From here on a level reaches beyond the corporation, so it goes with the alliance (D19). */
export const ALLIANCE_LEVEL = 3;
/** Administrators' levels are given by hand and outlive any change of membership (D19). */
export const LASTING_LEVEL = 9;
/** Corporations below belong to the game itself; nobody counts as their member (D11). */
export const FIRST_PLAYER_CORPORATION = 2_000_000;
