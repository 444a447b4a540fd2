import { randomBytes } from 'node:crypto';
import pino from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { connect } from '../../../server/database/connection.ts';
import { readServerState } from '../../../server/doctor/doctor.queries.ts';
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
