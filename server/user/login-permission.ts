import { type RawBuilder, sql } from 'kysely';

/** Setting `authorized_to_login` of a group or coalition is an administrative right (D15). */
export const LOGIN_SWITCH_LEVEL = 9;

/**
 * May the user of the row `u` log in? (D27) The built-in user; otherwise at least one voice says yes and none
 * says no, and a no never binds levels 9 and 10. The voices are those of groups it was put into, of coalitions
 * reached by its corporation, and of the autogroups of all these bodies; for a guest they are those of its host,
 * and a group it was put into can only shut it out. An expression, so that it is judged in the statement that
 * asks and follows the registry at once (D27b). Aggregates skip the null of those that have no say.
 */
export const mayLogIn: RawBuilder<boolean> = sql`(u.character_id = 0 or coalesce((
  select bool_or(voice) and (u.clearance_level >= 9 or bool_and(voice)) from (
    select g.authorized_to_login as voice from group_members m join groups g using (group_id)
      where m.character_id = u.character_id and (u.clearance_level >= 0 or not g.authorized_to_login)
    union all
    select co.authorized_to_login from coalition_reach r join coalitions co using (coalition_id)
      where r.corporation_id = u.corporation_id
    union all
    select g.authorized_to_login from coalition_reach r join groups g using (coalition_id)
      where r.corporation_id = u.corporation_id
    union all
    select g.authorized_to_login from groups g where g.corporation_id = u.corporation_id
    union all
    select g.authorized_to_login from corporations c join groups g using (alliance_id)
      where c.corporation_id = u.corporation_id
  ) voices), false))`;
