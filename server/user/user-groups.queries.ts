import { type Kysely, sql } from 'kysely';
import type { UserGroup } from '../../contract/user.ts';
import { isMember } from '../access/levels.queries.ts';
import { idNamed } from '../access/named-user.queries.ts';
import type { Database } from '../database/tables.ts';
import { ownerOf } from '../group/group.queries.ts';

/** The groups of the user `u`: those it was put into, and the autogroups of what it belongs to; a guest follows none. */
const groupsOf = sql`
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

/** The groups of a user, named or by id, in the order of D9 (D70); undefined: nobody has that name or id. */
export async function findGroupsOf(db: Kysely<Database>, nameOrId: string): Promise<UserGroup[] | undefined> {
  const { rows } = await sql<{ groups: UserGroup[] }>`
    select (select coalesce(json_agg(json_build_object('group_id', g.group_id, 'group_name', g.group_name,
        'is_autogroup', g.is_autogroup,
        'is_owner', exists (select from (${ownerOf}) o where o.character_id = u.character_id)
      ) order by g.name_key, g.group_id), '[]') from (${groupsOf}) g) as groups
    from users u where u.character_id = ${idNamed(nameOrId)}`.execute(db);
  return rows[0]?.groups;
}
