import { type RawBuilder, sql } from 'kysely';
import { isMember } from '../access/clearance-levels.queries.ts';
import { scopesOfCorporation } from '../access/required-scopes.queries.ts';

/** Milliseconds for which a member may lack required scopes before it counts as failing. */
export const GRACE = 3 * 24 * 3_600_000;

/**
 * CTEs of the compliance of members (D102): `organizations` are the corporations `c` that match the condition, with
 * their required scopes, and `states` their members. Answers and daily counts share this definition, so that they
 * agree.
 */
export function statesOf(chosen: RawBuilder<unknown>, now: Date): RawBuilder<unknown> {
  return sql`
    organizations as materialized (
      select c.corporation_id, c.alliance_id, ${scopesOfCorporation} as required
      from corporations c left join alliances a on a.alliance_id = c.alliance_id
      where ${chosen}
    ), members as materialized (
      select u.character_id, o.corporation_id,
        count(s.grant_id) as grants,
        coalesce(bool_or(s.valid and s.scopes @> o.required), false) as covered,
        bool_or(s.valid) as alive,
        bool_or(s.usable and not s.valid) as cut_off,
        bool_or(g.valid and not s.usable) as of_another,
        max(g.updated_on) as died_on
      from organizations o
        join users u on u.corporation_id = o.corporation_id and ${isMember} and u.graveyard_on is null
        left join standing_grants s on s.character_id = u.character_id
        left join grants g on g.grant_id = s.grant_id
      group by u.character_id, o.corporation_id
    ), judged as (
      select m.*, u.character_name, u.name_key, pc.person_id,
        u.signed_in_on is null and pc.person_id is null as stranger,
        coalesce(u.signed_in_on, u.created_on) as known_on,
        f.since as noted,
        case when covered then null when grants = 0 then 'no_grant' when alive then 'scopes_missing'
          when cut_off then 'refresh_cut_off' else 'grant_invalid' end as reason
      from members m join users u using (character_id)
        left join person_characters pc using (character_id)
        left join compliance_failures f using (character_id)
    ), dated as (
      select j.*, case
          when reason is null or reason = 'refresh_cut_off' then null
          when noted is not null then noted
          when reason = 'grant_invalid' and not of_another then died_on
          when reason = 'no_grant' then known_on
          else ${now}::timestamptz end as since
      from judged j
    ), states as materialized (
      select d.*, case
          when reason is null then 'ok'
          when reason = 'refresh_cut_off' then 'unknown'
          when since > ${new Date(now.getTime() - GRACE)}::timestamptz then 'grace'
          else 'failing' end as status
      from dated d
    )`;
}
