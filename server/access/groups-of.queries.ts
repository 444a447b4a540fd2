import { type RawBuilder, sql } from 'kysely';
import { isMember } from './clearance-levels.queries.ts';

/**
 * The groups of the user in row `u`: the hand-made groups that it is a member of and, unless it is a guest, the voice
 * autogroup and the autogroups of its corporation, alliance and coalitions.
 */
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

/**
 * Whether the user in row `u` may use the OpenID Connect client in row `cl`, which can be restricted to groups (D84).
 */
export const inAllowedGroup: RawBuilder<boolean> = sql`(not cl.restricted or exists (
  select from (${groupsOf}) g join oidc_client_groups allowed using (group_id)
  where allowed.client_id = cl.client_id))`;
