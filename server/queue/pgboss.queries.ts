import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { CompiledQuery, type Kysely, sql } from 'kysely';
import pg from 'pg';
import type PgBoss from 'pg-boss';
import { RoutedClient } from '../database/client.ts';
import type { Database } from '../database/tables.ts';
import { catalogue, type JobDefinition, type JobName, type RunOptions } from './job-catalogue.ts';

/** Notification channel for waiting jobs; the payload is the name of the queue. */
export const JOBS_CHANNEL = 'castellan_jobs';
/** Queue of the jobs whose last retry failed. */
const DEAD_LETTERS = 'dead-letters';
/** Milliseconds between two attempts to get the lock for the setup. */
const AGAIN_AFTER = 100;
/** Timeout for connecting, in milliseconds. */
const CONNECT_WITHIN = 10_000;
/** How many runs of each job one worker has at work at once, by name. */
const AT_ONCE = JSON.stringify(
  Object.fromEntries(Object.entries(catalogue).map(([name, { concurrency }]) => [name, concurrency])),
);

/**
 * Starts pg-boss and creates its tables, one queue for each job of the catalogue, and the trigger for notifications.
 * Queues that are there as they should be, which is so at most starts, are not written again. Concurrent processes do so
 * one after the other, because creating queues concurrently deadlocks.
 */
export async function setUp(boss: PgBoss, databaseUrl: string, worker: boolean): Promise<void> {
  await alone(databaseUrl, async (client) => {
    await boss.start();
    // Of workers of the release before, which left the schedules to pg-boss.
    if (worker) await client.query('delete from pgboss.schedule');
    const present = new Map((await boss.getQueues()).map((queue) => [queue.name, queue]));
    if (!present.has(DEAD_LETTERS)) {
      await boss.createQueue(DEAD_LETTERS, { name: DEAD_LETTERS, policy: 'standard' });
    }
    for (const [name, { retries, timeLimit, schedule }] of Object.entries<JobDefinition>(catalogue)) {
      const options: PgBoss.Queue = {
        name,
        retryLimit: retries,
        retryDelay: 5,
        retryBackoff: true,
        expireInSeconds: timeLimit,
        policy: schedule === undefined ? 'standard' : 'stately',
        deadLetter: DEAD_LETTERS,
      };
      const queue = present.get(name);
      if (queue === undefined) await boss.createQueue(name, options);
      else if (!isDeepStrictEqual({ ...queue, ...options }, queue)) await boss.updateQueue(name, options);
    }
    await createTriggers(client);
  });
}

/** Runs `work` under an advisory lock of a transaction, as poolers do not support locks of a session. */
async function alone(databaseUrl: string, work: (client: RoutedClient) => Promise<void>): Promise<void> {
  const client = new RoutedClient({
    connectionString: databaseUrl,
    application_name: 'castellan jobs',
    connectionTimeoutMillis: CONNECT_WITHIN,
  });
  await client.connect();
  try {
    while (!(await isFirst(client))) await sleep(AGAIN_AFTER);
    await work(client);
    await client.query('commit');
  } finally {
    await client.end();
  }
}

/** Tries the lock without blocking: many blocked processes would use up a pooler's connections. */
async function isFirst(client: RoutedClient): Promise<boolean> {
  await client.query('begin');
  await client.query('set local idle_in_transaction_session_timeout = 0');
  const { rows } = await client.query<{ first: boolean }>(
    `select pg_try_advisory_xact_lock(hashtext('castellan job queue')) as first`,
  );
  if (rows[0]?.first === true) return true;
  await client.query('rollback');
  return false;
}

/**
 * Creates the trigger that notifies when a job starts to wait, whoever inserted it (a request, pg-boss, an operator in
 * SQL), and when a scheduled run ends, because another may be waiting for that.
 */
async function createTriggers(client: RoutedClient): Promise<void> {
  await client.query(`
    create or replace function pgboss.ring() returns trigger language plpgsql as $$
    begin
      perform pg_notify('${JOBS_CHANNEL}', name) from (
        select distinct name from arrived
        where state < 'active' or state > 'active' and policy = 'stately'
      ) queues;
      return null;
    end $$`);
  const { rows } = await client.query<{ tgname: string }>(
    `select tgname from pg_trigger where tgrelid = 'pgboss.job'::regclass`,
  );
  for (const event of ['insert', 'update']) {
    const name = `ring_on_${event}`;
    // Created only if missing, because creating it waits for all transactions that write jobs.
    if (rows.some(({ tgname }) => tgname === name)) continue;
    await client.query(`
      create trigger ${name} after ${event} on pgboss.job referencing new table as arrived
      for each statement execute function pgboss.ring()`);
  }
}

/** Sends a notification with this payload to all listeners. */
export function notifyWorkers(database: PgBoss.Db, payload: string): Promise<unknown> {
  return database.executeSql('select pg_notify($1, $2)', [JOBS_CHANNEL, payload]);
}

/** A pg-boss database that runs statements in the caller's transaction. */
export function executorOn(db: Kysely<Database>): PgBoss.Db {
  return {
    executeSql: (text: string, values: unknown[]) =>
      db.executeQuery(CompiledQuery.raw(text, values)) as never,
  };
}

