import { sql } from 'kysely';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Address, addressProblem } from '../../../server/database/address.ts';
import { connect } from '../../../server/database/connection.ts';
import { isUnreachable } from '../../../server/database/errors.ts';
import { createTestDatabase } from '../../harness/database.ts';
import { type DatabaseProxy, startProxy } from '../../harness/proxy.ts';

const log = pino({ level: 'silent' });

describe('DATABASE_URL', () => {
  it.each([
    'postgres://castellan@db/castellan',
    'postgresql://castellan:p%40ss@10.0.0.1:5432,[2001:db8::1]:5433,db3/castellan?target_session_attrs=read-write',
    'postgres:///castellan?host=/run/postgresql&prepared_statements=off',
  ])('%s', (url) => expect(addressProblem(url)).toBeUndefined());

  it.each([
    ['mysql://db/castellan', 'must begin with postgres://'],
    [
      'postgres://a,b/castellan?target_session_attrs=fastest',
      'target_session_attrs must be one of any, primary, standby, read-write, read-only',
    ],
    ['postgres://a/castellan?prepared_statements=maybe', 'prepared_statements must be on or off'],
  ])('not %s', (url, problem) => expect(addressProblem(url)).toBe(problem));

  it('removes from a client’s URL the parameters that only castellan understands', () => {
    const address = new Address(
      'postgres://a:b@h1,h2:1/c?target_session_attrs=any&sslmode=require&prepared_statements=off',
    );
    expect(address).toMatchObject({
      connectionString: 'postgres://a:b@h1/c?sslmode=require',
      prepares: false,
    });
  });
});

describe('several servers in DATABASE_URL', () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let proxies: DatabaseProxy[];
  beforeAll(async () => {
    database = await createTestDatabase();
    proxies = [await startProxy(database.url), await startProxy(database.url)];
  });
  afterAll(async () => {
    for (const proxy of proxies) await proxy.cut();
    await database.drop();
  });
  /** A URL with both servers and these target_session_attrs. */
  const both = (wanted: string) => {
    const [first, second] = proxies.map(({ url }) => new URL(url));
    return `postgres://${first?.username}@${first?.host},${second?.host}${first?.pathname}?target_session_attrs=${wanted}`;
  };

  it('when one fails the next one is used, and later the first one again', async () => {
    const { db, close } = connect({ url: both('read-write'), log });
    const ask = () => sql<{ one: number }>`select 1 as one`.execute(db);
    for (const [gone, left] of [proxies, [...proxies].reverse()]) {
      await gone?.cut();
      // The pool has one open connection, which is found broken once.
      await ask().catch((error: unknown) => expect(isUnreachable(error)).toBe(true));
      expect((await ask()).rows).toEqual([{ one: 1 }]);
      expect(left?.sent).toBeGreaterThan(0);
      await gone?.mend();
    }
    await close();
  });

  it.each(['standby', 'read-only'])(
    'none is used that is not %s, and that counts as unreachable',
    async (wanted) => {
      const { db, close } = connect({ url: both(wanted), log });
      const error = await sql`select 1`.execute(db).catch((thrown: unknown) => thrown);
      expect(isUnreachable(error)).toBe(true);
      await close();
    },
  );

  it.each([
    ['read-write', 'off', 'on'],
    ['read-only', 'on', 'off'],
  ])(
    'a connection is closed after the use in which its server ceased to be %s',
    async (wanted, before, after) => {
      const url = new URL(both(wanted).replace(/,[^/]*/, ''));
      url.searchParams.set('options', `-c default_transaction_read_only=${before}`);
      const { db, close } = connect({ url: url.href, log, poolSize: 1 });
      const pidOf = async (on: typeof db) =>
        (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(on)).rows[0]?.pid;
      const pid = await pidOf(db);
      expect(await pidOf(db)).toBe(pid);
      await db.connection().execute(async (one) => {
        await sql`set default_transaction_read_only = ${sql.lit(after)}`.execute(one);
        expect(await pidOf(one)).toBe(pid);
      });
      expect(await pidOf(db)).not.toBe(pid);
      await close();
    },
  );

  it('one that has become a replica is no longer used', async () => {
    const { db, close } = connect({ url: both('primary'), log, poolSize: 1 });
    await sql`set default_transaction_read_only = on`.execute(db);
    const error = await sql`create table t ()`.execute(db).catch((thrown: unknown) => thrown);
    expect(isUnreachable(error)).toBe(true);
    await close();
  });
});
