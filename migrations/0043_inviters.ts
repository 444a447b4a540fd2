import { type Kysely, sql } from 'kysely';

const statements = [
  `alter table state_codes add column invited_by game_id`,
  `comment on column state_codes.invited_by is
     'Who answers for a guest code, which works while that user may invite (D28). No reference: with the user ends the right.
Null: a process of the release before made it.'`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
