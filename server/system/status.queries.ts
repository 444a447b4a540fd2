import { type Kysely, sql } from 'kysely';
import { isBuiltIn, isGuest, isMember } from '../access/clearance-levels.queries.ts';
import type { Database } from '../database/tables.ts';

export interface Population {
  readonly members: number;
  readonly guests: number;
  readonly valid_refresh_tokens: number;
  readonly invalid_refresh_tokens: number;
}

/** Counts all users; takes half a second for a million. */
export async function countPopulation(db: Kysely<Database>): Promise<Population> {
  const { rows } = await sql<Population>`
    select members, guests, valid_refresh_tokens, invalid_refresh_tokens
    from (
      select count(*) filter (where ${isMember} and not ${isBuiltIn})::int as members,
        count(*) filter (where ${isGuest})::int as guests
      from users u) people,
    (
      select count(*) filter (where valid)::int as valid_refresh_tokens,
        count(*) filter (where not valid)::int as invalid_refresh_tokens
      from grants) refresh_tokens`.execute(db);
  const [population] = rows;
  if (population === undefined) throw new Error('the database counts nobody');
  return population;
}

/** The last start of each scheduled job, where it has run, and of its last whole run. */
export async function listRuns(db: Kysely<Database>) {
  return db.selectFrom('schedules').select(['job_id', 'ran_on', 'has_run', 'complete_on']).execute();
}
