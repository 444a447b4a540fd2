import { type RawBuilder, sql } from 'kysely';
import { isMember } from './levels.queries.ts';

/** The groups of the user of the row `u`: those that it was put into, and as a member the autogroups of its bodies. */
export const groupsOf: RawBuilder<unknown> = sql`
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

/** Whether the user of the row `u` is in a group that the application of the row `cl` lets in (D84). */
export const inAllowedGroup: RawBuilder<boolean> = sql`(not cl.restricted or exists (
  select from (${groupsOf}) g join oidc_client_groups allowed using (group_id)
  where allowed.client_id = cl.client_id))`;
