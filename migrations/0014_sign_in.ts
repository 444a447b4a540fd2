import { type Kysely, sql } from 'kysely';

/** A state code lives until a sign-in succeeds with it, or until too many authorization codes were refused (D26). */
export async function up(db: Kysely<unknown>): Promise<void> {
  // Nothing ever read the scopes of a state code.
  await sql`alter table state_codes drop column scopes, add column tries smallint not null default 0`.execute(
    db,
  );
  await sql`comment on column state_codes.tries is
    'Authorization codes that the provider refused, and those that it is being asked about.'`.execute(db);
}
