import { type Kysely, sql } from 'kysely';

const statements = [
  'alter table webhook_deliveries add column claimed_until timestamptz(3)',
  `comment on column webhook_deliveries.claimed_until is
     'A process has it in hand while this is next_try_on, and to come. Processes of the release before do not write it.'`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
