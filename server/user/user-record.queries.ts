import { sql } from 'kysely';
import type { User } from '../../contract/user.ts';
import { isMember } from '../access/clearance-levels.queries.ts';
import { idIn, idOf } from '../access/named-user.queries.ts';
import { scopesOfCorporation } from '../access/required-scopes.queries.ts';
import { byKey } from '../database/by-key.ts';

/** The row of a User record, read by one query whatever the size of the registry (D38). */
export type UserRow = Omit<User, 'created_on' | 'updated_on'> & { created_on: Date; updated_on: Date };

/** The name of the user `u`, prefixed with the ticker of its alliance `a`, else of its corporation `c`. */
export const tickeredName = sql<string>`coalesce('[' || coalesce(a.ticker, c.ticker) || '] ', '') || u.character_name`;

const userRecord = sql<UserRow>`
  select u.character_id, u.character_name, u.clearance_level, u.created_on, u.updated_on,
    c.alliance_id as alliance,
    u.corporation_id::text as corporation,
    ${tickeredName} as tickered_name,
    c.ceo_id is not distinct from u.character_id and ${isMember} as is_ceo_of_corporation,
    c.ceo_id is not distinct from u.character_id and ${isMember}
      and a.executor_corporation_id is not distinct from u.corporation_id as is_ceo_of_alliance,
    array(select r.coalition_id::text from coalition_reach r
      where r.corporation_id = u.corporation_id order by 1) as coalitions,
    array(select distinct s collate "C" from standing_grants g, unnest(g.scopes) s
      where g.character_id = u.character_id and g.valid order by 1) as available_ext_scopes,
    ${scopesOfCorporation} as cumulated_mandatory_ext_scopes
  from users u
    left join corporations c on c.corporation_id = u.corporation_id
    left join alliances a on a.alliance_id = c.alliance_id`;

export const findUser = byKey<number, UserRow>(async (db, ids) => {
  const { rows } = await sql<UserRow>`${userRecord} where u.character_id = any(${ids}::bigint[])`.execute(db);
  return new Map(rows.map((row) => [row.character_id, row]));
});

/** Finds a user by exact name (D38); a number that is nobody's name is taken as an id (D70). */
export const findUserNamed = byKey<string, UserRow>(async (db, asked) => {
  const { rows } = await sql<UserRow & { asked: string }>`
    select wanted.name as asked, found.*
    from unnest(${asked}::text[], ${asked.map(idIn)}::bigint[]) wanted (name, id)
      cross join lateral (${userRecord} where u.character_id = ${idOf(sql.ref('wanted.name'), sql.ref('wanted.id'))}) found`.execute(
    db,
  );
  return new Map(rows.map(({ asked: name, ...row }) => [name, row]));
});
