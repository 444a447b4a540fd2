import { type Kysely, sql } from 'kysely';

const statements = [
  // Empty for what is held already: that is counted anew.
  `alter table held_changes add column found jsonb not null default '{}'`,
  `comment on column held_changes.found is
     'In how many runs each loss was found (D63), by its hash; all of them, but a few new ones, in as many as runs says.'`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
