import { type Kysely, sql } from 'kysely';

/** Pages of users are found in indexes alone, which therefore hold what people are chosen by (D71). */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`drop index users_of_level`.execute(db);
  await sql`create index users_of_level on users (clearance_level, name_key, character_id)
    include (corporation_id)`.execute(db);
  await sql`drop index users_of_corporation`.execute(db);
  await sql`create index users_of_corporation on users (corporation_id, name_key, character_id)
    include (clearance_level) where corporation_id is not null`.execute(db);
  await sql`drop index users_name_key_character_id_idx`.execute(db);
  await sql`create index users_by_name on users (name_key, character_id)
    include (corporation_id, clearance_level)`.execute(db);
}
