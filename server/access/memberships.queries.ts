import { type RawBuilder, sql } from 'kysely';
import { isMember } from './levels.queries.ts';

/**
 * Ids of the groups of the user of the row `u`, whose corporation is of the alliance `allianceId`: those that it was put
 * into, and the autogroups of its corporation, alliance and coalitions, in which guests are not (D18b).
 */
export function groupsOf(allianceId: RawBuilder<number | null>): RawBuilder<string[]> {
  return sql`array(
    select g.group_id::text from group_members m join groups g using (group_id)
      where m.character_id = u.character_id and (${isMember} or not g.is_voice)
    union all
    select g.group_id from groups g where g.corporation_id = u.corporation_id and ${isMember}
    union all
    select g.group_id from groups g where g.alliance_id = ${allianceId} and ${isMember}
    union all
    select g.group_id from coalition_reach r join groups g using (coalition_id)
      where r.corporation_id = u.corporation_id and ${isMember})`;
}
