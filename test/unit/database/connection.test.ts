import { once } from 'node:events';
import { type AddressInfo, createServer, Socket } from 'node:net';
import { sql } from 'kysely';
import pg from 'pg';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { connect } from '../../../server/database/connection.ts';
import { constraintOf, isUnreachable } from '../../../server/database/errors.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/database.ts';
import { isClockFaked } from '../../harness/faked-clock.ts';
import { startProxy } from '../../harness/proxy.ts';

const log = pino({ level: 'silent' });
let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const failure = (work: Promise<unknown>) =>
  work.then(
    () => expect.unreachable('should have failed'),
    (error: unknown) => error,
  );

describe('column types', () => {
  it('reads int8 as a number, alone, in arrays and below a domain', async () => {
    const query = sql`select 9007199254740991::int8 as id, array[1, null, -2]::int8[] as ids, 7::game_id as game_id`;
    const { rows } = await query.execute(database.db);
    expect(rows).toEqual([{ id: 9007199254740991, ids: [1, null, -2], game_id: 7 }]);
  });

  it('refuses an int8 that a number cannot hold', async () => {
    await expect(sql`select 9007199254740992::int8`.execute(database.db)).rejects.toThrow(RangeError);
    expect((await sql`select 1 as still`.execute(database.db)).rows).toEqual([{ still: 1 }]);
  });

  it('reads timestamptz as a Date', async () => {
    const { rows } = await sql`select timestamptz '2024-05-06 07:08:09.123+02' as at`.execute(database.db);
    expect(rows).toEqual([{ at: new Date('2024-05-06T05:08:09.123Z') }]);
  });
});

describe('constraintOf', () => {
  it('names the violated constraint', async () => {
    await database.pool.query(`create table parent (id int constraint parent_key primary key);
      create table child (parent int constraint child_parent references parent, n int constraint positive check (n > 0))`);
    const violation = async (text: string) => constraintOf(await failure(sql.raw(text).execute(database.db)));
    expect(await violation('insert into parent values (1), (1)')).toEqual({
      kind: 'unique',
      constraint: 'parent_key',
    });
    expect(await violation('insert into child values (9, 1)')).toEqual({
      kind: 'foreign_key',
      constraint: 'child_parent',
    });
    expect(await violation('insert into child values (null, 0)')).toEqual({
      kind: 'check',
      constraint: 'positive',
    });
    expect(await violation('insert into nowhere values (1)')).toBeUndefined();
    expect(constraintOf(new Error('something else'))).toBeUndefined();
  });
});

describe('a pool that nobody asks', () => {
  it('keeps one connection', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { pool, close } = connect({ url: database.url, log });
    try {
      await Promise.all([1, 2, 3].map(() => pool.query('select 1')));
      expect(pool.totalCount).toBe(3);
      vi.advanceTimersByTime(60_000);
      expect(pool.totalCount).toBe(1);
    } finally {
      vi.useRealTimers();
      await close();
    }
  });

  it('probes it while it is idle, before a network can forget it', async () => {
    const alive = vi.spyOn(Socket.prototype, 'setKeepAlive');
    const { pool, close } = connect({ url: database.url, log });
    try {
      await pool.query('select 1');
      expect(alive.mock.calls).toEqual([[true, 30_000]]);
    } finally {
      alive.mockRestore();
      await close();
    }
  });
});

describe('isUnreachable', () => {
  it('recognises a connection that breaks during a statement', async () => {
    const sleeping = failure(sql`select pg_sleep(30), 'cut me'`.execute(database.db));
    const cut = () =>
      database.pool.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where query like '%cut me%' and state = 'active' and pid <> pg_backend_pid()`,
      );
    await expect.poll(async () => (await cut()).rowCount).toBe(1);
    expect(isUnreachable(await sleeping)).toBe(true);
  });

  it('recognises a connection that breaks within a transaction, and the next one works', async () => {
    const error = await failure(
      database.db.transaction().execute(async (transaction) => {
        const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(transaction);
        await sql`select pg_terminate_backend(${rows[0]?.pid})`.execute(database.db);
        await sql`select 1`.execute(transaction);
      }),
    );
    expect(isUnreachable(error)).toBe(true);
    expect((await sql`select 1 as again`.execute(database.db)).rows).toEqual([{ again: 1 }]);
  });

  it('survives the loss of an idle connection and logs it', async () => {
    const warn = vi.fn();
    const { db, pool, close } = connect({ url: database.url, log: { ...log, warn }, poolSize: 1 });
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db);
    await sql`select pg_terminate_backend(${rows[0]?.pid})`.execute(database.db);
    await expect.poll(() => pool.totalCount).toBe(0);
    expect(warn).toHaveBeenCalled();
    expect((await sql`select 1 as again`.execute(db)).rows).toEqual([{ again: 1 }]);
    await close();
  });

  it('recognises a server that is unreachable, disconnects, or has no free connections', async () => {
    const hangUp = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
    await once(hangUp, 'listening');
    const { port } = hangUp.address() as AddressInfo;
    const ask = async (url: string) => {
      const { db, close } = connect({ url, log });
      const error = await failure(sql`select 1`.execute(db));
      await close();
      return error;
    };
    const local = `postgresql://castellan@127.0.0.1:${port}/castellan`;
    expect(isUnreachable(await ask(local))).toBe(true);
    hangUp.close();
    await once(hangUp, 'close');
    expect(isUnreachable(await ask(local))).toBe(true);
    expect(isUnreachable(await ask('postgresql://castellan@localhost/castellan?host=/nowhere'))).toBe(true);
    expect(isUnreachable(new pg.DatabaseError('sorry, too many clients already', 0, 'error'))).toBe(false);
  });

  it('recognises a server that does not respond, and closes that connection', async () => {
    const proxy = await startProxy(database.url);
    const { db, pool, close } = connect({ url: proxy.url, log, poolSize: 1, answerWithin: 1_000 });
    const ask = () => sql`select 1 as again`.execute(db);
    const inTransaction = () => db.transaction().execute((tx) => sql`select 1`.execute(tx));
    for (const work of [ask, inTransaction]) {
      await ask();
      proxy.mute();
      expect(isUnreachable(await failure(work()))).toBe(true);
      await expect.poll(() => pool.totalCount).toBe(0);
      await proxy.mend();
      expect((await ask()).rows).toEqual([{ again: 1 }]);
    }
    await close();
    await proxy.cut();
  });

  it('recognises a pool without a free connection', async () => {
    const { pool, close } = connect({ url: database.url, log, poolSize: 1 });
    const held = await pool.connect();
    expect(isUnreachable(await failure(pool.query('select 1')))).toBe(true);
    held.release();
    await close();
    expect(isUnreachable(await failure(pool.query('select 1')))).toBe(true);
  });

  it.skipIf(isClockFaked)('does not include the failure of a statement', async () => {
    const { db, close } = connect({ url: `${database.url}&statement_timeout=50`, log });
    expect(isUnreachable(await failure(sql`select pg_sleep(5)`.execute(db)))).toBe(false);
    expect(isUnreachable(await failure(sql`selec`.execute(db)))).toBe(false);
    expect(isUnreachable(new Error('anything'))).toBe(false);
    expect(isUnreachable(Object.assign(new Error('no'), { code: 'ERR_INVALID_ARG_TYPE' }))).toBe(false);
    expect(isUnreachable(undefined)).toBe(false);
    await close();
  });
});
