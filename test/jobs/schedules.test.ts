import cronParser from 'cron-parser';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Fault } from '../../dev/provider/faults.ts';
import { startScheduler } from '../../jobs/scheduler.ts';
import { addSchedules, claimRun, findSchedules, type StoredSchedule } from '../../jobs/schedules.queries.ts';
import { startWorker } from '../../jobs/worker.ts';
import { readSettings, SettingsError } from '../../server/config/settings.ts';
import { scheduledJobs } from '../../server/queue/job-catalogue.ts';
import { nextRun } from '../../server/queue/schedule.ts';
import { letIn } from '../fixtures/registry.ts';
import { type Client, startTestApp, type TestApp } from '../harness/app.ts';
import { empty } from '../harness/database.ts';
import { forgetProvider } from '../harness/provider.ts';
import { send } from '../harness/send.ts';

let app: TestApp;
let root: Client;

beforeAll(async () => {
  app = await startTestApp({ env: { JOB_SCHEDULES: 'sync-users=0 5 * * *; collect-mail = */7 * * * *' } });
  root = app.client(app.root);
});
beforeEach(() => empty(app.db, 'pgboss.job', 'pgboss.archive'));
afterAll(() => app.stop());

/** The waiting runs of a job. */
async function waiting(name: string) {
  const { rows } = await sql<{ id: string; data: unknown }>`
    select id, data from pgboss.job where name = ${name} and state = 'created' order by created_on`.execute(
    app.db,
  );
  return rows;
}

describe('D52: GET /system/job', () => {
  it('shows each schedule by name, with its next run', async () => {
    const asked = app.clock.now();
    const { status, body } = await root.system.jobs();
    expect(status).toBe(200);
    if (status !== 200) return;
    expect(body.map(({ job_id }) => job_id)).toEqual(scheduledJobs);
    expect(body.map(({ job_id }) => job_id)).toEqual([...scheduledJobs].sort());
    const names = body.map(({ name }) => name.toLowerCase());
    expect(names).toEqual([...names].sort());
    expect(body.length).toBeGreaterThan(8);
    const next = new Date(asked);
    next.setUTCHours(next.getUTCHours() >= 5 ? 29 : 5, 0, 0, 0);
    expect(body.find(({ job_id }) => job_id === 'sync-users')).toEqual({
      coalesce: true,
      executor: 'sync-users',
      function: 'syncUsers',
      job_id: 'sync-users',
      max_instances: 1,
      misfire_grace_time: null,
      name: 'Sync users',
      next_run_time: next.toISOString(),
      trigger: '0 5 * * *',
    });
    expect(body.find(({ job_id }) => job_id === 'collect-mail')).toMatchObject({ trigger: '*/7 * * * *' });
    for (const { next_run_time } of body) {
      expect(Date.parse(String(next_run_time))).toBeGreaterThan(asked.getTime());
    }
  });
});

