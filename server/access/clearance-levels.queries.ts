import { type RawBuilder, sql } from 'kysely';
import { ADMINISTRATOR_LEVEL, BUILT_IN_USER, leastLevel, MEMBER_LEVEL } from './clearance-levels.ts';

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

/** The lowest level that reads at each distance (D12). */
const least = {
  1: sql.lit(leastLevel(1, 'read')),
  3: sql.lit(leastLevel(3, 'read')),
  5: sql.lit(leastLevel(5, 'read')),
  7: sql.lit(leastLevel(7, 'read')),
} as const;

/**
 * Whether the caller in row `me` (see `callerPosition`) has read authority over the user `u` in the corporation `c`:
 * D11 and D12 as one SQL expression, for statements over many users. A deleted user can be read from level 7 on.
 */
export const readsUser: RawBuilder<boolean> = sql`(
  me.level >= ${least[7]}
  or me.level >= ${least[1]} and u.corporation_id = me.corporation_id
  or me.level >= ${least[3]} and ${isMember} and c.alliance_id = me.alliance_id
  or me.level >= ${least[5]} and ${isMember} and exists (select from coalition_reach r
    where r.corporation_id = u.corporation_id and r.coalition_id = any(me.coalitions)))`;

/**
 * Whether the caller `me` has read authority over the corporation, alliance or coalition in `key`, a text of the form
 * `type:id` (D13).
 */
export const readsOrganization: RawBuilder<boolean> = sql`(
  me.level >= ${least[7]} and key ~ '^(corporation|alliance|coalition):'
  or me.level >= ${least[1]} and key = 'corporation:' || me.corporation_id
  or me.level >= ${least[3]} and (key = 'alliance:' || me.alliance_id or key in (
    select 'corporation:' || corporation_id from corporations where alliance_id = me.alliance_id))
  or me.level >= ${least[5]} and (
    key in (select 'coalition:' || id from unnest(me.coalitions) id)
    or key in (select 'corporation:' || corporation_id from coalition_reach where coalition_id = any(me.coalitions))
    or key in (select 'alliance:' || alliance_id from coalition_alliances where coalition_id = any(me.coalitions))))`;

/** Whether the caller `me` has read authority over everybody, including deleted users. */
export const readsEverybody: RawBuilder<boolean> = sql`me.level >= ${least[7]}`;
