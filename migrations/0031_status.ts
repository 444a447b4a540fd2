import { type Kysely, sql } from 'kysely';

const statements = [
  'alter table schedules add column complete_on timestamptz(3)',
  `comment on column schedules.complete_on is
     'When the last run began that looked at everybody: whoever was there then was seen since.'`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