describe('D63: POST /system/job/{job_id}', () => {
  it('enqueues a run, or returns the one that waits already', async () => {
    const first = await root.system.runJob({ params: { job_id: 'sync-users' } });
    expect(first).toMatchObject({ status: 200, body: { job_id: 'sync-users' } });
    expect(await root.system.runJob({ params: { job_id: 'sync-users' } })).toMatchObject({
      body: first.body,
    });
    expect(await waiting('sync-users')).toEqual([
      { id: (first.body as { run_id: string }).run_id, data: { force: false, asked: true } },
    ]);
  });

  it('force applies to the waiting run, whoever requested it, because a job runs once at a time', async () => {
    const plain = await root.system.runJob({ params: { job_id: 'sync-users' } });
    const forced = await root.system.runJob({ params: { job_id: 'sync-users' }, query: { force: true } });
    expect(forced).toMatchObject({ status: 200, body: plain.body });
    expect(await root.system.runJob({ params: { job_id: 'sync-users' } })).toMatchObject({
      body: plain.body,
    });
    expect((await waiting('sync-users')).map(({ data }) => data)).toEqual([{ force: true, asked: true }]);
  });

  it.each(['no-such-job', 'revoke-grant'])('%s: 404, because it is no scheduled job', async (job_id) => {
    expect(await root.system.runJob({ params: { job_id } })).toMatchObject({
      status: 404,
      body: { detail: `Could not find job ${job_id}` },
    });
  });

  it('a dry run says what would change, and changes nothing', async () => {
    await letIn(app, { corporations: [98_000_011] });
    const [, id = 0] = app.provider.world.membersOf(98_000_011);
    await app.signIn(id);
    const [, other = 0] = app.provider.world.corporationsOf(99_000_001);
    app.provider.world.moveCharacter(id, other);
    app.clock.advance(2 * 3_600_000);
    const { status, body } = await root.system.runJob({
      params: { job_id: 'sync-users' },
      query: { dry_run: true },
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      job_id: 'sync-users',
      changes: expect.arrayContaining([{ character_id: id, corporation: [98_000_011, other] }]),
    });
    for (const flag of ['True', 'TRUE', '1']) {
      const path = `/system/job/sync-users?dry_run=${flag}`;
      expect((await send(app, 'POST', path, { token: app.root })).json).toMatchObject({
        changes: expect.anything(),
      });
    }
    expect(
      await app.db
        .selectFrom('users')
        .select('corporation_id')
        .where('character_id', '=', id)
        .executeTakeFirst(),
    ).toEqual({ corporation_id: 98_000_011 });
    expect(await waiting('sync-users')).toEqual([]);
  });

  describe('D52: while the game is away', () => {
    const AWAY: [string, Fault, object][] = [
      ['fails', { kind: 'status', status: 502 }, { status: 502, body: { code: 'provider_unavailable' } }],
      ['does not answer in time', { kind: 'hang' }, { status: 504, body: { code: 'provider_timeout' } }],
    ];
    afterEach(async () => {
      app.provider.reset();
      await forgetProvider(app);
    });

    for (const job_id of ['sync-users', 'refresh-organizations', 'follow-names']) {
      it.each(AWAY)(`a dry run of ${job_id} is an error: it %s`, async (_, fault, answer) => {
        await letIn(app, { corporations: [98_000_011] });
        await app.signIn(app.provider.world.membersOf(98_000_011)[1] ?? 0);
        app.clock.advance(2 * 3_600_000);
        app.provider.faults.add('api', fault);
        expect(await root.system.runJob({ params: { job_id }, query: { dry_run: true } })).toMatchObject(
          answer,
        );
      });
    }
  });

  it('D52: a dry run of a job that takes nothing from anybody has no changes; check-grants cannot have one', async () => {
    const answers = scheduledJobs.map(async (job_id) => {
      const { status, body } = await root.system.runJob({ params: { job_id }, query: { dry_run: true } });
      return { job_id, status, body };
    });
    for (const { job_id, status, body } of await Promise.all(answers)) {
      if (job_id === 'check-grants')
        expect({ status, body }).toMatchObject({
          status: 422,
          body: { detail: [{ loc: ['query', 'dry_run'] }] },
        });
      else
        expect({ job_id, status, body }).toMatchObject({
          status: 200,
          body: { job_id, changes: expect.any(Array) },
        });
      if (/^(collect|maintenance|note|write)/.test(job_id)) expect(body).toEqual({ job_id, changes: [] });
    }
  });
});

it.each(['/system/job', '/system/status'])(
  'D3c: GET %s works out the next run of one job at a time, with the event loop free in between',
  async (path) => {
    await addSchedules(app.db, scheduledJobs, app.clock.now());
    let tick = 0;
    let counting = true;
    const count = () => {
      tick += 1;
      if (counting) setImmediate(count);
    };
    count();
    const parse = cronParser.parseExpression;
    const ticks: number[] = [];
    const parsing = vi.spyOn(cronParser, 'parseExpression').mockImplementation((...expression) => {
      ticks.push(tick);
      return parse(...expression);
    });
    expect((await send(app, 'GET', path, { token: app.root })).status).toBe(200);
    parsing.mockRestore();
    counting = false;
    // Twice for a job that does not run in every hour, and once more for what is due, which is looked for meanwhile.
    const most = Math.max(...ticks.map((one) => ticks.filter((other) => other === one).length));
    expect(most).toBeLessThanOrEqual(4);
    expect(ticks.length).toBeGreaterThanOrEqual(scheduledJobs.length);
  },
);

