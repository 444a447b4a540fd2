import { type Kysely, sql } from 'kysely';
import type { Database } from '../database/tables.ts';

/** A character's name as stored. */
export interface StoredName {
  readonly id: number;
  readonly name: string;
  /** What the corporations that it leads call it, which of a user may be former names. */
  readonly ceo_names: readonly string[];
}

export interface NewName extends StoredName {
  readonly name_key: string;
  /** The name when the run read it. */
  readonly former: string;
}

/**
 * Users, and CEOs that are not users, by id; without ids that the provider could not name since `unnamedSince`.
 */
export async function readNames(
  db: Kysely<Database>,
  after: number,
  unnamedSince: Date,
  most: number,
): Promise<StoredName[]> {
  // Within both limits only ids that are asked for: else the page ends behind users who are not on it.
  const { rows } = await sql<StoredName>`
    with unnamed as not materialized (select id from names where name is null and known_on > ${unnamedSince})
    select id, name, array(select ceo_name from corporations c where c.ceo_id = known.id) as ceo_names from (
      (select character_id as id, character_name as name from users u where character_id > ${after}
        and not exists (select from unnamed n where n.id = u.character_id)
        order by character_id limit ${most})
      union all
      (select distinct on (ceo_id) ceo_id, ceo_name from corporations c where ceo_id > ${after}
        and not exists (select from users u where u.character_id = c.ceo_id)
        and not exists (select from unnamed n where n.id = c.ceo_id)
        order by ceo_id limit ${most})
    ) known
    order by id limit ${most}`.execute(db);
  return rows;
}

/** A user with its new name. */
type Renamed = Pick<NewName, 'id' | 'name' | 'former'>;

/** A corporation whose CEO has a new name. */
export interface NewCeoName {
  readonly corporation_id: number;
  readonly corporation_name: string;
  readonly name: string;
  readonly former: string;
}

/**
 * Writes new names where the stored one is unchanged since it was read, as a sign-in or a registration may have stored a
 * newer one. Returns the renamed users, and the corporations whose CEOs have a new name.
 */
export async function saveNewNames(
  db: Kysely<Database>,
  names: readonly NewName[],
  now: Date,
): Promise<{ readonly corporations: readonly NewCeoName[]; readonly users: readonly Renamed[] }> {
  if (names.length === 0) return { corporations: [], users: [] };
  const { rows } = await sql<{ corporations: NewCeoName[]; users: Renamed[] }>`
    with found as (
      select * from jsonb_to_recordset(${JSON.stringify(names)}::jsonb)
        as f(id bigint, name text, name_key text, former text, ceo_names text[])
    ), led as (
      update corporations c set ceo_name = found.name, updated_on = ${now}
      from found, corporations before
      where c.ceo_id = found.id and c.ceo_name <> found.name and c.ceo_name = any(found.ceo_names)
        and before.corporation_id = c.corporation_id
      returning c.corporation_id, c.corporation_name, c.ceo_name as name, before.ceo_name as former
    ), renamed as (
      update users u set character_name = found.name, name_key = found.name_key, seen_on = ${now}, updated_on = ${now}
      from found where u.character_id = found.id and u.character_name = found.former
      returning u.character_id as id, u.character_name as name, found.former
    )
    select (select coalesce(json_agg(led order by corporation_id), '[]') from led) as corporations,
      (select coalesce(json_agg(renamed order by id), '[]') from renamed) as users`.execute(db);
  return rows[0] ?? { corporations: [], users: [] };
}
