import { randomBytes, randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { handlers } from '../../jobs/handlers.ts';
import type { Services } from '../../server/services/services.ts';
import { letIn } from '../fixtures/registry.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp({ worker: true });
});
afterAll(() => app.stop());

interface Row {
  readonly name: string;
  readonly state: string;
  readonly data: unknown;
}
async function givenUp({ jobRuns }: Services['metrics'], job: string): Promise<number | undefined> {
  const { values } = await jobRuns.get();
  return values.find(({ labels }) => labels.job === job && labels.outcome === 'given up')?.value;
}
async function jobs(name: string): Promise<Row[]> {
  const { rows } = await sql<Row>`
    select name, state::text, data from pgboss.job where name = ${name} order by created_on`.execute(app.db);
  return rows;
}

describe('jobs: the counters that alerts follow', () => {
  it('exist at 0 before the first run that is given up or held back (D63)', async () => {
    const { jobRuns, jobsHeld } = app.app.services.metrics;
    const ofJob = async (counter: typeof jobRuns | typeof jobsHeld, job: string) =>
      (await counter.get()).values.filter(({ labels }) => labels.job === job);
    const givenUp = { labels: { job: 'revoke-grant', outcome: 'given up' }, value: 0 };
    expect(await ofJob(jobRuns, 'revoke-grant')).toEqual([givenUp]);
    expect(await ofJob(jobsHeld, 'sync-users')).toEqual([{ labels: { job: 'sync-users' }, value: 0 }]);
  });
});

describe('jobs: a poison job', () => {
  it('is retried, then stored among the dead letters; other jobs are done meanwhile', async () => {
    const { queue, db } = app.app.services;
    const poison = { grant_id: 'no uuid', refresh_token: 'x' };
    const { rows } = await sql<{ id: string }>`
      insert into pgboss.job (name, data, retry_limit, dead_letter, policy)
      values ('revoke-grant', ${JSON.stringify(poison)}::jsonb, 1, 'dead-letters', 'standard')
      returning id`.execute(db);
    const poisoned = async () => {
      const job = await sql<{ state: string; retry_count: number }>`
        select state::text, retry_count from pgboss.job where id = ${rows[0]?.id}`.execute(db);
      return job.rows[0];
    };
    await queue.send(db, 'register-alliance-members', { alliance_id: 99_000_001 });
    await vi.waitFor(
      async () => expect(await poisoned()).toEqual({ state: 'failed', retry_count: 1 }),
      60_000,
    );
    expect(await jobs('dead-letters')).toEqual([{ name: 'dead-letters', state: 'created', data: poison }]);
    await vi.waitFor(
      async () => expect(await jobs('register-alliance-members')).toMatchObject([{ state: 'completed' }]),
      60_000,
    );
    expect(app.logged.some((line) => line.includes('kept among the dead letters'))).toBe(true);
    const counted = (await app.app.services.metrics.jobRuns.get()).values;
    expect(counted).toContainEqual(
      expect.objectContaining({ labels: { job: 'revoke-grant', outcome: 'given up' }, value: 1 }),
    );
  });
});

describe('D52, D63: a scheduled run that fails while the one before waits to be tried again', () => {
  it.each([
    ['later', {}, { force: true }],
    ['earlier', { force: true }, {}],
  ])('is tried again instead of it, with the options of both: force %s', async (_, earlier, later) => {
    let begun = 0;
    let fail = () => {};
    const failing = new Promise<never>((_, reject) => {
      fail = () => reject(new Error('the provider is down'));
    });
    failing.catch(() => undefined);
    const handler = vi.spyOn(handlers, 'sync-users').mockImplementation(() => {
      begun += 1;
      return failing;
    });
    onTestFinished(() => handler.mockRestore());
    const root = app.client(app.root);
    const request = (query: { force?: boolean }) =>
      root.system.runJob({ params: { job_id: 'sync-users' }, query });
    await request(earlier);
    await expect.poll(() => begun).toBe(1);
    await request(later);
    fail();
    await expect
      .poll(() => jobs('sync-users'))
      .toEqual([
        { name: 'sync-users', state: 'cancelled', data: { asked: true, force: false, ...earlier } },
        { name: 'sync-users', state: 'retry', data: { asked: true, force: true } },
      ]);
    expect(await jobs('dead-letters')).not.toContainEqual(
      expect.objectContaining({ data: expect.objectContaining({ force: true }) }),
    );
    await sql`delete from pgboss.job where name = 'sync-users'`.execute(app.db);
  });
});

