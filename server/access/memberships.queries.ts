import { sql } from 'kysely';
import { isMember } from './levels.queries.ts';

/** The groups of the user `u`: those it was put into, and the autogroups of what it belongs to; a guest follows none. */
export const groupsOf = sql`
  select g.* from group_members m join groups g using (group_id)
    where m.character_id = u.character_id and (${isMember} or not g.is_voice)
  union all
  select g.* from groups g where g.corporation_id = u.corporation_id and ${isMember}
  union all
  select g.* from corporations c join groups g using (alliance_id)
    where c.corporation_id = u.corporation_id and ${isMember}
  union all
  select g.* from coalition_reach r join groups g using (coalition_id)
    where r.corporation_id = u.corporation_id and ${isMember}`;
