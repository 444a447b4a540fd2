import { type Kysely, sql } from 'kysely';

/** Functions are no longer defined by migrations: server/database/functions/ holds them from here on. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table repeatable (
    name text primary key,
    hash text not null,
    revision integer not null,
    applied_on timestamptz(3) not null
  )`.execute(db);
  await sql`comment on table repeatable is 'Which definition of each function was applied last: its SHA-256, and the
revision of the release that did so.'`.execute(db);
}
