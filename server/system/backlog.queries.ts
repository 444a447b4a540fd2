import { type Kysely, sql } from 'kysely';
import type { Database } from '../database/tables.ts';
import type { Backlog } from '../observability/gauges.ts';

/** Reads the backlog in one cheap statement, whatever the size of the registry. */
export async function readBacklog(db: Kysely<Database>, now: Date): Promise<Backlog> {
  const { rows } = await sql<Backlog>`
    select
      (select extract(epoch from ${now}::timestamptz - complete_on)::float from schedules where job_id = 'sync-users')
        as sync_age,
      (select remaining from provider_error_budget where ends_on > ${now}) as provider_errors_left,
      (select coalesce(json_agg(json_build_object('job', name, 'waiting', waiting, 'failed', failed) order by name), '[]')
        from (
          select name,
            -- A scheduled run that waits for the one before it needs no worker.
            case when bool_or(policy = 'stately' and state = 'active') then 0
              else count(*) filter (where state < 'active' and start_after <= now())::int end as waiting,
            count(*) filter (where state = 'failed' and completed_on > now() - interval '24 hours')::int as failed
          from pgboss.job where name <> 'dead-letters' and name not like '\\_\\_pgboss%'
          group by name
        ) jobs) as jobs,
      (select count(*)::int from crash_reports where timestamp > ${now}::timestamptz - interval '24 hours') as crashes`.execute(
    db,
  );
  const [backlog] = rows;
  if (backlog === undefined) throw new Error('the database says nothing of the backlog');
  return backlog;
}