describe('D52, D61: schedules are checked at the start', () => {
  it('every invalid expression, every unknown job and the time zone are named together', () => {
    const read = () =>
      readSettings({
        JOB_SCHEDULES: 'sync-users=61 * * * *; check-grants=daily; wake-up=* * * * *; maintenance',
        JOB_TIME_ZONE: 'Mars/Olympus',
      });
    expect(read).toThrow(SettingsError);
    expect(read).toThrow(/"61 \* \* \* \*" of sync-users is no cron expression/);
    expect(read).toThrow(/"daily" of check-grants is no cron expression/);
    expect(read).toThrow(/wake-up is no scheduled job: those are check-grants/);
    expect(read).toThrow(/maintenance: wants the form job=cron/);
    expect(read).toThrow(/JOB_TIME_ZONE: must be a time zone/);
  });

  it('runs follow the time zone', () => {
    const berlin = readSettings({ JOB_SCHEDULES: 'follow-names=0 12 * * *', JOB_TIME_ZONE: 'Asia/Tokyo' });
    const next = nextRun(berlin.schedules, 'follow-names', new Date('2026-05-05T00:00:00Z'));
    expect(next?.toISOString()).toBe('2026-05-05T03:00:00.000Z');
  });
});

describe('D52: a time that daylight saving skips', () => {
  /** The runs that follow a moment, each after the one before. */
  function runsAfter(moment: string, timeZone: string, cron: string): string[] {
    const { schedules } = readSettings({ JOB_SCHEDULES: `follow-names=${cron}`, JOB_TIME_ZONE: timeZone });
    const runs: string[] = [];
    for (let last = new Date(`${moment}Z`); runs.length < 2; ) {
      last = nextRun(schedules, 'follow-names', last) ?? last;
      runs.push(last.toISOString().replace(/:00.000Z$/, ''));
    }
    return runs;
  }

  it.each([
    ['America/Santiago', '10 0 * * *', '2023-09-02T12:00', ['2023-09-03T04:00', '2023-09-04T03:10']],
    ['Asia/Beirut', '0 0 * * *', '2024-03-30T12:00', ['2024-03-30T22:00', '2024-03-31T21:00']],
    ['Africa/Cairo', '59 0 * * 5', '2024-04-25T12:00', ['2024-04-25T22:00', '2024-05-02T21:59']],
    ['America/Havana', '30 0 10 3 *', '2024-03-09T12:00', ['2024-03-10T05:00', '2025-03-10T04:30']],
    ['Europe/Berlin', '30 2 * * *', '2024-03-30T12:00', ['2024-03-31T01:00', '2024-04-01T00:30']],
    ['Australia/Lord_Howe', '15 2 * * *', '2024-10-05T12:00', ['2024-10-05T15:30', '2024-10-06T15:15']],
  ])('in %s, %s: the job runs once, at the first moment after it', (timeZone, cron, moment, runs) => {
    expect(runsAfter(moment, timeZone, cron)).toEqual(runs);
  });

  it.each([
    ['15 * * * *', '2024-03-31T00:20', ['2024-03-31T01:15', '2024-03-31T02:15']],
    ['*/20 * * * *', '2024-03-31T00:30', ['2024-03-31T00:40', '2024-03-31T01:00']],
  ])('is no matter for a job of every hour: %s', (cron, moment, runs) => {
    expect(runsAfter(moment, 'Europe/Berlin', cron)).toEqual(runs);
  });

  it('is none where the clock shows a time twice', () => {
    const runs = ['2024-10-27T00:30', '2024-10-28T01:30'];
    expect(runsAfter('2024-10-26T12:00', 'Europe/Berlin', '30 2 * * *')).toEqual(runs);
    expect(runsAfter('2024-10-27T01:10', 'Europe/Berlin', '30 2 * * *')[0]).toBe('2024-10-27T01:30');
  });
});

