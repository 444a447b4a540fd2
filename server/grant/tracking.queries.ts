import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Tracking } from '../../contract/user.ts';
import { isMember } from '../access/clearance-levels.queries.ts';
import { coverage, scopesOfCorporation } from '../access/required-scopes.queries.ts';
import type { JsonText } from '../database/json-text.ts';
import type { Database } from '../database/tables.ts';

/** The organization whose members are tracked. */
export type TrackedOrganization =
  | { readonly corporation_id: number }
  | { readonly alliance_id: number }
  | { readonly coalition_id: string };

/** SQL condition: the corporation `c` belongs to the organization. */
export function belonging(of: TrackedOrganization): RawBuilder<unknown> {
  if ('corporation_id' in of) return sql`c.corporation_id = ${of.corporation_id}`;
  if ('alliance_id' in of) return sql`c.alliance_id = ${of.alliance_id}`;
  return sql`c.corporation_id in
    (select r.corporation_id from coalition_reach r where r.coalition_id = ${of.coalition_id})`;
}

/** The members whose refresh tokens meet a condition. */
const those = (covered: string) =>
  sql`coalesce(json_agg(json_build_object('character_id', m.character_id, 'character_name', m.character_name)
    order by m.name_key, m.character_id) filter (where m.covered is ${sql.raw(covered)}), '[]')`;

/**
 * An organization's members by the state of their refresh tokens, each list in the order of D9. `valid` needs one valid
 * token whose scopes cover all that are required of the user; guests are not members (D35). One statement, in which
 * required scopes are computed once per corporation, not per user. An unknown organization has no members.
 */
export async function findTracking(
  db: Kysely<Database>,
  of: TrackedOrganization,
): Promise<JsonText<Tracking>> {
  const { rows } = await sql<{ tracking: JsonText<Tracking> }>`
    with organizations as materialized (
      select c.corporation_id, ${scopesOfCorporation} as required
      from corporations c left join alliances a on a.alliance_id = c.alliance_id
      where ${belonging(of)}
    ), members as (
      select u.character_id, u.character_name, u.name_key, ${coverage(sql`o.required`)} as covered
      from organizations o
        join users u on u.corporation_id = o.corporation_id and ${isMember}
        left join standing_grants g on g.character_id = u.character_id
      group by u.character_id
    )
    select json_build_object('valid_refresh_token', ${those('true')},
      'invalid_refresh_token', ${those('false')}, 'no_refresh_token', ${those('null')})::text as tracking
    from members m`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error('an aggregate of everything has one row');
  return row.tracking;
}
