import { type Kysely, sql } from 'kysely';
import { isBuiltIn } from '../access/clearance-levels.queries.ts';
import type { Database } from '../database/tables.ts';
import type { Backlog } from '../observability/gauges.ts';
import { runsOfJobs } from '../queue/pgboss.queries.ts';

export interface AgedBacklog extends Backlog {
  /** Seconds since the registry was made, and its built-in user with it. */
  readonly age: number;
}

/** Reads the backlog in one cheap statement, whatever the size of the registry. */
export async function readBacklog(db: Kysely<Database>, now: Date): Promise<AgedBacklog> {
  const { rows } = await sql<AgedBacklog>`
    select
      (select extract(epoch from ${now}::timestamptz - created_on)::float from users u where ${isBuiltIn}) as age,
      (select extract(epoch from ${now}::timestamptz - complete_on)::float from schedules where job_id = 'sync-users')
        as sync_age,
      (select remaining from provider_error_budget where ends_on > ${now}) as provider_errors_left,
      (select coalesce(json_agg(json_build_object('job', name, 'waiting', waiting, 'failed', failed) order by name), '[]')
        from (${runsOfJobs}) jobs) as jobs,
      (select count(*)::int from crash_reports where timestamp > ${now}::timestamptz - interval '24 hours') as crashes`.execute(
    db,
  );
  const [backlog] = rows;
  if (backlog === undefined) throw new Error('the database says nothing of the backlog');
  return backlog;
}

/** The changes that the mass-change guard holds back (D63). */
export async function listHeld(db: Kysely<Database>) {
  return db.selectFrom('held_changes').select(['job_id', 'runs', 'counted_on']).orderBy('job_id').execute();
}
