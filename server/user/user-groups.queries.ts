import { type Kysely, sql } from 'kysely';
import type { UserGroup } from '../../contract/user.ts';
import { groupsOf } from '../access/groups-of.queries.ts';
import { idNamed } from '../access/named-user.queries.ts';
import type { Database } from '../database/tables.ts';
import { ownerOf } from '../group/group.queries.ts';

/** The groups of a user, given by name or id, in the order of D9 (D70); undefined when there is no such user. */
export async function findGroupsOf(db: Kysely<Database>, nameOrId: string): Promise<UserGroup[] | undefined> {
  const { rows } = await sql<{ groups: UserGroup[] }>`
    select (select coalesce(json_agg(json_build_object('group_id', g.group_id, 'group_name', g.group_name,
        'is_autogroup', g.is_autogroup,
        'is_owner', exists (select from (${ownerOf}) o where o.character_id = u.character_id)
      ) order by g.name_key, g.group_id), '[]') from (${groupsOf}) g) as groups
    from users u where u.character_id = ${idNamed(nameOrId)}`.execute(db);
  return rows[0]?.groups;
}
