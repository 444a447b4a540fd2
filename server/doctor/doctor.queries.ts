import { type Kysely, sql } from 'kysely';
import type { Database } from '../database/tables.ts';
import { FAILING } from '../webhook/delivery.queries.ts';

export interface ServerState {
  readonly version: string;
  readonly major: number;
  readonly encoding: string;
  /** Whether it is a replica, and whether it refuses writes, which a role or a database can be set to as well. */
  readonly replica: boolean;
  readonly read_only: boolean;
  readonly now: Date;
  /** Present number of connections to the server, and the maximum. */
  readonly connections: number;
  readonly most_connections: number;
  /** Size of the database on disk. */
  readonly bytes: number;
}

export async function readServerState(db: Kysely<Database>): Promise<ServerState> {
  // `backend_type` of other roles' connections is null for a role that is no superuser; background processes, which must
  // not be counted, are told from them by having no user or database.
  const { rows } = await sql<ServerState>`
    select current_setting('server_version') as version,
      current_setting('server_version_num')::int / 10000 as major,
      current_setting('server_encoding') as encoding, pg_is_in_recovery() as replica,
      current_setting('transaction_read_only')::bool as read_only, clock_timestamp() as now,
      (select count(*) from pg_stat_activity where datid is not null and usesysid is not null
        and coalesce(backend_type, 'client backend') = 'client backend') as connections,
      current_setting('max_connections')::int as most_connections,
      pg_database_size(current_database()) as bytes`.execute(db);
  const [state] = rows;
  if (state === undefined) throw new Error('the database says nothing of itself');
  return state;
}

interface TroubledWebhooks {
  /** Disabled by the service itself. */
  readonly disabled: number;
  /** Enabled, but their receivers keep failing. */
  readonly failing: number;
  /** Enabled, but their receivers asked for a pause that lasts. */
  readonly paused: number;
}

/** Counts webhooks that were disabled after a time, that fail, and that are paused until after another time. */
export async function countTroubledWebhooks(
  db: Kysely<Database>,
  { disabledAfter, pausedUntil }: { readonly disabledAfter: Date; readonly pausedUntil: Date },
): Promise<TroubledWebhooks> {
  const { rows } = await sql<TroubledWebhooks>`
    select count(*) filter (where disabled_on > ${disabledAfter} and disabled_because <> 'asked')::int as disabled,
      count(*) filter (where disabled_on is null and failures >= ${FAILING})::int as failing,
      count(*) filter (where disabled_on is null and paused_until > ${pausedUntil})::int as paused
    from webhooks`.execute(db);
  return rows[0] ?? { disabled: 0, failing: 0, paused: 0 };
}

/** The simplest statement, to measure the round trip. */
export async function ping(db: Kysely<Database>): Promise<void> {
  await sql`select 1`.execute(db);
}

/** The last start of each scheduled job by name; empty when no worker has ever run. */
export async function lastRuns(db: Kysely<Database>): Promise<ReadonlyMap<string, Date>> {
  const rows = await db.selectFrom('schedules').select(['job_id', 'ran_on']).execute();
  return new Map(rows.map(({ job_id, ran_on }) => [job_id, ran_on]));
}
