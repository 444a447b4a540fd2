import type { Finding, SystemStatus } from '../../contract/system.ts';
import { API_VERSION } from '../../contract/version.ts';
import { describeReplica, examineDatabase, examineJobs, examineWebhooks } from '../doctor/database.ts';
import * as doctor from '../doctor/finding.ts';
import type { Backlog } from '../observability/gauges.ts';
import { KEPT_FOR_SERVICE } from '../provider/wait-for-budget.ts';
import { scheduledJobs } from '../queue/job-catalogue.ts';
import { nextRun } from '../queue/schedule.ts';
import type { Services } from '../services/services.ts';
import { readBacklog } from './backlog.queries.ts';
import { countPopulation, listHeld, listRuns } from './status.queries.ts';

/** Seconds after which the last comparison of a user with the provider is too old; as in the alert CastellanSyncLate. */
const SYNC_LATE = 2 * 3600;

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
    ...examineBacklog(backlog),
    ...held.map(examineHeld),
  ].map(toFinding);
  const runsOf = new Map(runs.map((run) => [run.job_id, run]));
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
      ran_on: runsOf.get(job_id)?.ran_on.toISOString() ?? null,
      next_run_time: nextRun(settings.schedules, job_id, now)?.toISOString() ?? null,
      waiting: queued.get(job_id)?.waiting ?? 0,
      failed: queued.get(job_id)?.failed ?? 0,
    })),
  };
}

function examineBacklog({ sync_age, provider_errors_left, crashes }: Backlog): doctor.Finding[] {
  return [
    sync_age === null || sync_age > SYNC_LATE
      ? doctor.bad(
          'sync',
          sync_age === null
            ? 'no run has looked at everybody yet'
            : `the last whole run is ${Math.round(sync_age / 60)} minutes ago`,
          "is a worker running, and the game's API there?",
        )
      : doctor.good(
          'sync',
          `everybody was compared with the game within ${Math.ceil(sync_age / 60)} minutes`,
        ),
    provider_errors_left !== null && provider_errors_left < KEPT_FOR_SERVICE
      ? doctor.mind(
          "the game's error limit",
          `${provider_errors_left} left in this minute`,
          'wait; the log says who causes them',
        )
      : doctor.good("the game's error limit", 'there is room'),
    crashes > 0
      ? doctor.mind('crash reports', `${crashes} within a day`, 'GET /crash, and tell the makers')
      : doctor.good('crash reports', 'none within a day'),
  ];
}

function examineHeld({ job_id, runs }: { readonly job_id: string; readonly runs: number }): doctor.Finding {
  return doctor.mind(
    'held changes',
    `${job_id} would take something from too many users (found ${runs} times)`,
    'GET /system/held shows what: it goes through when it is found three times, or is approved',
  );
}

function toFinding({ about, state, says, advice }: doctor.Finding): Finding {
  return { about, state, says, advice: advice ?? null };
}
