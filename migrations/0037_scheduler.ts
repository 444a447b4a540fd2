import { type Kysely, sql } from 'kysely';

const statements = [
  // Processes of the release before add jobs without it, and leave their schedules to the queue.
  'alter table schedules add column enqueued_on timestamptz(3) not null default now()',
  // Runs missed since a job's last one are made up for (D52); its time is by the clock of a worker, which may be ahead.
  'update schedules set enqueued_on = least(ran_on, now())',
  `comment on column schedules.enqueued_on is
     'When a run was last enqueued by the schedule, by the clock of the database: the next is due at the first time after.'`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
