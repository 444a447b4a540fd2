import { sql } from 'kysely';

/**
 * Which of its organizations has the corporation in the coalition of the row `r` of `coalition_reach`: where both have,
 * the corporation, which is nearer to its members.
 */
export const broughtBy = sql`case when exists (select from coalition_corporations cc
  where cc.coalition_id = r.coalition_id and cc.corporation_id = r.corporation_id)
  then 'corporation' else 'alliance' end`;
