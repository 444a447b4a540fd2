import { type Kysely, sql } from 'kysely';
import type { UserShort } from '../../contract/user.ts';
import { groupsOf, inAllowedGroup } from '../access/groups-of.queries.ts';
import { mayUseTokens } from '../access/login-permission.queries.ts';
import type { Database } from '../database/tables.ts';
import { mainOf } from '../person/person.queries.ts';

interface Organization {
  readonly id: number;
  readonly name: string;
  readonly ticker: string;
}

/** What applications may learn about a user (D83). */
export interface AccountRow {
  readonly character_id: number;
  readonly character_name: string;
  readonly clearance_level: number;
  /** The main character of the user's person (D100). */
  readonly main: UserShort;
  readonly corporation: Organization | null;
  readonly alliance: Organization | null;
  /** In the order of D9. */
  readonly groups: readonly { readonly id: string; readonly name: string }[];
}

/** The account of a user who may log in and is admitted by the application; undefined otherwise (D84). */
export async function findAccount(
  db: Kysely<Database>,
  characterId: number,
  clientId: string,
): Promise<AccountRow | undefined> {
  const { rows } = await sql<AccountRow>`
    select u.character_id, u.character_name, u.clearance_level, ${mainOf} as main,
      case when c.corporation_id is not null then json_build_object(
        'id', c.corporation_id, 'name', c.corporation_name, 'ticker', c.ticker) end as corporation,
      case when a.alliance_id is not null then json_build_object(
        'id', a.alliance_id, 'name', a.alliance_name, 'ticker', a.ticker) end as alliance,
      (select coalesce(json_agg(json_build_object('id', g.group_id, 'name', g.group_name)
        order by g.name_key, g.group_id), '[]') from (${groupsOf}) g) as groups
    from users u
      join oidc_clients cl on cl.client_id = ${clientId}
      left join corporations c on c.corporation_id = u.corporation_id
      left join alliances a on a.alliance_id = c.alliance_id
    where u.character_id = ${characterId} and ${mayUseTokens} and ${inAllowedGroup}`.execute(db);
  return rows[0];
}

/** Whether {@link findAccount} would find the user; a cheaper query, as it runs often. */
export async function isLetIn(db: Kysely<Database>, characterId: number, clientId: string): Promise<boolean> {
  const { rows } = await sql`
    select from users u join oidc_clients cl on cl.client_id = ${clientId}
    where u.character_id = ${characterId} and ${mayUseTokens} and ${inAllowedGroup}`.execute(db);
  return rows.length > 0;
}

/** The names of the groups that an application admits, in the order of D9. */
export async function findAllowedGroups(db: Kysely<Database>, clientId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('oidc_client_groups')
    .innerJoin('groups', 'groups.group_id', 'oidc_client_groups.group_id')
    .select('group_name')
    .where('client_id', '=', clientId)
    .orderBy('name_key')
    .orderBy('groups.group_id')
    .execute();
  return rows.map(({ group_name }) => group_name);
}

export async function findName(db: Kysely<Database>, characterId: number): Promise<string | undefined> {
  const row = await db
    .selectFrom('users')
    .select('character_name')
    .where('character_id', '=', characterId)
    .executeTakeFirst();
  return row?.character_name;
}
