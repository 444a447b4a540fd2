import { type Kysely, sql } from 'kysely';
import type { Database } from '../server/database/tables.ts';
import type { JobName } from '../server/queue/job-catalogue.ts';

/** Adds the jobs that have no schedule yet: they are due from now on. */
export async function addSchedules(
  db: Kysely<Database>,
  names: readonly JobName[],
  now: Date,
): Promise<void> {
  await db
    .insertInto('schedules')
    .values(names.map((job_id) => ({ job_id, ran_on: now, has_run: false })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export interface StoredSchedule {
  readonly job_id: string;
  /** When a run was enqueued last. */
  readonly enqueued_on: Date;
  /** The present time. Both by the database's clock, as those of the workers may differ. */
  readonly now: Date;
}

export function findSchedules(db: Kysely<Database>): Promise<StoredSchedule[]> {
  return db
    .selectFrom('schedules')
    .select(['job_id', 'enqueued_on', sql<Date>`now()`.as('now')])
    .orderBy('job_id')
    .execute();
}

/** Whether the run that is due is the caller's to enqueue: of several workers it is one's. */
export async function claimRun(
  db: Kysely<Database>,
  { job_id, enqueued_on }: StoredSchedule,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('schedules')
    .set({ enqueued_on: sql`now()` })
    .where('job_id', '=', job_id)
    .where('enqueued_on', '=', enqueued_on)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Records that a job runs now. */
export async function recordRun(db: Kysely<Database>, name: JobName, now: Date): Promise<void> {
  await db.updateTable('schedules').set({ ran_on: now, has_run: true }).where('job_id', '=', name).execute();
}
