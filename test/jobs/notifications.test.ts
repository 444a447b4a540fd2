import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import pg from 'pg';
import pino from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Subscription, subscribe } from '../../server/database/notifications.ts';
import { JOBS_CHANNEL } from '../../server/queue/pgboss.queries.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { empty } from '../harness/database.ts';
import { type DatabaseProxy, startProxy } from '../harness/proxy.ts';

/** Less than the interval at which subscribers poll who hear notifications. */
const PATIENTLY = { timeout: 30_000 };

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

describe('the database notifies of jobs', () => {
  let ears: pg.Client;
  let heard: (string | undefined)[] = [];
  beforeAll(async () => {
    ears = new pg.Client({ connectionString: app.databaseUrl });
    await ears.connect();
    ears.on('notification', ({ payload }) => heard.push(payload));
    await ears.query(`listen ${JOBS_CHANNEL}`);
  });
  beforeEach(() => empty(app.db, 'pgboss.job', 'pgboss.archive'));
  afterAll(() => ears.end());

  /** The notifications during `work`. */
  async function told(work: () => Promise<unknown>): Promise<(string | undefined)[]> {
    await silence();
    heard = [];
    await work();
    await silence();
    return heard.slice(0, -1);
  }
  /** Waits until all earlier notifications have arrived, as they arrive in order. */
  async function silence(): Promise<void> {
    const mark = randomUUID();
    await sql`select pg_notify(${JOBS_CHANNEL}, ${mark})`.execute(app.db);
    await expect.poll(() => heard.at(-1), PATIENTLY).toBe(mark);
  }
  const queue = () => app.app.services.queue;
  const revoke = { grant_id: randomUUID(), refresh_token: '' };

  it('that are sent, with the transaction that sends them', async () => {
    expect(await told(() => queue().send(app.db, 'revoke-grant', revoke))).toEqual(['revoke-grant']);
    expect(await told(() => queue().sendAll(app.db, 'revoke-grant', [revoke, revoke]))).toEqual([
      'revoke-grant',
    ]);
    expect(await told(() => queue().run(app.db, 'maintenance'))).toEqual(['maintenance']);
    const undone = () =>
      app.db.transaction().execute(async (tx) => {
        await queue().send(tx, 'revoke-grant', revoke);
        throw new Error('undone');
      });
    expect(await told(() => expect(undone()).rejects.toThrow('undone'))).toEqual([]);
  });

  it('that are retried, by pg-boss or by hand', async () => {
    const { boss } = queue();
    await queue().send(app.db, 'revoke-grant', revoke, { startIn: 3_600 });
    const hurry = sql`update pgboss.job set start_after = now() where name = 'revoke-grant'`;
    expect(await told(() => hurry.execute(app.db))).toEqual(['revoke-grant']);
    const [{ id } = { id: '' }] = await boss.fetch('revoke-grant');
    expect(await told(() => boss.fail('revoke-grant', id))).toEqual(['revoke-grant']);
    await boss.cancel('revoke-grant', id);
    expect(await told(() => boss.resume('revoke-grant', id))).toEqual(['revoke-grant']);
  });

  it('but not when one is fetched or done, unless another may wait for its end', async () => {
    const { boss } = queue();
    await queue().send(app.db, 'revoke-grant', revoke);
    await queue().run(app.db, 'maintenance');
    const take = async (name: string) => (await boss.fetch(name))[0]?.id ?? '';
    let [one, alone] = ['', ''];
    const taken = await told(async () => {
      one = await take('revoke-grant');
      alone = await take('maintenance');
    });
    expect(taken).toEqual([]);
    expect(await told(() => boss.complete('revoke-grant', one))).toEqual([]);
    expect(await told(() => boss.complete('maintenance', alone))).toEqual(['maintenance']);
  });
});

