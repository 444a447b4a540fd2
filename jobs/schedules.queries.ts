import type { Kysely } from 'kysely';
import type { Database } from '../server/database/tables.ts';
import type { JobName } from '../server/queue/job-catalogue.ts';

/** The last run of each of these jobs; a job that never ran gets the present time. */
export async function findLastRuns(
  db: Kysely<Database>,
  names: readonly JobName[],
  now: Date,
): Promise<Map<string, Date>> {
  const rows = await db
    .insertInto('schedules')
    .values(names.map((job_id) => ({ job_id, ran_on: now })))
    // A no-op update, so that `returning` also returns existing rows.
    .onConflict((conflict) =>
      conflict.column('job_id').doUpdateSet((row) => ({ job_id: row.ref('excluded.job_id') })),
    )
    .returning(['job_id', 'ran_on'])
    .execute();
  return new Map(rows.map((row) => [row.job_id, row.ran_on]));
}

/** Records that a job runs now. */
export async function recordRun(db: Kysely<Database>, name: JobName, now: Date): Promise<void> {
  await db.updateTable('schedules').set({ ran_on: now }).where('job_id', '=', name).execute();
}
