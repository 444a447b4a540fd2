import { type Kysely, sql } from 'kysely';
import type { ExtScope } from '../../contract/scopes.ts';
import { isMember } from '../access/clearance-levels.queries.ts';
import type { Database } from '../database/tables.ts';

/** A user whose grant may allow listing the corporation's members. */
export interface Lister {
  readonly corporation_id: number;
  readonly character_id: number;
}

/** For each corporation a few members with a valid grant of the scope, latest sign-in first. */
export async function readListers(
  db: Kysely<Database>,
  corporationIds: readonly number[],
  scope: ExtScope,
  most: number,
): Promise<Lister[]> {
  const { rows } = await sql<Lister>`
    select l.corporation_id, l.character_id
    from unnest(${[...corporationIds]}::bigint[]) as given(id) cross join lateral (
      select u.corporation_id, u.character_id from users u
      where u.corporation_id = given.id and ${isMember} and exists (
        select from standing_grants g
        where g.character_id = u.character_id and g.valid and g.scopes @> array[${scope}::text])
      order by u.signed_in_on desc nulls last, u.character_id
      limit ${most}) l`.execute(db);
  return rows;
}

/** Those of the characters that are not users. */
export async function withoutUsers(
  db: Kysely<Database>,
  characterIds: readonly number[],
): Promise<Set<number>> {
  const { rows } = await sql<{ id: number }>`
    select id from unnest(${[...characterIds]}::bigint[]) as given(id)
    where not exists (select from users u where u.character_id = given.id)`.execute(db);
  return new Set(rows.map(({ id }) => id));
}

/** Users of the corporations, guests included. */
export async function countPeople(db: Kysely<Database>, corporationIds: readonly number[]): Promise<number> {
  const { people } = await db
    .selectFrom('users')
    .select(({ fn }) => fn.countAll<number>().as('people'))
    .where('corporation_id', '=', sql<number>`any(${[...corporationIds]}::bigint[])`)
    .executeTakeFirstOrThrow();
  return people;
}

/** A corporation in an alliance's list of members. */
export interface Listed {
  readonly alliance_id: number;
  readonly corporation_id: number;
}

/** Those that are not stored as members of that alliance. */
export async function withoutMembership(db: Kysely<Database>, listed: readonly Listed[]): Promise<Listed[]> {
  const { rows } = await sql<Listed>`
    select alliance_id, corporation_id
    from jsonb_to_recordset(${JSON.stringify(listed)}::jsonb) as l(alliance_id bigint, corporation_id bigint)
    where not exists (
      select from corporations c where c.corporation_id = l.corporation_id and c.alliance_id = l.alliance_id)`.execute(
    db,
  );
  return rows;
}
