import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import pg from 'pg';
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
    'postgres://castellan@%2Frun%2Fpostgresql/castellan',
    'postgres://castellan:p@ss@db/castellan?application_name=a@b&sslmode=verify-full',
    'postgres://castellan@[::1]:5432/castellan?options=-c%20search_path=castellan',
  ])('%s', (url) => expect(addressProblem(url)).toBeUndefined());

  it.each([
    ['mysql://db/castellan', 'must begin with postgres://'],
    [
      'postgres://a,b/castellan?target_session_attrs=fastest',
      'target_session_attrs must be one of any, primary, standby, read-write, read-only',
    ],
    ['postgres://a/castellan?prepared_statements=maybe', 'prepared_statements must be on or off'],
    [
      'postgres://a/castellan?sslmode=reqiure',
      'sslmode must be one of disable, prefer, require, verify-ca, verify-full, no-verify',
    ],
    [
      'postgres://a/castellan?sslrootcert=/nowhere/root.crt',
      "names a file that cannot be read: ENOENT: no such file or directory, open '/nowhere/root.crt'",
    ],
  ])('not %s', (url, problem) => expect(addressProblem(url)).toBe(problem));

  it.each([
    'postgres://castellan:can/ary@db/castellan',
    'postgres://castellan:12/canary@db/castellan',
    'postgres://castellan:can?ary@db/castellan',
    'postgres://castellan:12?canary@db/castellan',
    'postgres://castellan:can#ary@db/castellan',
    'postgres://castellan:%E0canary@db/castellan',
    // What is left of a password with a # by a file of settings.
    'postgres://castellan:can',
    'postgres://castellan:canary@db:54x2,db2/castellan',
    'postgres://castellan:canary@db,db2:70000/castellan',
  ])('not %s: says what has to be encoded, and quotes nothing', (url) => {
    const problem = addressProblem(url);
    expect(problem).toMatch(/^is no URL: user and password have to be percent-encoded \(\/ is %2F, /);
    expect(problem).not.toContain('canary');
  });

  it('removes from a client’s URL the parameters that only castellan understands', () => {
    const address = new Address(
      'postgres://a:b@h1,h2:1/c?target_session_attrs=any&sslmode=require&prepared_statements=off',
    );
    expect(address.config()).toEqual({ connectionString: 'postgres://a:b@h1/c?sslmode=require' });
    expect(address.prepares).toBe(false);
  });

  it('has certificates read again for every connection; the last ones count while they cannot be read', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'castellan-test-'));
    const ca = join(folder, 'ca.crt');
    await writeFile(ca, 'first');
    const address = new Address(
      `postgres://a:b@h1/c?sslnegotiation=direct&sslmode=verify-full&sslrootcert=${ca}&application_name=x`,
    );
    const withCa = (text: string) => ({
      connectionString: 'postgres://a:b@h1/c?application_name=x',
      ssl: { ca: text },
      sslnegotiation: 'direct',
    });
    expect(address.config()).toEqual(withCa('first'));
    await writeFile(ca, 'renewed');
    expect(address.config()).toEqual(withCa('renewed'));
    await rm(folder, { recursive: true });
    expect(new pg.Client(address.config())).toMatchObject({
      ssl: { ca: 'renewed' },
      sslNegotiation: 'direct',
    });
    expect(() => new Address(`postgres://a:b@h1/c?sslrootcert=${ca}`).config()).toThrow('ENOENT');
  });
});

describe('which server DATABASE_URL names, where its kind is asked for', () => {
  const nobody = 'target_session_attrs=read-write&connect_timeout=1';
  it.each([
    [`postgres:///castellan?host=/nowhere&${nobody}`, /^.*\(\/nowhere:5432: connect ENOENT \/nowhere\/.*\)$/],
    [
      `postgres:///castellan?host=/nowhere,127.0.0.1&port=1,9&${nobody}`,
      /\(\/nowhere:1: connect ENOENT .*; 127\.0\.0\.1:9: connect ECONNREFUSED /,
    ],
    [
      `postgres://c:p@ss@127.0.0.1:9,127.0.0.1:1/castellan?${nobody}`,
      /\(127\.0\.0\.1:9: .*; 127\.0\.0\.1:1: /,
    ],
  ])('%s', async (url, message) => {
    const error: unknown = await new Address(url).locate()?.catch((thrown: unknown) => thrown);
    expect((error as Error).message).toMatch(message);
    expect(isUnreachable(error)).toBe(true);
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
      const each = proxies.map((proxy) => `${new URL(proxy.url).host}: is not ${wanted}`).join('; ');
      expect((error as Error).message).toContain(`none of the servers is there and fits (${each})`);
      await close();
    },
  );

  it('of servers that refuse the role or the database, it is said why', async () => {
    const { db, close } = connect({ url: both('read-write').replace(/\/castellan_\w+\?/, '/nowhere?'), log });
    await expect(sql`select 1`.execute(db)).rejects.toThrow(
      /\(127\.0\.0\.1:\d+: database "nowhere" does not exist; 127\.0\.0\.1:\d+: database "nowhere"/,
    );
    await close();
  });

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
