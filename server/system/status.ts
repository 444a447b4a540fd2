import type { Finding, SystemStatus } from '../../contract/system.ts';
import { API_VERSION } from '../../contract/version.ts';
import { listHeld, readBacklog } from '../doctor/backlog.queries.ts';
import { describeBacklog, describeHeld } from '../doctor/backlog.ts';
import { describeReplica, examineDatabase, examineJobs, examineWebhooks } from '../doctor/database.ts';
import type * as doctor from '../doctor/finding.ts';
import { scheduledJobs } from '../queue/job-catalogue.ts';
import { nextRuns } from '../queue/schedule.ts';
import type { Services } from '../services/services.ts';
import { countPopulation, listRuns } from './status.queries.ts';

const STATES = ['good', 'mind', 'bad'] as const;

/** The service's state for administrators in one answer (D72). */
export async function readStatus({
  db,
  replica,
  settings,
  clock,
}: Pick<Services, 'db' | 'replica' | 'settings' | 'clock'>): Promise<SystemStatus> {
  const now = clock.now();
  const [backlog, population, held, runs, ofDatabase, ofReplica, ofJobs, ofWebhooks] = await Promise.all([
    readBacklog(db, now),
    countPopulation(db),
    listHeld(db),
    listRuns(db),
    examineDatabase(db),
    replica?.examine(),
    examineJobs(db, settings.schedules, now),
    examineWebhooks(db, now),
  ]);
  const findings = [
    ...ofDatabase,
    ...(ofReplica === undefined ? [] : [describeReplica(ofReplica)]),
    ...ofJobs,
    ofWebhooks,
    ...describeBacklog(backlog),
    ...held.map(describeHeld),
  ].map(toFinding);
  const runsOf = new Map(runs.map((run) => [run.job_id, run]));
  const next = await nextRuns(
    settings.schedules,
    scheduledJobs.map((job) => [job, now]),
  );
  const queued = new Map(backlog.jobs.map((job) => [job.job, job]));
  return {
    as_of: now.toISOString(),
    state: STATES.findLast((state) => findings.some((finding) => finding.state === state)) ?? 'good',
    findings,
    version: API_VERSION,
    started_on: new Date(performance.timeOrigin).toISOString(),
    users: { members: population.members, guests: population.guests },
    refresh_tokens: { valid: population.valid_refresh_tokens, invalid: population.invalid_refresh_tokens },
    synced_on: runsOf.get('sync-users')?.complete_on?.toISOString() ?? null,
    provider_errors_left: backlog.provider_errors_left,
    crash_reports: backlog.crashes,
    jobs: scheduledJobs.map((job_id) => ({
      job_id,
      ran_on: lastStart(runsOf.get(job_id)),
      next_run_time: next.get(job_id)?.toISOString() ?? null,
      waiting: queued.get(job_id)?.waiting ?? 0,
      failed: queued.get(job_id)?.failed ?? 0,
    })),
  };
}

function lastStart(run: Awaited<ReturnType<typeof listRuns>>[number] | undefined): string | null {
  return run?.has_run ? run.ran_on.toISOString() : null;
}

function toFinding({ about, state, says, advice }: doctor.Finding): Finding {
  return { about, state, says, advice: advice ?? null };
}
