import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { build, createInstance, type Instance, PRODUCTION, type Running } from '../harness/instance.ts';
import { untilWaiting } from '../harness/meanwhile.ts';
import { onDatabase, productionEnv } from '../harness/production.ts';

let instance: Instance;
let env: Record<string, string>;
beforeAll(async () => {
  await build();
  instance = await createInstance();
  env = await productionEnv();
});
afterAll(() => instance.remove());

/** Stops a start, which cannot go on unless `letGo` lets it. */
async function expectStopped(program: Running, letGo: () => unknown = () => undefined): Promise<void> {
  program.signal('SIGTERM');
  await program.printed(/"msg":"asked to stop"/);
  await letGo();
  const { code, stdout, stderr } = await program.ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/"msg":"(stopped|all processes have stopped)"\}\n$/);
  expect(stdout).not.toMatch(/"listening"|"working"|migrated the database|cut short/);
}

describe.each([
  // Nothing is to be drained, as nobody was served yet.
  ['the service', PRODUCTION.server, { DRAIN_SECONDS: '300' }],
  ['its processes', PRODUCTION.server, { PROCESSES: '2' }],
  ['a worker', PRODUCTION.jobs, {}],
] as const)('%s told to stop while it starts ends with 0', (_, program, more) => {
  it('where it waits for another process that migrates, and migrates nothing', async () => {
    await onDatabase('empty', async (DATABASE_URL) => {
      const migrating = new pg.Client({ connectionString: DATABASE_URL });
      await migrating.connect();
      try {
        await migrating.query('select pg_advisory_lock(3853314791062309107)');
        const starting = instance.start(program, { ...env, ...more, DATABASE_URL });
        await starting.printed(/another process migrates the database; waiting for it/);
        await expectStopped(starting);
        const { rows } = await migrating.query("select from pg_tables where schemaname = 'public'");
        expect(rows).toEqual([]);
      } finally {
        await migrating.end();
      }
    });
  });

  it('where another process makes the queues', async () => {
    await onDatabase('migrated', async (DATABASE_URL) => {
      const making = new pg.Client({ connectionString: DATABASE_URL });
      await making.connect();
      try {
        await making.query(`select pg_advisory_lock(hashtext('castellan job queue'))`);
        const starting = instance.start(program, { ...env, ...more, DATABASE_URL });
        const tries = `select from pg_stat_activity
          where datname = current_database() and application_name = 'castellan jobs'`;
        await expect.poll(async () => (await making.query(tries)).rows.length).toBeGreaterThan(0);
        await expectStopped(starting);
      } finally {
        await making.end();
      }
    });
  });

  it('where its database does not answer', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const asked = once(silent, 'connection');
    const { port } = silent.address() as AddressInfo;
    const starting = instance.start(program, {
      ...env,
      ...more,
      DATABASE_URL: `postgres://castellan@127.0.0.1:${port}/castellan`,
    });
    await asked;
    await expectStopped(starting);
    silent.close();
  });
});

it('a service told to stop in the last moment of its start does not listen', async () => {
  await onDatabase('migrated', async (DATABASE_URL) => {
    const locker = new pg.Client({ connectionString: DATABASE_URL });
    await locker.connect();
    try {
      await locker.query('begin');
      // In which it is announced.
      await locker.query('lock table service');
      const starting = instance.start(PRODUCTION.server, { ...env, DATABASE_URL, WORKERS: 'none' });
      await untilWaiting(locker, 1);
      await expectStopped(starting, () => locker.query('rollback'));
    } finally {
      await locker.end();
    }
  });
});
