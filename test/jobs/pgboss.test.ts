import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readBacklog } from '../../server/doctor/backlog.queries.ts';
import type { JobName } from '../../server/queue/job-catalogue.ts';
import { completeRun, failedRuns, findWaitingRun, nextRunIn } from '../../server/queue/pgboss.queries.ts';
import { openQueue } from '../../server/queue/queue.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { empty } from '../harness/database.ts';

const JOB: JobName = 'sync-users';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
beforeEach(() => empty(app.db, 'pgboss.job', 'pgboss.archive'));
afterAll(() => app.stop());

const boss = () => app.app.services.queue.boss;

/** The state of a job, and which of its columns hold something. */
function whatIsSet(job: object | null): unknown {
  const set = Object.entries(job ?? {}).filter(([, value]) => value != null);
  return [job && 'state' in job && job.state, set.map(([column]) => column)];
}

describe('another start', () => {
  /** All queues, with the time at which each was written last. */
  const queues = async () => (await boss().getQueues()).sort((a, b) => a.name.localeCompare(b.name));
  const start = async (worker = false) => {
    const { log } = app.app.services;
    await (await openQueue({ databaseUrl: app.databaseUrl, log, worker })).stop();
  };

  it('writes no queue that is as it should be, and puts right what is missing or different', async () => {
    const before = await queues();
    expect(before.map(({ name }) => name)).toContain(JOB);
    await start();
    expect(await queues()).toEqual(before);
    await boss().updateQueue(JOB, { name: JOB, policy: 'standard', retryLimit: 99 });
    await boss().deleteQueue('revoke-grant');
    await start();
    const undated = (all: Awaited<ReturnType<typeof queues>>) =>
      all.map(({ createdOn: _, updatedOn: __, ...queue }) => queue);
    expect(undated(await queues())).toEqual(undated(before));
  });

  it('of a worker takes the schedules from pg-boss, which kept them in the release before', async () => {
    await boss().schedule(JOB, '0 5 * * *');
    await start();
    expect(await boss().getSchedules()).toMatchObject([{ name: JOB }]);
    await start(true);
    expect(await boss().getSchedules()).toEqual([]);
  });
});

describe('a job that failed for good', () => {
  const fail = async () => {
    const id = (await boss().send(JOB, {}, { retryLimit: 0 })) ?? '';
    await boss().fetch(JOB);
    await boss().fail(JOB, id);
  };

  it('is among the failed ones of a day for the doctor and the metric all that day, and goes after the next', async () => {
    await fail();
    const seenAfter = async (hours: number) => {
      await sql`update pgboss.job set completed_on = now() - make_interval(hours => ${hours})
        where name = ${JOB}`.execute(app.db);
      await boss().archive();
      const { jobs } = await readBacklog(app.db, new Date());
      return {
        doctor: await failedRuns(app.db),
        metric: jobs.filter(({ job }) => job === JOB).map(({ failed }) => failed),
      };
    };
    for (const hours of [0, 13, 23]) {
      expect(await seenAfter(hours)).toEqual({ doctor: [{ job: JOB, failed: 1 }], metric: [1] });
    }
    const stored = async () =>
      (await sql`select from pgboss.job where name = ${JOB}`.execute(app.db)).rows.length;
    expect((await seenAfter(47)).doctor).toEqual([]);
    expect(await stored()).toBe(1);
    await seenAfter(49);
    expect(await stored()).toBe(0);
  });

  it('stays among the dead letters for four weeks', async () => {
    await fail();
    const { rows } = await sql`
      select name, round(extract(epoch from keep_until - now()) / 86400)::int as days, state::text
      from pgboss.job where name = 'dead-letters'`.execute(app.db);
    expect(rows).toEqual([{ name: 'dead-letters', days: 28, state: 'created' }]);
  });
});

describe("our statements on pg-boss's tables", () => {
  it('use columns that exist, with these types', async () => {
    const { rows } = await sql<{ column_name: string; type: string }>`
      select column_name, coalesce(nullif(data_type, 'USER-DEFINED'), udt_name) as type
      from information_schema.columns where table_schema = 'pgboss' and table_name = 'job'`.execute(app.db);
    expect(Object.fromEntries(rows.map((row) => [row.column_name, row.type]))).toMatchObject({
      id: 'uuid',
      name: 'text',
      state: 'job_state',
      policy: 'text',
      retry_count: 'integer',
      data: 'jsonb',
      start_after: 'timestamp with time zone',
      completed_on: 'timestamp with time zone',
    });
  });

  it('compare states in the order that they have', async () => {
    const { rows } = await sql`
      select unnest(enum_range(null::pgboss.job_state))::text as state`.execute(app.db);
    expect(rows.map((row) => (row as { state: string }).state)).toEqual([
      ...['created', 'retry', 'active'],
      ...['completed', 'cancelled', 'failed'],
    ]);
  });

  it('notify workers by triggers that pg-boss leaves alone', async () => {
    await boss().createQueue('other-queue');
    const { rows } = await sql`
      select tgname from pg_trigger where tgrelid = 'pgboss.job'::regclass and not tgisinternal and tgenabled = 'O'
      order by 1`.execute(app.db);
    expect(rows).toEqual([{ tgname: 'ring_on_insert' }, { tgname: 'ring_on_update' }]);
    await boss().deleteQueue('other-queue');
  });

  it('find a waiting run of pg-boss, and change the options with which pg-boss hands it out', async () => {
    const asked = { force: false, asked: true, approved: 'x' };
    expect(await findWaitingRun(app.db, JOB, { force: true })).toBeUndefined();
    const id = await boss().send(JOB, {});
    expect(await findWaitingRun(app.db, JOB, { force: false })).toBe(id);
    expect(await boss().getJobById(JOB, id ?? '')).toMatchObject({ data: {} });
    expect(await findWaitingRun(app.db, JOB, { force: true, asked: false })).toBe(id);
    expect(await findWaitingRun(app.db, JOB, asked)).toBe(id);
    expect(await boss().fetch(JOB)).toMatchObject([{ id, data: { ...asked, force: true } }]);
    expect(await findWaitingRun(app.db, JOB, asked)).toBeUndefined();
  });

  it('end an active run once, as pg-boss itself would', async () => {
    const ours = (await boss().send(JOB, {})) ?? '';
    expect(await completeRun(app.db, JOB, ours)).toBe(false);
    await boss().fetch(JOB);
    expect(await completeRun(app.db, JOB, ours)).toBe(true);
    expect(await completeRun(app.db, JOB, ours)).toBe(false);
    const theirs = (await boss().send(JOB, {})) ?? '';
    await boss().fetch(JOB);
    await boss().complete(JOB, theirs);
    const [one, other] = [await boss().getJobById(JOB, ours), await boss().getJobById(JOB, theirs)];
    expect(one).toMatchObject({ state: 'completed', completedOn: expect.any(Date) });
    expect(whatIsSet(one)).toEqual(whatIsSet(other));
  });

  it('say when the next delayed run of pg-boss starts', async () => {
    const database = boss().getDb();
    expect(await nextRunIn(database, JOB)).toBeUndefined();
    await boss().send(JOB, {}, { startAfter: 300 });
    const wait = (await nextRunIn(database, JOB)) ?? 0;
    expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThanOrEqual(300_000);
  });
});
