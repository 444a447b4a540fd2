import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ok } from '../../sdk/src/index.ts';
import { ensurePartitions } from '../../server/history/partitions.ts';
import { addUser } from '../fixtures/users.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { onServer } from '../harness/postgres.ts';
import { send } from '../harness/send.ts';

/** A database that reports the state of a replica, with a user that the primary does not have. */
let copy: TestDatabase;
let app: TestApp;
const REPLICAS = 2_199_000_001;
const AHEAD = 'FFFFFFF/0';

beforeAll(async () => {
  copy = await createTestDatabase();
  const client = new pg.Client({ connectionString: copy.url });
  await client.connect();
  await client.query(`
    create table place (reached pg_lsn);
    insert into place values ('${AHEAD}');
    create function public.pg_last_wal_replay_lsn() returns pg_lsn language sql as 'select reached from place'`);
  await client.end();
  await addUser({ db: copy.db } as TestApp, { id: REPLICAS, name: 'Known To The Replica' });
  const url = new URL(copy.serverUrl);
  url.searchParams.set('options', '-c search_path=public,pg_catalog');
  app = await startTestApp({ env: { DATABASE_REPLICA_URL: url.href } });
});
afterAll(async () => {
  await app?.stop();
  await copy?.drop();
});

const place = (reached: string) => copy.pool.query('update place set reached = $1', [reached]);

/** Which database answers: whether the list contains the user that only the replica has. */
async function answeredBy(): Promise<string> {
  const { status, body } = await app.client(app.root).user.list();
  expect(status).toBe(200);
  const known = (body as { character_id: number }[]).some(({ character_id }) => character_id === REPLICAS);
  return known ? 'replica' : 'primary';
}

/** The replica in GET /system/status and in the metrics. */
async function told() {
  const { body } = await app.client(app.root).system.status();
  const { findings } = body as { findings: { about: string; state: string }[] };
  const metrics = await app.app.services.metrics.registry.metrics();
  return {
    state: findings.find(({ about }) => about === 'replica')?.state,
    inUse: /^castellan_replica_in_use (\d)$/m.exec(metrics)?.[1],
  };
}

describe('reads that may lag (DATABASE_REPLICA_URL)', () => {
  it('come from the replica, although it does not have the caller', async () => {
    await expect.poll(answeredBy).toBe('replica');
    const { rows } = await copy.pool.query('select uuid from tokens');
    expect(rows).toEqual([]);
    expect((await app.client().user.list()).status).toBe(401);
  });

  it('D92: report the position of the replica', async () => {
    const name = 'Not Yet There';
    await app.client(app.root).group.create({ body: { group_name: name } });
    await expect.poll(() => app.app.services.events.position).toBeGreaterThan(0);
    const list = () => send(app, 'GET', '/group', { token: app.root });
    await expect.poll(async () => (await list()).headers['castellan-position']).toBe('0');
    expect((await list()).text).not.toContain(name);
  });

  it('everything else comes from the primary: single records, and authorization', async () => {
    const { status } = await app
      .client(app.root)
      .user.get({ params: { character_name: 'Known To The Replica' } });
    expect(status).toBe(404);
  });

  it('D29b: histories never come from the replica, which may still have those of a former owner', async () => {
    const now = new Date();
    await ensurePartitions(copy.db, now);
    const entry = { character_id: REPLICAS, timestamp: now, balance: 1 };
    await copy.db.insertInto('character_wallets').values(entry).execute();
    await addUser(app, { id: REPLICAS, name: 'Known To The Replica Too' });
    await expect.poll(answeredBy).toBe('replica');
    const params = { character_id: REPLICAS };
    expect(await app.client(app.root).history.wallet({ params })).toMatchObject({ status: 200, body: [] });
    await app.db.deleteFrom('users').where('character_id', '=', REPLICAS).execute();
  });

  it('come from the primary while the replica is behind, and from the replica when it has caught up', async () => {
    await place('0/1');
    await expect.poll(answeredBy).toBe('primary');
    const list = await send(app, 'GET', '/group', { token: app.root });
    expect(Number(list.headers['castellan-position'])).toBeGreaterThan(0);
    expect(await told()).toEqual({ state: 'mind', inUse: '0' });
    await place(AHEAD);
    await expect.poll(answeredBy).toBe('replica');
    expect(await told()).toEqual({ state: 'good', inUse: '1' });
  });

  it('come from the primary when the replica fails during a read, without an error', async () => {
    const name = new URL(copy.url).pathname.slice(1);
    await expect.poll(answeredBy).toBe('replica');
    await onServer(
      copy.url,
      `alter database ${name} with allow_connections false`,
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
    );
    for (let n = 0; n < 5; n += 1) expect(await answeredBy()).toBe('primary');
    expect(app.logged.join()).toContain('all is read from the primary');
    await onServer(copy.url, `alter database ${name} with allow_connections true`);
    await expect.poll(answeredBy).toBe('replica');
  });

  it('D61: come from the primary while the replica lags behind a migration, without an error', async () => {
    await expect.poll(answeredBy).toBe('replica');
    await copy.pool.query('alter table users rename clearance_level to not_yet_there');
    expect(await answeredBy()).toBe('primary');
    expect(await ok(app.client(app.root).crash.list())).toEqual([]);
    await copy.pool.query('alter table users rename not_yet_there to clearance_level');
    await expect.poll(answeredBy).toBe('replica');
  });

  it('come only from a replica: another primary is not used', async () => {
    await copy.pool.query('update place set reached = null');
    await expect.poll(answeredBy).toBe('primary');
  });
});
