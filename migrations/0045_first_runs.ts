import { type Kysely, sql } from 'kysely';

const statements = [
  // Processes of the release before know only jobs that ran: of those that they add they tell the time of that.
  'alter table schedules add column has_run boolean not null default true',
  `comment on column schedules.ran_on is
     'When the last run began; where none did yet (has_run), when the job was added: it is late from then on.'`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