describe('a listener', () => {
  let proxy: DatabaseProxy;
  let subscription: Subscription;
  let received: (string | undefined)[];
  const times = { pollWhileHeard: 200, pollWhileDeaf: 20, heardWithin: 3_000, reopenAfter: 50 };
  const notify = (payload: string) => sql`select pg_notify(${JOBS_CHANNEL}, ${payload})`.execute(app.db);
  const open = (notifyBy: (payload: string) => Promise<unknown>, heardWithin = times.heardWithin) => {
    received = [];
    const log = pino({ level: 'silent' });
    subscription = subscribe({
      databaseUrl: proxy.url,
      log,
      channel: JOBS_CHANNEL,
      applicationName: 'castellan jobs',
      warning: 'the job queue is not told of jobs and looks by itself',
      notify: notifyBy,
      times: { ...times, heardWithin },
      onNotification: (queue) => received.push(queue),
    });
  };

  beforeAll(async () => {
    proxy = await startProxy(app.databaseUrl);
  });
  afterEach(async () => {
    subscription.close();
    await proxy.mend();
  });

  it('is told the name of each queue; at first any of them may have jobs', async () => {
    open(notify);
    expect(subscription.pollEvery()).toBe(times.pollWhileDeaf);
    await expect.poll(() => subscription.pollEvery(), PATIENTLY).toBe(times.pollWhileHeard);
    expect(received).toEqual([undefined]);
    await notify('maintenance');
    await expect.poll(() => received, PATIENTLY).toEqual([undefined, 'maintenance']);
  });

  it('polls where no notification arrives, as behind a pooler in transaction mode', async () => {
    let sent = 0;
    open(async () => {
      sent += 1;
    }, 1_000);
    // It was tried several times without success.
    await expect.poll(() => sent, PATIENTLY).toBeGreaterThanOrEqual(3);
    expect(subscription.pollEvery()).toBe(times.pollWhileDeaf);
  });

  it.each(['cut', 'mute'] as const)(
    'looks by himself while the network is gone (%s), and listens again when it is back',
    async (how) => {
      open(notify);
      await expect.poll(() => subscription.pollEvery(), PATIENTLY).toBe(times.pollWhileHeard);
      await proxy[how]();
      await expect.poll(() => subscription.pollEvery(), PATIENTLY).toBe(times.pollWhileDeaf);
      // There was no notification for what arrived meanwhile.
      expect(received).toEqual([undefined, undefined]);
      await proxy.cut();
      await proxy.mend();
      await expect.poll(() => subscription.pollEvery(), PATIENTLY).toBe(times.pollWhileHeard);
      expect(received).toEqual([undefined, undefined, undefined]);
    },
  );
});

describe('an idle worker', () => {
  it('sends no statements, and starts a job at once', async () => {
    let proxy: DatabaseProxy | undefined;
    const idle = await startTestApp({
      worker: true,
      databaseBy: async (url) => {
        proxy = await startProxy(url);
        return proxy.url;
      },
    });
    const listens = sql`select from pg_stat_activity
      where datname = current_database() and query like 'listen %' and state = 'idle'`;
    // One for jobs, one for events.
    await expect.poll(async () => (await listens.execute(idle.db)).rows, PATIENTLY).toHaveLength(2);
    const sentIn = async (milliseconds: number) => {
      const before = proxy?.sent ?? 0;
      await sleep(milliseconds);
      return (proxy?.sent ?? 0) - before;
    };
    // Waits for the end of the start; polling each queue once a second would be 14 statements.
    await expect.poll(() => sentIn(1_000), PATIENTLY).toBeLessThan(3);
    expect(await sentIn(3_000)).toBeLessThan(10);
    await idle.app.services.queue.send(idle.db, 'register-alliance-members', { alliance_id: 99_000_001 });
    const done = sql`select from pgboss.job where name = 'register-alliance-members' and state = 'completed'`;
    await expect.poll(async () => (await done.execute(idle.db)).rows, PATIENTLY).toHaveLength(1);
    await idle.stop();
  });
});
