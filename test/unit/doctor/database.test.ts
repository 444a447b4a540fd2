import { randomBytes } from 'node:crypto';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect } from '../../../server/database/connection.ts';
import { examineDatabase, examineJobs } from '../../../server/doctor/database.ts';
import { readServerState } from '../../../server/doctor/doctor.queries.ts';
import { scheduledJobs } from '../../../server/queue/job-catalogue.ts';
import { nextRun, readSchedules } from '../../../server/queue/schedule.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/database.ts';
import { onServer } from '../../harness/postgres.ts';

const role = `castellan_plain_${randomBytes(8).toString('hex')}`;
let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  await onServer(database.serverUrl, `create role ${role} login password 'plain'`);
});
afterAll(async () => {
  await database.drop();
  await onServer(database.serverUrl, `drop role ${role}`);
});

it('the doctor counts the connections of all roles, also by a role that may not see what the others do', async () => {
  const url = new URL(database.serverUrl);
  Object.assign(url, { username: role, password: 'plain' });
  const others = connect({ url: database.serverUrl, log: pino({ level: 'silent' }), poolSize: 1 });
  const own = connect({ url: url.href, log: pino({ level: 'silent' }), poolSize: 1 });
  try {
    await others.pool.query('select');
    expect((await readServerState(own.db)).connections).toBeGreaterThan(1);
  } finally {
    await own.close();
    await others.close();
  }
});

it('the doctor reports every job that is ten minutes late, however often it runs', async () => {
  const { db } = database;
  const schedules = { timeZone: 'UTC', cron: readSchedules('') };
  const died = new Date('2026-11-27T10:00:00Z');
  await db
    .insertInto('schedules')
    .values(scheduledJobs.map((job_id) => ({ job_id, ran_on: died })))
    .execute();
  const state = async (now: Date) =>
    (await examineJobs(db, schedules, now)).find(({ about }) => about === 'jobs');
  for (const job of scheduledJobs) {
    const due = nextRun(schedules, job, died)?.getTime() ?? 0;
    const late = expect.stringMatching(new RegExp(`^late: .*\\b${job}\\b`));
    expect(await state(new Date(due + 599_000)), job).not.toMatchObject({ says: late });
    expect(await state(new Date(due + 601_000)), job).toMatchObject({ state: 'bad', says: late });
  }
  await db.deleteFrom('schedules').execute();
});

describe('the doctor says that the database refuses writes', () => {
  const writesOf = async (options: string) => {
    const url = new URL(database.serverUrl);
    url.searchParams.set('options', options);
    const { db, close } = connect({ url: url.href, log: pino({ level: 'silent' }), poolSize: 1 });
    try {
      return (await examineDatabase(db)).find(({ about }) => about === 'writes');
    } finally {
      await close();
    }
  };

  it('where a role, a database or a server is set to it', async () => {
    // Whether the disk is full is not tried: the doctor changes nothing.
    expect(await writesOf('')).toMatchObject({ state: 'good', says: 'a primary, and not read-only' });
    expect(await writesOf('-c default_transaction_read_only=on')).toMatchObject({
      state: 'bad',
      says: 'refused: every transaction is read-only',
      advice: expect.stringContaining('default_transaction_read_only'),
    });
  });

  it('where it is a replica', async () => {
    await database.pool.query(
      `create function public.pg_is_in_recovery() returns bool language sql as 'select true'`,
    );
    expect(await writesOf('-c search_path=public,pg_catalog')).toMatchObject({
      state: 'bad',
      says: 'refused: this is a replica',
      advice: expect.stringContaining('target_session_attrs=read-write'),
    });
  });
});
