import { type Kysely, sql, type Transaction } from 'kysely';
import type { User, UserShort } from '../../contract/user.ts';
import { isMember } from '../access/clearance-levels.queries.ts';
import { MEMBER_LEVEL } from '../access/clearance-levels.ts';
import { idIn, idOf } from '../access/named-user.queries.ts';
import { scopesOfCorporation } from '../access/required-scopes.queries.ts';
import { byKey } from '../database/by-key.ts';
import type { JsonBytes } from '../database/json-text.ts';
import type { Database } from '../database/tables.ts';
import { deleteHistories } from '../history/history.queries.ts';
import { type Parting, partCharacters } from '../person/membership.ts';

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

/** Members and the built-in user, without guests, in the order of D9; concurrent callers share one statement and its bytes. */
export async function listUsers(db: Kysely<Database>): Promise<JsonBytes<UserShort[]>> {
  return (await everybody(db, 'everybody')) ?? Buffer.from('[]');
}

const everybody = byKey<'everybody', JsonBytes<UserShort[]>>(async (db) => {
  const { rows } = await sql<{ users: string }>`
    select coalesce(json_agg(u), '[]')::text as users from (
      select character_id, character_name from users where clearance_level >= ${MEMBER_LEVEL}
      order by name_key, character_id
    ) u`.execute(db);
  return new Map(rows.map(({ users }) => ['everybody', Buffer.from(users)]));
});

/** Locks a user before its deletion and returns its level. */
export async function lockDoomed(
  db: Transaction<Database>,
  characterId: number,
): Promise<number | undefined> {
  const row = await db
    .selectFrom('users')
    .select('clearance_level')
    .where('character_id', '=', characterId)
    .forUpdate()
    .executeTakeFirst();
  return row?.clearance_level;
}

export async function setLevel(
  db: Kysely<Database>,
  characterId: number,
  level: number,
  now: Date,
): Promise<void> {
  await db
    .updateTable('users')
    .set({ clearance_level: level, updated_on: now })
    .where('character_id', '=', characterId)
    .execute();
}

/** A voice identity, by its id on the voice server, and whose it is. */
export type VoiceIdentity = Awaited<ReturnType<typeof findVoiceIdentities>>[number];

/** The voice identities of these users. */
export async function findVoiceIdentities(db: Kysely<Database>, characterIds: readonly number[]) {
  return db
    .selectFrom('voice_identities')
    .select(({ ref }) => ['client_database_id', ref('character_id').$notNull().as('character_id')])
    .where('character_id', 'in', characterIds)
    .orderBy('client_database_id')
    .execute();
}

/**
 * Deletes users. By foreign keys their tokens, grants and memberships go too, their groups lose the owner and persons
 * lose the characters (D19b, D101).
 *
 * @param by the user who deletes them; null for the service itself
 * @returns what is to be told of the persons
 */
export async function deleteUsers(
  db: Kysely<Database>,
  characterIds: readonly number[],
  { by, now }: { readonly by: number | null; readonly now: Date },
): Promise<readonly Parting[]> {
  await deleteHistories(db, characterIds);
  const partings = await partCharacters(db, characterIds, { happened: 'deleted', by, now });
  await db.deleteFrom('users').where('character_id', 'in', characterIds).execute();
  return partings;
}
