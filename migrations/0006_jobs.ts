import { type Kysely, sql } from 'kysely';

/** When each schedule last ran, and the changes that the brake held back (D63). */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table schedules (
      job_id text primary key,
      ran_on timestamptz(3) not null
    )`.execute(db);
  await sql`
    create table held_changes (
      job_id text primary key,
      -- Hash of the set of changes.
      fingerprint text not null,
      runs integer not null,
      counted_on timestamptz(3) not null
    )`.execute(db);
}
