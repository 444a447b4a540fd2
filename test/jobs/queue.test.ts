import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import pino from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
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
    const { rows } = await sql<{ id: string; state: string; output: unknown }>`
      select id, state::text, output from pgboss.job where name = 'register-alliance-members'
      order by created_on`.execute(app.db);
    return rows;
  };
  const failed = { state: 'retry', output: { message: 'failed; the log says why' } };

  it('fails at its time limit, or when the process stops; meanwhile others wait for its slot', async () => {
    const [slow, last] = [await add('4 seconds'), await add('1 hour')];
    await vi.waitFor(() => expect(begun).toEqual([slow]), 60_000);
    expect((await states()).map(({ state }) => state)).toEqual(['active', 'created']);
    await vi.waitFor(() => expect(begun).toEqual([slow, last]), 60_000);
    await vi.waitFor(async () => expect((await states())[0]).toEqual({ id: slow, ...failed }), 60_000);
    await queue.stop();
    expect(await states()).toEqual([
      { id: slow, ...failed },
      { id: last, ...failed },
    ]);
    // The time limit is told by whoever handles jobs.
    expect(logged.map(({ run_id }) => run_id)).toEqual([last]);
  });
});
