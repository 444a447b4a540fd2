import { type Kysely, sql } from 'kysely';

/** Names of the game's ids, shared by all processes; null where the provider has none (D32). */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table names (
      id game_id primary key,
      name text,
      category text,
      known_on timestamptz(3) not null
    )`.execute(db);
  await sql`create index on names (known_on)`.execute(db);
}