describe('D52: a job runs when it is due', () => {
  const DAY = 86_400_000;
  /** Schedules of tests are far off, so that no other job becomes due in the meantime. */
  const LONG_AGO = new Date(0);
  /** All runs, also those that a worker has begun or ended by now. */
  const runs = async ({ db }: TestApp) => {
    const { rows } = await sql<{ name: string }>`
      select name from pgboss.job where name = any(${[...scheduledJobs]}) order by name`.execute(db);
    return rows.map(({ name }) => name);
  };
  const wasEnqueued = (of: TestApp, name: string, enqueued_on: Date) =>
    of.db.updateTable('schedules').set({ enqueued_on }).where('job_id', '=', name).execute();
  /** Times without a worker do not count: the jobs that are no matter here were enqueued a moment ago. */
  const add = (of: TestApp) => addSchedules(of.db, scheduledJobs, of.clock.now());

  it('one whose time passed while no worker was there runs once, when one comes', async () => {
    const other = await startTestApp();
    try {
      await add(other);
      await wasEnqueued(other, 'maintenance', LONG_AGO);
      await startWorker(other.app.services);
      expect(await runs(other)).toEqual(['maintenance']);
      const known = await other.db.selectFrom('schedules').select('job_id').orderBy('job_id').execute();
      expect(known.map(({ job_id }) => job_id)).toEqual(scheduledJobs);
    } finally {
      await other.stop();
    }
  });

  it('a worker starts although one job cannot be enqueued at that moment', async () => {
    const other = await startTestApp();
    try {
      await add(other);
      for (const name of ['check-grants', 'follow-names']) await wasEnqueued(other, name, LONG_AGO);
      await other.app.services.queue.boss.deleteQueue('check-grants');
      await startScheduler(other.app.services);
      expect(await runs(other)).toEqual(['follow-names']);
      expect(other.logged).toContainEqual(
        expect.stringContaining('it could not be determined which jobs are due'),
      );
    } finally {
      await other.stop();
    }
  });

  describe('beside a worker', () => {
    /** The longest time until a worker notices that a job is due, in milliseconds. */
    const NOTICED = 15_000;
    let other: TestApp;
    beforeEach(async () => {
      other = await startTestApp();
      vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
      await startScheduler(other.app.services);
      expect(await runs(other)).toEqual([]);
    });
    afterEach(async () => {
      vi.useRealTimers();
      await other.stop();
    });

    it('runs once, however many times have passed', async () => {
      await wasEnqueued(other, 'follow-names', LONG_AGO);
      vi.advanceTimersByTime(NOTICED);
      await expect.poll(() => runs(other)).toEqual(['follow-names']);
      const { boss } = other.app.services.queue;
      const [job] = await boss.fetch('follow-names');
      await boss.complete('follow-names', job?.id ?? '');
      await wasEnqueued(other, 'maintenance', LONG_AGO);
      vi.advanceTimersByTime(NOTICED);
      await expect.poll(() => runs(other)).toEqual(['follow-names', 'maintenance']);
    });

    it('is not due because the clock of a worker is wrong', async () => {
      other.clock.advance(400 * DAY);
      await wasEnqueued(other, 'maintenance', LONG_AGO);
      vi.advanceTimersByTime(NOTICED);
      await expect.poll(() => runs(other)).toEqual(['maintenance']);
    });

    it('does so although the clock of the database was ahead when it was enqueued last', async () => {
      await wasEnqueued(other, 'maintenance', new Date(Date.now() + 30 * DAY));
      vi.advanceTimersByTime(NOTICED);
      await expect.poll(() => runs(other)).toEqual(['maintenance']);
      const { rows } = await sql`select from schedules where enqueued_on > now()`.execute(other.db);
      expect(rows).toEqual([]);
    });

    it('does so although another job cannot be enqueued', async () => {
      await other.app.services.queue.boss.deleteQueue('check-grants');
      await wasEnqueued(other, 'check-grants', LONG_AGO);
      await wasEnqueued(other, 'follow-names', LONG_AGO);
      vi.advanceTimersByTime(NOTICED);
      await expect.poll(() => runs(other)).toEqual(['follow-names']);
    });

    it('one of several workers enqueues it', async () => {
      await wasEnqueued(other, 'follow-names', LONG_AGO);
      const seen = (await findSchedules(other.db)).find(({ job_id }) => job_id === 'follow-names');
      const claims = [1, 2, 3].map(() => claimRun(other.db, seen as StoredSchedule));
      expect((await Promise.all(claims)).filter((mine) => mine)).toEqual([true]);
    });
  });
});
