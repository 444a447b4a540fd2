import { type RawBuilder, sql } from 'kysely';
import { ADMINISTRATOR_LEVEL, BUILT_IN_USER, MEMBER_LEVEL } from './clearance-levels.ts';

/** {@link MEMBER_LEVEL} as an SQL literal. */
export const memberLevel: RawBuilder<number> = sql.lit(MEMBER_LEVEL);
const administratorLevel = sql.lit(ADMINISTRATOR_LEVEL);

/** Whether the user in row `u` is a member or the built-in user, not a guest. */
export const isMember: RawBuilder<boolean> = isMemberIn('u');

/** Like {@link isMember}, for a table alias other than `u`. */
export function isMemberIn(row: string): RawBuilder<boolean> {
  return sql`${sql.raw(row)}.clearance_level >= ${memberLevel}`;
}

/** Whether the user in row `u` is a guest (D28). */
export const isGuest: RawBuilder<boolean> = sql`u.clearance_level < ${memberLevel}`;

/**
 * Whether the user in row `u` has level 9 or 10, which changes of membership do not lower and no group's "no" locks out
 * (D19, D27).
 */
export const isAdministrator: RawBuilder<boolean> = sql`u.clearance_level >= ${administratorLevel}`;

/** Whether the user in row `u` is the built-in user. */
export const isBuiltIn: RawBuilder<boolean> = sql`u.character_id = ${sql.lit(BUILT_IN_USER)}`;
