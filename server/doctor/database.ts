import type { Kysely } from 'kysely';
import { laterMigrations, pendingMigrations } from '../database/migrate.ts';
import { ENCODING, OLDEST_POSTGRESQL } from '../database/open.ts';
import type { ReplicaState } from '../database/replica.ts';
import type { Database } from '../database/tables.ts';
import type { JobName } from '../queue/job-catalogue.ts';
import { failedRuns } from '../queue/pgboss.queries.ts';
import { nextRuns, type Schedules } from '../queue/schedule.ts';
import {
  countTroubledWebhooks,
  lastRuns,
  ping,
  readServerState,
  type ServerState,
} from './doctor.queries.ts';
import { bad, type Finding, good, mind } from './finding.ts';

/** Milliseconds above which the round trip of a statement slows every answer down noticeably. */
const SLOW = 10;
/** Differences of clocks in milliseconds that affect tokens and schedules. */
export const CLOCK_DIFFERENCE = { mind: 2_000, bad: 30_000 };
const FULL = 0.8;
/** Milliseconds of delay after which a job counts as late. */
const LATE = 10 * 60_000;
/** Milliseconds for which a webhook that was disabled is reported. */
const NEWS = 7 * 86_400_000;
/** Milliseconds of a pause that is left from which on it is reported. */
const LONG_PAUSE = 60_000;
const MIB = 1024 * 1024;

export async function examineDatabase(db: Kysely<Database>): Promise<Finding[]> {
  const state = await readServerState(db);
  const { connections, most_connections: most, now } = state;
  const apart = Math.abs(Date.now() - now.getTime());
  const took: number[] = [];
  for (let n = 0; n < 5; n += 1) {
    const began = performance.now();
    await ping(db);
    took.push(performance.now() - began);
  }
  const latency = took.sort((a, b) => a - b)[2] ?? 0;
  const [pending, later] = [await pendingMigrations(db), await laterMigrations(db)];
  return [
    examineServer(state),
    examineWrites(state),
    latency > SLOW
      ? mind('latency of the database', `${latency.toFixed(1)} ms`, 'bring service and database nearer')
      : good('latency of the database', `${latency.toFixed(1)} ms`),
    connections > most * FULL
      ? mind('connections', `${connections} of ${most}`, 'raise max_connections, or put PgBouncer between')
      : good('connections', `${connections} of ${most}`),
    ...examineMigrations(pending, later),
    apart > CLOCK_DIFFERENCE.mind
      ? (apart > CLOCK_DIFFERENCE.bad ? bad : mind)(
          'clocks',
          `this machine and the database differ by ${(apart / 1000).toFixed(1)} s`,
          'run NTP on both',
        )
      : good('clocks', `this machine and the database differ by ${apart} ms`),
  ];
}

function examineServer({ version, major, encoding, bytes }: ServerState): Finding {
  if (major < OLDEST_POSTGRESQL)
    return bad('PostgreSQL', version, `upgrade to ${OLDEST_POSTGRESQL} or newer`);
  const says = `${version}, ${Math.round(bytes / MIB)} MiB`;
  return encoding === ENCODING
    ? good('PostgreSQL', says)
    : mind(
        'PostgreSQL',
        `${says}, of the encoding ${encoding}`,
        `it cannot store or find every name and mail: restore a dump into a database of the encoding ${ENCODING}`,
      );
}

function examineWrites({ replica, read_only }: ServerState): Finding {
  if (replica) {
    const advice =
      'DATABASE_URL must lead to the primary: name all servers, with target_session_attrs=read-write';
    return bad('writes', 'refused: this is a replica', advice);
  }
  return read_only
    ? bad('writes', 'refused: every transaction is read-only', 'reset default_transaction_read_only')
    : good('writes', 'a primary, and not read-only');
}

function examineMigrations(pending: readonly string[], later: readonly string[]): Finding[] {
  const findings = [
    ...(pending.length > 0
      ? [bad('migrations', `${pending.length} missing (${pending[0]} …)`, 'start the service: it migrates')]
      : []),
    ...(later.length > 0
      ? [
          bad(
            'migrations',
            `${later.length} of a later release (${later[0]} …)`,
            'no process of this release starts any more: upgrade here, too',
          ),
        ]
      : []),
  ];
  return findings.length > 0 ? findings : [good('migrations', 'all there')];
}

/** The finding about the replica. */
export function describeReplica({ behind, fault }: ReplicaState): Finding {
  if (fault === undefined)
    return good('replica', `read from, ${((behind ?? 0) / 1000).toFixed(1)} s behind at the most`);
  return mind('replica', `not read from: ${fault}`, 'look at the replica; the primary answers meanwhile');
}

export async function examineJobs(db: Kysely<Database>, schedules: Schedules, now: Date): Promise<Finding[]> {
  const ran = await lastRuns(db);
  if (ran.size === 0) {
    return [bad('jobs', 'no worker ever ran', 'start one: npm run jobs, or WORKERS=embedded')];
  }
  // The first time that was missed, not the last: one of every five minutes is never ten minutes ago.
  const due = [...(await nextRuns(schedules, [...ran] as [JobName, Date][]))];
  const late = due.filter(([, on]) => on !== undefined && now.getTime() - on.getTime() > LATE);
  const failed = await failedRuns(db);
  return [
    late.length > 0
      ? bad('jobs', `late: ${late.map(([job]) => job).join(', ')}`, 'is a worker running? Look at its log')
      : good('jobs', 'none is late'),
    failed.length > 0
      ? mind(
          'failed jobs',
          failed.map(({ job, failed: times }) => `${job} ${times} times`).join(', '),
          'the log of the workers says why',
        )
      : good('failed jobs', 'none within a day'),
  ];
}

export async function examineWebhooks(db: Kysely<Database>, now: Date): Promise<Finding> {
  const { disabled, failing, paused } = await countTroubledWebhooks(db, {
    disabledAfter: new Date(now.getTime() - NEWS),
    pausedUntil: new Date(now.getTime() + LONG_PAUSE),
  });
  const says = [
    ...(disabled > 0 ? [`${disabled} disabled within a week`] : []),
    ...(failing > 0 ? [`${failing} of which every delivery fails`] : []),
    ...(paused > 0 ? [`${paused} whose receiver asked for a pause`] : []),
  ];
  return says.length > 0
    ? mind(
        'webhooks',
        says.join(', '),
        'GET /webhook names them, GET /webhook/{webhook_id}/delivery says why',
      )
    : good('webhooks', 'none fails');
}