/** The waiting run of a job, if there is one; options that are set are added to its payload. */
export async function findWaitingRun(
  db: Kysely<Database>,
  name: JobName,
  options: Partial<RunOptions>,
): Promise<string | undefined> {
  const more = Object.fromEntries(Object.entries(options).filter(([, wanted]) => wanted));
  const waiting = sql`name = ${name} and state = 'created'`;
  const { rows } = await (Object.keys(more).length > 0
    ? sql<{ id: string }>`
        update pgboss.job set data = data || ${JSON.stringify(more)}::jsonb where ${waiting} returning id`
    : sql<{ id: string }>`select id from pgboss.job where ${waiting}`
  ).execute(db);
  return rows[0]?.id;
}

/**
 * Lets a run of a schedule that is about to fail be tried again: of a queue one run alone can wait for that, and pg-boss
 * would give this one up. The run that waits is cancelled, and this one gets its options.
 */
export async function takeOverRetry(database: PgBoss.Db, name: JobName, id: string): Promise<void> {
  await database.executeSql(
    `with waiting as (
       update pgboss.job set state = 'cancelled', completed_on = now()
       where name = $1 and state = 'retry' and exists (
         select from pgboss.job where name = $1 and id = $2 and state = 'active' and retry_count < retry_limit)
       returning data
     )
     update pgboss.job j set data = w.data || (
       select coalesce(jsonb_object_agg(key, value), '{}') from jsonb_each(j.data) where value <> 'false'
     ) from waiting w where j.name = $1 and j.id = $2`,
    [name, id],
  );
}

/** Lets the present try of an active job not count; below 0 where it is the first, as the next one raises it again. */
export async function giveTryBack(database: PgBoss.Db, name: JobName, id: string): Promise<void> {
  await database.executeSql(
    `update pgboss.job set retry_count = retry_count - 1 where name = $1 and id = $2 and state = 'active'`,
    [name, id],
  );
}

/** Completes an active job in the caller's transaction; false when it is not active any more. */
export async function completeRun(db: Kysely<Database>, name: JobName, id: string): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    update pgboss.job set state = 'completed', completed_on = now()
    where name = ${name} and id = ${id} and state = 'active'`.execute(db);
  return numAffectedRows > 0n;
}

/** Whether the database's clock was ahead, as pg-boss notes twice a minute when it looked for lost runs last. */
export async function isAheadOfClock(db: Kysely<Database>): Promise<boolean> {
  const { rows } = await sql`
    select from pgboss.version where maintained_on > now() + interval '1 minute'`.execute(db);
  return rows.length > 0;
}

/**
 * Lets runs continue that were stored while the database's clock was ahead, as lost ones are not looked for and waiting
 * ones not taken until it is that late: they count as stored now.
 *
 * @returns whether it was ahead; of several workers that ask at the same time one is told
 */
export async function restoreRunsOfLater(db: Kysely<Database>): Promise<boolean> {
  const { rows } = await sql<{ ahead: boolean }>`
    with ahead as (
      update pgboss.version set maintained_on = null where maintained_on > now() + interval '1 minute' returning true
    ), restored as (
      update pgboss.job
      set start_after = case when state = 'created' then now() + (start_after - created_on) else now() end,
        created_on = least(created_on, now()),
        started_on = case when started_on is not null then least(started_on, now()) end
      where exists (select from ahead) and state <= 'active'
        and (greatest(created_on, started_on) > now() + interval '1 minute' or state = 'retry')
    )
    select exists (select from ahead) as ahead`.execute(db);
  return rows[0]?.ahead ?? false;
}

/**
 * Milliseconds until the start time of the next delayed job of a queue. Its name is a literal, so that even a generic
 * plan reads the partition of one queue.
 */
export async function nextRunIn(database: PgBoss.Db, name: JobName): Promise<number | undefined> {
  const answer = await database.executeSql(
    `select extract(epoch from min(start_after) - now())::float * 1000 as wait from pgboss.job
     where name = ${pg.escapeLiteral(name)} and state < 'active' and start_after > now()`,
    [],
  );
  // Undefined after {@link QueueDatabase.hurry}, when the process stops.
  const [row] = (answer?.rows ?? []) as { wait: number | null }[];
  return row?.wait ?? undefined;
}

/** A select: the `name` of each job, how many of its runs are `waiting`, and how many `failed` for good within a day. */
export const runsOfJobs = sql`
  select name,
    -- While a worker has as many as it takes at once, the others wait for it; not for one that has died.
    case when count(*) filter (where state = 'active' and started_on + expire_in > now())
        >= (${AT_ONCE}::jsonb -> name)::int then 0
      else count(*) filter (where state < 'active' and start_after <= now())::int end as waiting,
    count(*) filter (where state = 'failed' and completed_on > now() - interval '24 hours')::int as failed
  from pgboss.job where name <> ${DEAD_LETTERS} and name not like '\\_\\_pgboss%'
  group by name`;

/** The number of runs of each job that failed for good within a day. */
export async function failedRuns(db: Kysely<Database>): Promise<{ job: string; failed: number }[]> {
  const { rows } = await sql<{ job: string; failed: number }>`
    select name as job, count(*) as failed from pgboss.job
    where state = 'failed' and completed_on > now() - interval '24 hours'
    group by name order by name`.execute(db);
  return rows;
}
