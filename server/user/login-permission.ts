import { type RawBuilder, sql } from 'kysely';

/** Setting `authorized_to_login` of a group or coalition is an administrative right (D15). */
export const LOGIN_SWITCH_LEVEL = 9;

/**
 * May the user of the row `u` log in? (D27) The built-in user; otherwise at least one voice says yes and none
 * says no, and a no never binds levels 9 and 10. An expression, so that it is judged in the statement that
 * asks and follows the registry at once (D27b).
 */
export const mayLogIn: RawBuilder<boolean> = sql`(u.character_id = 0 or coalesce((
  select bool_or(r.authorized) and (u.clearance_level >= 9 or bool_and(r.authorized))
  from login_rules r where r.character_id = u.character_id), false))`;
