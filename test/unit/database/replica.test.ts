import { type Kysely, sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { connect } from '../../../server/database/connection.ts';
import { openReplica, type Replica } from '../../../server/database/replica.ts';
import type { Database } from '../../../server/database/tables.ts';
import { createLog } from '../../../server/observability/log.ts';
import { createOutages } from '../../../server/observability/outages.ts';
import { systemClock } from '../../../server/shared/clock.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/database.ts';
import { startPooler } from '../../harness/pooler.ts';

/** A database that reports the state of a replica from the table `place`. */
let copy: TestDatabase;
let replica: Replica;
/** Prefers the functions of that database. */
const OWN_FUNCTIONS = '-c search_path=public,pg_catalog';
let logged: string[] = [];
const log = createLog('info', { write: (line) => logged.push(line) });
const outages = createOutages(log, systemClock);

beforeAll(async () => {
  copy = await createTestDatabase();
  await copy.pool.query(`
    create table place (reached pg_lsn, changed timestamptz, late int, slow_pid int);
    insert into place values ('FFFFFFF/0', now(), 0, 0);
    create function public.pg_last_wal_replay_lsn() returns pg_lsn language plpgsql as $$
    begin
      update place set late = late - 1;
      return (select case when late >= 0 or slow_pid = pg_backend_pid() then '0/1' else reached end from place);
    end $$;
    create function public.pg_last_xact_replay_timestamp() returns timestamptz
      language sql as 'select changed from place'`);
  const url = new URL(copy.url);
  url.searchParams.set('options', OWN_FUNCTIONS);
  replica = openReplica({ url: url.href, primary: copy.db, log, outages });
});
afterAll(async () => {
  await replica?.close();
  await copy?.drop();
});

const place = (set: string) => copy.pool.query(`update place set ${set}`);
const YEARS_AGO = "changed = '2020-01-01'";

async function pidOf(db: Kysely<Database>): Promise<number> {
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db);
  return rows[0]?.pid ?? 0;
}
/** The server process that answered; undefined when the primary must be used. */
async function read(): Promise<number | undefined> {
  return replica.read(pidOf).catch((error: unknown) => {
    if (!replica.failed(error)) throw error;
    return undefined;
  });
}

beforeEach(async () => {
  await place(`reached = 'FFFFFFF/0', ${YEARS_AGO}, late = 0, slow_pid = 0`);
  await replica.examine();
  logged = [];
});

describe('a replica', () => {
  it('is used when it has all data that the primary had', async () => {
    expect(await read()).toBeGreaterThan(0);
    expect(await replica.examine()).toEqual({ behind: expect.any(Number) });
  });

  it('is checked on the same connection that is used for the whole read', async () => {
    const reads = Array.from({ length: 4 }, () =>
      replica.read(async (db) => Promise.all([pidOf(db), pidOf(db)])),
    );
    for (const [first, second] of await Promise.all(reads)) expect(first).toBe(second);
  });

  it('is used while its last change is recent, even if it is never quite up to date', async () => {
    await place(`reached = '0/1', changed = now() - interval '1 second'`);
    expect(await read()).toBeGreaterThan(0);
  });

  it('is not used when its last change is old and it does not catch up with the primary', async () => {
    await place(`reached = '0/1', ${YEARS_AGO}`);
    expect(await read()).toBeUndefined();
    expect(await replica.examine()).toEqual({
      behind: expect.any(Number),
      fault: expect.stringMatching(/^it is \d+ s behind$/),
    });
    expect(logged.join()).toContain('all is read from the primary');
  });

  it('gets some time to replay a write after an idle period', async () => {
    await place('late = 1');
    expect(await read()).toBeGreaterThan(0);
    expect(logged).toEqual([]);
  });

  it.each([
    ['table', sql`select from not_yet_there`],
    ['column', sql`select not_yet_there from place`],
    ['function', sql`select not_yet_there()`],
  ])('D61: is not used while it lacks a %s, as it lags behind a migration', async (_, statement) => {
    const lacking = replica.read((db) => statement.execute(db));
    await lacking.catch((error: unknown) => expect(replica.failed(error)).toBe(true));
    await expect(lacking).rejects.toThrow('not_yet_there');
    expect(await read()).toBeUndefined();
  });

  it('each of several is checked by itself', async () => {
    const both = () => Promise.all([read(), read()]);
    const [slow] = await both();
    await place(`slow_pid = ${slow}`);
    const answered = await both();
    expect(answered).toContain(undefined);
    expect(answered).not.toContain(slow);
  });

  it('D61: is used at once by way of a pooler that refuses settings, without a word of an outage', async () => {
    const pooler = await startPooler(copy.serverUrl);
    const url = new URL(pooler.url);
    url.searchParams.set('options', OWN_FUNCTIONS);
    const pooled = openReplica({ url: url.href, primary: copy.db, log, outages });
    expect(await pooled.examine()).toEqual({ behind: expect.any(Number) });
    expect(logged).toEqual([expect.stringContaining('the replica is read from')]);
    expect(await pooled.read(pidOf)).toBeGreaterThan(0);
    await pooled.close();
    pooler.stop();
  });

  it('does not count as failed when the primary is unavailable', async () => {
    const nobody = connect({ url: 'postgres://nobody@127.0.0.1:9/nothing', log });
    const lonely = openReplica({ url: copy.url, primary: nobody.db, log, outages });
    expect(await lonely.examine()).toEqual({ fault: expect.stringContaining('where the primary is') });
    expect(logged).toEqual([]);
    await lonely.close();
    await nobody.close();
  });
});
