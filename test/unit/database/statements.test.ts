import { execFile } from 'node:child_process';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { NamingClient, PLANNED_EACH_TIME } from '../../../server/database/statements.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/database.ts';
import { untilWaiting } from '../../harness/meanwhile.ts';

let database: TestDatabase;
let client: NamingClient;
let sent: string[];
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  sent = [];
  client = new NamingClient({
    connectionString: database.url,
    namedStatements: 3,
    onStatement: (text) => sent.push(text),
  });
  await client.connect();
});
afterEach(() => client.end());

const run = promisify(execFile);

async function prepared() {
  const { rows } = await client.query<{ statement: string; uses: number }>(
    'select statement, (generic_plans + custom_plans)::int as uses from pg_prepared_statements order by name',
  );
  return rows;
}

describe('named statements', () => {
  it('are prepared at the second use and reused', async () => {
    const text = 'select $1::int as n';
    await client.query(text, [1]);
    expect(await prepared()).toEqual([]);
    for (const n of [2, 3, 4]) expect((await client.query(text, [n])).rows).toEqual([{ n }]);
    expect(await prepared()).toEqual([{ statement: text, uses: 3 }]);
  });

  it('are reused through Kysely and the pool', async () => {
    const single = await createTestDatabase({ poolSize: 1 });
    try {
      const byName = single.db
        .selectFrom('users')
        .select('character_id')
        .where('character_name', '=', 'Nobody');
      for (let use = 0; use < 5; use++) await byName.execute();
      const { rows } = await single.pool.query(
        'select statement, generic_plans + custom_plans as uses from pg_prepared_statements',
      );
      expect(rows).toEqual([{ statement: byName.compile().sql, uses: 4 }]);
    } finally {
      await single.drop();
    }
  });

  it('of many connections are kept in memory once', async () => {
    const [CONNECTIONS, STATEMENTS, BYTES] = [6, 200, 15_000];
    const { stdout } = await run(process.execPath, [
      ...['--expose-gc', '--import', 'tsx', join(import.meta.dirname, 'statements-process.ts')],
      ...[database.url, CONNECTIONS, STATEMENTS, BYTES].map(String),
    ]);
    expect(Number(stdout)).toBeGreaterThan(STATEMENTS * BYTES * 0.5);
    expect(Number(stdout)).toBeLessThan(STATEMENTS * BYTES * 2.5);
  });

  it('do not include those that are planned each time', async () => {
    const text = `${PLANNED_EACH_TIME} select $1::int as n`;
    for (let use = 0; use < 3; use += 1) expect((await client.query(text, [use])).rows).toEqual([{ n: use }]);
    expect(await prepared()).toEqual([]);
  });

  it('are limited in number, and texts used once do not count', async () => {
    for (let n = 0; n < 10; n++) await client.query(`select $1::int as once${n}`, [n]);
    for (let n = 0; n < 20; n++) {
      const { rows } = await client.query(`select $1::int as n, ${n % 10} as twice`, [n]);
      expect(rows).toEqual([{ n, twice: n % 10 }]);
    }
    expect(await prepared()).toHaveLength(0);
    for (let n = 0; n < 20; n++)
      await client.query(`select $1::int as n, ${Math.floor(n / 2)} as pairs`, [n]);
    expect((await prepared()).map(({ statement }) => statement)).toEqual([
      'select $1::int as n, 0 as pairs',
      'select $1::int as n, 1 as pairs',
      'select $1::int as n, 2 as pairs',
    ]);
  });

  it('do not include texts with several statements', async () => {
    await client.query('create temp table a (n int); create temp table b (n int)');
    await client.query('create temp table c (n int); create temp table d (n int)', []);
    expect(sent).toHaveLength(2);
  });

  it('survive a change of the columns that they return', async () => {
    const read = () => client.query('select * from changing where n = $1', [1]);
    await client.query('create temp table changing (n int); insert into changing values (1)');
    for (let use = 0; use < 3; use++) await read();
    await client.query(`alter table changing add column more text default 'x'`);
    expect((await read()).rows).toEqual([{ n: 1, more: 'x' }]);
    await read();

    await client.query('alter table changing drop column more');
    await client.query('begin');
    await expect(read()).rejects.toThrow('cached plan must not change result type');
    await client.query('rollback');
    expect((await read()).rows).toEqual([{ n: 1 }]);
  });

  it('are reported like every other statement', async () => {
    await client.query('begin');
    await client.query('select $1::int', [1]);
    await client.query({ text: 'select 2' });
    await client.query('commit');
    expect(sent).toEqual(['begin', 'select $1::int', 'select 2', 'commit']);
  });
});

describe('a statement that PostgreSQL aborted to end a deadlock', () => {
  const text = 'select pg_advisory_xact_lock($1), pg_advisory_xact_lock(2), pg_advisory_xact_lock(3)';

  /**
   * Causes a deadlock: the client takes the first lock, another session waits for it, and the client waits for that
   * one's.
   */
  async function crossing(): Promise<unknown> {
    const [gate, other, watch] = await Promise.all([connected(), connected(), connected()]);
    try {
      // The session that detects the deadlock is aborted.
      await other.query(`set deadlock_timeout = '1h'`);
      await client.query(`set deadlock_timeout = '10ms'`);
      await gate.query('select pg_advisory_lock(2)');
      await other.query('begin; select pg_advisory_xact_lock(3)');
      const crossed = client.query(text, [1]).catch((error: unknown) => error);
      await untilWaiting(watch, 1);
      const others = other.query('select pg_advisory_xact_lock(1)');
      await untilWaiting(watch, 2);
      await gate.query('select pg_advisory_unlock(2)');
      await others;
      await other.query('commit');
      return await crossed;
    } finally {
      await Promise.all([gate, other, watch].map((session) => session.end()));
    }
  }

  async function connected(): Promise<pg.Client> {
    const session = new pg.Client({ connectionString: database.url });
    await session.connect();
    return session;
  }

  it('is retried', async () => {
    expect(await crossing()).toMatchObject({ rowCount: 1 });
  });

  it('fails within a transaction, which its owner has to retry', async () => {
    await client.query('begin');
    expect(await crossing()).toMatchObject({ code: '40P01' });
    await client.query('rollback');
  });

  it('fails where it ends a transaction: repeated it would succeed, with nothing left to commit', async () => {
    await database.pool.query(`create table checked (n int);
      create function fails_late() returns trigger language plpgsql
        as $$begin raise 'a deadlock' using errcode = 'deadlock_detected'; end$$;
      create constraint trigger late after insert on checked initially deferred
        for each row execute function fails_late()`);
    for (const text of ['begin', 'insert into checked values (1)']) await client.query(text, []);
    // Read at once with the end of the transaction, as by a process that was busy.
    const { connection } = client as unknown as { connection: { stream: Socket } };
    connection.stream.pause();
    const committed = client.query('commit', []).catch((error: unknown) => error);
    const { processID } = client as unknown as { processID: number };
    const states = () =>
      database.pool.query('select state from pg_stat_activity where pid = $1', [processID]);
    await expect.poll(async () => (await states()).rows).toEqual([{ state: 'idle' }]);
    connection.stream.resume();
    expect(await committed).toMatchObject({ code: '40P01' });
  });
});
