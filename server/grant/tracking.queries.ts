import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Tracking } from '../../contract/user.ts';
import { isMember } from '../access/levels.queries.ts';
import { coverage, scopesOfCorporation } from '../access/required-scopes.queries.ts';
import type { Database } from '../database/tables.ts';

/** Whose members are tracked. */
export type TrackedOrganization =
  | { readonly corporation_id: number }
  | { readonly alliance_id: number }
  | { readonly coalition_id: string };

interface TrackedUser {
  readonly character_id: number;
  readonly character_name: string;
  /** Null: the user has no refresh token at all. */
  readonly covered: boolean | null;
}

/** Which corporations `c` belong to the body. */
function belonging(of: TrackedOrganization): RawBuilder<unknown> {
  if ('corporation_id' in of) return sql`c.corporation_id = ${of.corporation_id}`;
  if ('alliance_id' in of) return sql`c.alliance_id = ${of.alliance_id}`;
  return sql`c.corporation_id in
    (select r.corporation_id from coalition_reach r where r.coalition_id = ${of.coalition_id})`;
}

/**
 * A body's members by the state of their refresh tokens, each list in the order of D9: valid needs one valid
 * token whose scopes cover all that is required of the user; guests are not members (D35). One statement; what
 * is required is put together once for each corporation, not for each user. An unknown body has no members.
 */
export async function findTracking(db: Kysely<Database>, of: TrackedOrganization): Promise<Tracking> {
  const { rows } = await sql<TrackedUser>`
    with organizations as materialized (
      select c.corporation_id, ${scopesOfCorporation} as required
      from corporations c left join alliances a on a.alliance_id = c.alliance_id
      where ${belonging(of)}
    )
    select u.character_id, u.character_name, ${coverage(sql`b.required`)} as covered
    from organizations b
      join users u on u.corporation_id = b.corporation_id and ${isMember}
      left join standing_grants g on g.character_id = u.character_id
    group by u.character_id
    order by u.name_key, u.character_id`.execute(db);
  const tracking: Tracking = { valid_refresh_token: [], invalid_refresh_token: [], no_refresh_token: [] };
  for (const { character_id, character_name, covered } of rows) {
    tracking[listOf(covered)].push({ character_id, character_name });
  }
  return tracking;
}

function listOf(covered: boolean | null): keyof Tracking {
  if (covered === null) return 'no_refresh_token';
  return covered ? 'valid_refresh_token' : 'invalid_refresh_token';
}
