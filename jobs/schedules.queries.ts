import type { Kysely } from 'kysely';
import type { Database } from '../server/database/tables.ts';
import type { JobName } from '../server/queue/catalogue.ts';

/** When each of these jobs ran last; one that never did counts as run now. */
export async function findLastRuns(
  db: Kysely<Database>,
  names: readonly JobName[],
  now: Date,
): Promise<Map<string, Date>> {
  const rows = await db
    .insertInto('schedules')
    .values(names.map((job_id) => ({ job_id, ran_on: now })))
    // Changes nothing, but returns the row.
    .onConflict((conflict) =>
      conflict.column('job_id').doUpdateSet((row) => ({ job_id: row.ref('excluded.job_id') })),
    )
    .returning(['job_id', 'ran_on'])
    .execute();
  return new Map(rows.map((row) => [row.job_id, row.ran_on]));
}

/** A job runs now. */
export async function recordRun(db: Kysely<Database>, name: JobName, now: Date): Promise<void> {
  await db.updateTable('schedules').set({ ran_on: now }).where('job_id', '=', name).execute();
}
