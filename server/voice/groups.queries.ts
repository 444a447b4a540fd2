import { type Kysely, sql } from 'kysely';
import { isBuiltIn } from '../access/clearance-levels.queries.ts';
import { mayLogIn } from '../access/login-permission.queries.ts';
import type { Database } from '../database/tables.ts';
import { membersOf } from '../group/group.queries.ts';

/** A user who should be in the server group of a group. */
export interface Entitled {
  readonly group_id: string;
  readonly character_id: number;
  readonly client_database_id: number;
}

/** Members of the groups who have a voice identity and may log in (D27), without the built-in user. */
export async function findEntitled(db: Kysely<Database>, groupIds: readonly string[]): Promise<Entitled[]> {
  const { rows } = await sql<Entitled>`
    select distinct g.group_id, u.character_id, i.client_database_id
    from groups g cross join lateral (${membersOf}) u join voice_identities i using (character_id)
    where g.group_id = any(${[...groupIds]}::text[]) and not ${isBuiltIn} and ${mayLogIn}`.execute(db);
  return rows;
}

/** Every identity that was ever bound, with its present user or null. */
export async function findIdentities(db: Kysely<Database>): Promise<Map<number, number | null>> {
  const rows = await db
    .selectFrom('voice_identities')
    .select(['client_database_id', 'character_id'])
    .execute();
  return new Map(rows.map((row) => [row.client_database_id, row.character_id]));
}

/** Names of those of the groups that exist. */
export async function findGroupNames(
  db: Kysely<Database>,
  groupIds: readonly string[],
): Promise<Map<string, string>> {
  if (groupIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('groups')
    .select(['group_id', 'group_name'])
    .where('group_id', 'in', [...groupIds])
    .execute();
  return new Map(rows.map((row) => [row.group_id, row.group_name]));
}

/** The server groups that the service created, by group id. */
export async function findBindings(db: Kysely<Database>): Promise<Map<string, number>> {
  const rows = await db.selectFrom('voice_groups').select(['group_id', 'sgid']).execute();
  return new Map(rows.map((row) => [row.group_id, row.sgid]));
}

/** Stores the server group that was created for a group, in place of one that no longer exists. */
export async function bindGroup(db: Kysely<Database>, groupId: string, sgid: number): Promise<void> {
  // A voice server whose database was recreated reuses ids of server groups.
  await db.deleteFrom('voice_groups').where('sgid', '=', sgid).where('group_id', '!=', groupId).execute();
  const bound = { group_id: groupId, sgid };
  await db
    .insertInto('voice_groups')
    .values(bound)
    .onConflict((conflict) => conflict.column('group_id').doUpdateSet(bound))
    .execute();
}
