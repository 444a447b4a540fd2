import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import pino from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { handlers } from '../../jobs/handlers.ts';
import { startWorker } from '../../jobs/worker.ts';
import { readBacklog } from '../../server/doctor/backlog.queries.ts';
import { createLog } from '../../server/observability/log.ts';
import { createMetrics } from '../../server/observability/metrics.ts';
import { createOutages } from '../../server/observability/outages.ts';
import { openQueue, type Queue } from '../../server/queue/queue.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { empty } from '../harness/database.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
beforeEach(() => empty(app.db, 'pgboss.job', 'pgboss.archive'));
afterAll(() => app.stop());

describe('a delayed job', () => {
  it.each([-2, 0, 2])(
    'waits correctly although the clock of the process is wrong by %s hours',
    async (hours) => {
      const { queue, db } = app.app.services;
      const payload = { token: randomUUID(), state_code: 'code', attempt: 1 };
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + hours * 3_600_000 });
      try {
        await queue.send(db, 'deliver-sign-in', payload, { startIn: 300 });
        await queue.send(db, 'revoke-grant', { grant_id: randomUUID(), refresh_token: '' });
      } finally {
        vi.useRealTimers();
      }
      const { rows } = await sql<{ name: string; seconds: number }>`
      select name, round(extract(epoch from start_after - created_on))::int as seconds from pgboss.job
      where name in ('deliver-sign-in', 'revoke-grant') order by name`.execute(db);
      expect(rows).toEqual([
        { name: 'deliver-sign-in', seconds: 300 },
        { name: 'revoke-grant', seconds: 0 },
      ]);
    },
  );
});

describe('the backlog counts jobs that wait for a worker', () => {
  const waiting = async (name: string) =>
    (await readBacklog(app.db, app.clock.now())).jobs.find(({ job }) => job === name)?.waiting;
  const take = (name: string) => app.app.services.queue.boss.fetch(name);

  it('and none while one has as many of that job as it takes at once', async () => {
    const { queue, db } = app.app.services;
    await queue.sendAll(
      db,
      'register-alliance-members',
      [1, 2, 3].map((alliance_id) => ({ alliance_id })),
    );
    expect(await waiting('register-alliance-members')).toBe(3);
    await take('register-alliance-members');
    expect(await waiting('register-alliance-members')).toBe(0);
    // The worker died, and nobody else is there who notices.
    await sql`update pgboss.job set started_on = started_on - expire_in where state = 'active'`.execute(db);
    expect(await waiting('register-alliance-members')).toBe(2);
  });

  it('also those of a job of which it could take another one', async () => {
    const { queue, db } = app.app.services;
    const revoke = { grant_id: randomUUID(), refresh_token: '' };
    await queue.sendAll(db, 'revoke-grant', [revoke, revoke, revoke]);
    await take('revoke-grant');
    expect(await waiting('revoke-grant')).toBe(2);
    await take('revoke-grant');
    expect(await waiting('revoke-grant')).toBe(0);
  });
});

describe('D52: a requested run', () => {
  it('is a new one when the waiting one has just started', async () => {
    const { queue, db } = app.app.services;
    // The queue says that a run waits, which at the next query has started.
    const send = vi.spyOn(queue.boss, 'send').mockResolvedValueOnce(null);
    const id = await queue.run(db, 'sync-users');
    expect(send).toHaveBeenCalledTimes(2);
    expect(await queue.boss.getJobById('sync-users', id)).toMatchObject({ state: 'created' });
    send.mockRestore();
  });
});

describe('a job that does not end by itself', () => {
  let queue: Queue;
  const begun: string[] = [];
  const logged: { readonly run_id?: string }[] = [];
  beforeAll(async () => {
    queue = await openQueue({
      databaseUrl: app.databaseUrl,
      log: pino({ level: 'warn' }, { write: (line) => void logged.push(JSON.parse(line)) }),
      worker: true,
    });
    queue.work((_name, { id }) => {
      begun.push(id);
      return new Promise(() => undefined);
    });
  });

  /** A job that is tried once more, long after this test. */
  async function add(timeLimit: string): Promise<string> {
    const { rows } = await sql<{ id: string }>`
      insert into pgboss.job (name, expire_in, retry_limit, retry_delay)
      values ('register-alliance-members', ${timeLimit}::interval, 1, 3600) returning id`.execute(app.db);
    return rows[0]?.id ?? '';
  }
  const states = async () => {
    const { rows } = await sql<{ id: string; state: string; retry_count: number; output: unknown }>`
      select id, state::text, retry_count, output from pgboss.job where name = 'register-alliance-members'
      order by created_on`.execute(app.db);
    return rows;
  };
  const failed = { state: 'retry', output: { message: 'failed; the log says why' } };

  it('fails at its time limit, or when the process stops; meanwhile others wait for its slot', async () => {
    const [slow, last] = [await add('4 seconds'), await add('1 hour')];
    await vi.waitFor(() => expect(begun).toEqual([slow]), 60_000);
    expect((await states()).map(({ state }) => state)).toEqual(['active', 'created']);
    await vi.waitFor(() => expect(begun).toEqual([slow, last]), 60_000);
    await vi.waitFor(
      async () => expect((await states())[0]).toEqual({ id: slow, retry_count: 0, ...failed }),
      60_000,
    );
    await queue.stop();
    expect(await states()).toEqual([
      { id: slow, retry_count: 0, ...failed },
      // Its next try counts as its first.
      { id: last, retry_count: -1, ...failed },
    ]);
    // The time limit is told by whoever handles jobs.
    expect(logged.map(({ run_id }) => run_id)).toEqual([last]);
  });
});

describe('jobs: a run that is stopped with its worker', () => {
  /** A worker, as a process has one, with what it logs. */
  async function work() {
    const { services } = app.app;
    const lines: string[] = [];
    const log = createLog('info', { write: (line) => lines.push(line) });
    const queue = await openQueue({ databaseUrl: app.databaseUrl, log, worker: true });
    const metrics = createMetrics();
    await startWorker({ ...services, queue, log, metrics, outages: createOutages(log, services.clock) });
    return { queue, lines, metrics };
  }

  it('keeps its tries and its options, however often, and counts nowhere as failed', async () => {
    const { queue, db } = app.app.services;
    let begun = 0;
    const handler = vi.spyOn(handlers, 'sync-users').mockImplementation((_services, _payload, { signal }) => {
      begun += 1;
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    });
    onTestFinished(() => handler.mockRestore());
    const id = await queue.run(db, 'sync-users', { force: true });
    await sql`update pgboss.job set retry_delay = 0 where id = ${id}`.execute(db);
    for (let stops = 1; stops <= 4; stops += 1) {
      const worker = await work();
      await expect.poll(() => begun, { timeout: 60_000 }).toBe(stops);
      await worker.queue.stop();
      expect(worker.lines.filter((line) => line.includes('failed'))).toEqual([]);
      const { values } = await worker.metrics.jobRuns.get();
      expect(values.filter(({ labels, value }) => labels.job === 'sync-users' && value > 0)).toEqual([]);
    }
    handler.mockImplementation(async (_services, { force }) => expect(force).toBe(true));
    const worker = await work();
    const { boss } = queue;
    await expect
      .poll(async () => await boss.getJobById('sync-users', id), { timeout: 60_000 })
      .toMatchObject({ state: 'completed', retryCount: 0 });
    await worker.queue.stop();
  });
});
