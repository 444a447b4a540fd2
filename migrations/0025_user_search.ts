import { type Kysely, sql } from 'kysely';

/**
 * What pages of users are read from (D71): people of a corporation and of a level in the order of names, and names by
 * their parts.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function name_parts(whole text) returns text[]
    language sql immutable strict parallel safe cost 1000
    return array(
      select distinct substr(whole, first, size)
      from generate_series(1, length(whole)) first, generate_series(1, 3) size
      where first + size <= length(whole) + 1
    )`.execute(db);
  await sql`create index users_name_parts on users using gin (name_parts(name_key))`.execute(db);
  await sql`create index users_of_level on users (clearance_level, name_key, character_id)`.execute(db);
  await sql`create index users_of_corporation on users (corporation_id, name_key, character_id)
    where corporation_id is not null`.execute(db);
  // The one above answers whatever it did.
  await sql`drop index users_corporation_id_idx`.execute(db);
}
