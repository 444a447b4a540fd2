import { type Kysely, sql } from 'kysely';

/** Moments that were written and never read: when an identity or a group was bound, when a challenge began. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table voice_identities drop column bound_on`.execute(db);
  await sql`alter table voice_groups drop column bound_on`.execute(db);
  await sql`alter table voice_challenges drop column created_on`.execute(db);
}
