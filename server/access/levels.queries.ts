import { type RawBuilder, sql } from 'kysely';
import { ADMINISTRATOR_LEVEL, BUILT_IN_USER, MEMBER_LEVEL } from './levels.ts';

/** What {@link MEMBER_LEVEL} is called in a statement. */
export const memberLevel: RawBuilder<number> = sql.lit(MEMBER_LEVEL);
const administratorLevel = sql.lit(ADMINISTRATOR_LEVEL);

/** Whether the row `u` is a member's or the built-in user's, not a guest's. */
export const isMember: RawBuilder<boolean> = sql`u.clearance_level >= ${memberLevel}`;

/** Whether the user of the row `u` is somebody's guest (D28). */
export const isGuest: RawBuilder<boolean> = sql`u.clearance_level < ${memberLevel}`;

/** Whether the level of the row `u` outlives any change of membership, and no voice shuts it out (D19, D27). */
export const isAdministrator: RawBuilder<boolean> = sql`u.clearance_level >= ${administratorLevel}`;

/** Whether the row `u` is the built-in user's. */
export const isBuiltIn: RawBuilder<boolean> = sql`u.character_id = ${sql.lit(BUILT_IN_USER)}`;