describe('a job that never ends', () => {
  it('fails when its time is over, which is logged and counted as of any other', async () => {
    vi.spyOn(handlers, 'revoke-grant').mockReturnValue(new Promise(() => undefined));
    onTestFinished(() => void vi.restoreAllMocks());
    const { db, metrics } = app.app.services;
    const before = await givenUp(metrics, 'revoke-grant');
    const payload = { grant_id: randomUUID(), refresh_token: 'x' };
    const { rows } = await sql<{ id: string }>`
      insert into pgboss.job (name, data, retry_limit, dead_letter, policy, expire_in)
      values ('revoke-grant', ${JSON.stringify(payload)}::jsonb, 0, 'dead-letters', 'standard', '1 second')
      returning id`.execute(db);
    const id = rows[0]?.id ?? '';
    await vi.waitFor(
      async () =>
        expect((await app.app.services.queue.boss.getJobById('revoke-grant', id))?.state).toBe('failed'),
      60_000,
    );
    const told = app.logged.filter((line) => line.includes(id) && line.includes('for the last time'));
    expect(told).toEqual([expect.stringContaining('took longer than its 1 s')]);
    expect(await givenUp(metrics, 'revoke-grant')).toBe((before ?? 0) + 1);
  });
});

describe('jobs that fail for one reason do not fill the log', () => {
  it('are logged once, whatever their number', async () => {
    const before = app.logged.length;
    await sql`
      insert into pgboss.job (name, data, retry_limit, dead_letter, policy)
      select 'register-alliance-members', '{"alliance_id": "no number"}'::jsonb, 0, 'dead-letters', 'standard'
      from generate_series(1, 10)`.execute(app.db);
    await vi.waitFor(
      async () => {
        const failed = (await jobs('register-alliance-members')).filter(({ state }) => state === 'failed');
        expect(failed).toHaveLength(10);
      },
      { timeout: 60_000 },
    );
    const inFull = app.logged.slice(before).filter((line) => /"err":.*a job failed/.test(line));
    expect(inFull).toHaveLength(1);
  });
});

describe('D29: dead applications', () => {
  /** Accepts connections and never answers. */
  let dead: Server;
  let living: Server;
  /** The number of dead applications being called at the same time as a responsive one. */
  const deadOnes: number[] = [];
  const open = () => new Promise<number>((resolve) => dead.getConnections((_, count) => resolve(count)));

  beforeAll(async () => {
    dead = createServer(() => undefined);
    living = createServer(async (_request, response) => {
      deadOnes.push(await open());
      response.writeHead(204).end();
    });
    for (const server of [dead, living]) {
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    }
  });
  afterAll(() => {
    for (const server of [dead, living]) {
      server.close();
      server.closeAllConnections();
    }
  });

  const callbackOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;

  it('1,000 dead callbacks do not delay a responsive one', async () => {
    // The calls have no time limit, so that even a slow machine has all dead applications called at the same time.
    vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => new AbortController().signal);
    onTestFinished(() => void vi.restoreAllMocks());
    await letIn(app, { corporations: [98_000_011] });
    const [owner = 0] = app.provider.world.membersOf(98_000_011);
    await app.signIn(owner);
    const { db, queue, keys } = app.app.services;
    /** Creates a user token of each of this many applications, and its event. */
    const sendEvents = (callback: string, count: number) =>
      db.transaction().execute(async (tx) => {
        const pairs = Array.from({ length: count }, () => ({ parent: randomUUID(), token: randomUUID() }));
        await sql`
          with given as (select * from jsonb_to_recordset(${JSON.stringify(pairs)}::jsonb) as given(parent uuid, token uuid)),
            apps as (
              insert into tokens (uuid, token_type, owner_id, app_token, callback, kid)
              select parent, 'dyn', 0, parent, ${callback}, ${keys.currentKid} from given
            )
          insert into tokens (uuid, token_type, owner_id, parent, app_token, kid, expires_on)
          select token, 'use', ${owner}, parent, parent, ${keys.currentKid},
            ${new Date(app.clock.now().getTime() + 3_600_000)} from given`.execute(tx);
        await queue.sendAll(
          tx,
          'deliver-sign-in',
          pairs.map(({ token }) => ({ token, state_code: randomBytes(8).toString('hex'), attempt: 0 })),
        );
      });
    await sendEvents(callbackOf(dead), 1000);
    await expect.poll(open).toBeGreaterThanOrEqual(1000);
    await sendEvents(callbackOf(living), 1);
    await expect.poll(() => deadOnes).toHaveLength(1);
    expect(deadOnes[0]).toBeGreaterThanOrEqual(1000);
  });
});
