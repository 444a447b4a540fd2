import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { RoutedClient } from '../../../server/database/client.ts';
import { connect } from '../../../server/database/connection.ts';
import { isUnreachable } from '../../../server/database/errors.ts';
import { Watch } from '../../../server/database/watch.ts';
import { createTestDatabase } from '../../harness/database.ts';
import { startPooler } from '../../harness/pooler.ts';
import { type DatabaseProxy, startProxy } from '../../harness/proxy.ts';

const log = pino({ level: 'silent' });

describe('D8: an unresponsive database', () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let proxy: DatabaseProxy;
  beforeAll(async () => {
    database = await createTestDatabase();
    proxy = await startProxy(database.url);
  });
  afterAll(async () => {
    await proxy.cut();
    await database.drop();
  });

  const refused = async (asked: Promise<unknown>) =>
    expect(
      isUnreachable(
        await asked.then(
          () => 'answered',
          (error: unknown) => error,
        ),
      ),
    ).toBe(true);

  it('waiting statements fail within seconds, new ones at once, until the database responds again', async () => {
    const { db, close } = connect({ url: proxy.url, log, poolSize: 4, watched: true });
    const ask = () => sql<{ one: number }>`select 1 as one`.execute(db);
    await Promise.all(Array.from({ length: 4 }, ask));
    proxy.mute();
    // Far more than connections, so that some wait for one. Without the watch they would wait 35 s.
    await Promise.all(Array.from({ length: 20 }, () => refused(ask())));
    await refused(ask());
    await refused(db.transaction().execute((tx) => sql`select 1`.execute(tx)));
    await proxy.mend();
    await expect
      .poll(() =>
        ask().then(
          ({ rows }) => rows,
          () => [],
        ),
      )
      .toEqual([{ one: 1 }]);
    await close();
  });

  it('a transaction that could not be ended meanwhile is undone, and not the next user’s', async () => {
    await database.pool.query('create table noted (n int)');
    const { db, close } = connect({ url: proxy.url, log, poolSize: 2, watched: true });
    const note = (n: number, by = db) => sql`insert into noted values (${n})`.execute(by);
    const begun = db.transaction().execute(async (tx) => {
      await note(1, tx);
      proxy.freeze();
      // This transaction sends nothing while the silence is noticed.
      await refused(note(2));
      await note(3, tx);
    });
    await refused(begun);
    await proxy.mend();
    const again = () => db.transaction().execute((tx) => note(4, tx));
    await expect
      .poll(() =>
        again().then(
          () => 'noted',
          () => 'refused',
        ),
      )
      .toBe('noted');
    const { rows } = await database.pool.query('select n from noted');
    expect(rows).toEqual([{ n: 4 }]);
    await close();
  });

  it('the probe is kept alive, as a network could forget it and seem to be the database', async () => {
    const alive = vi.spyOn(Socket.prototype, 'setKeepAlive');
    const { db, close } = connect({ url: proxy.url, log, poolSize: 1, watched: true });
    await sql`select pg_sleep(1)`.execute(db);
    await expect
      .poll(() => alive.mock.calls)
      .toEqual([
        [true, 30_000],
        [true, 30_000],
      ]);
    alive.mockRestore();
    await close();
  });

  it('the probe follows the service to another server', async () => {
    let opened = 0;
    const open = () => {
      opened += 1;
      return Object.assign(new RoutedClient({ connectionString: database.url }), { misplaced: true });
    };
    const times = { patience: 0, silence: 60_000, longest: 60_000, pause: 1 };
    const watch = new Watch({ log, server: 'database', open, times });
    const end = watch.begin(() => undefined);
    await expect.poll(() => opened).toBeGreaterThan(1);
    end();
    watch.close();
  });

  it('a server that is slow to open connections is not unresponsive for ever', async () => {
    const open = () => {
      const client = new RoutedClient({ connectionString: database.url });
      const { connect } = client as { connect(): Promise<unknown> };
      return Object.assign(client, { connect: () => sleep(200).then(() => connect.call(client)) });
    };
    const watch = new Watch({
      ...{ log, server: 'database', open },
      times: { patience: 0, silence: 10, longest: 60_000, pause: 1 },
    });
    const end = watch.begin(() => undefined);
    await expect.poll(() => watch.silent, { interval: 1 }).toBe(true);
    await expect.poll(() => watch.silent, { timeout: 30_000 }).toBe(false);
    end();
    watch.close();
  });

  it('a known pooler may be silent, because all its connections may be in use', async () => {
    const url = `${proxy.url}?prepared_statements=off`;
    const { db, close } = connect({ url, log, watched: true, answerWithin: 4_000 });
    const ask = () => sql<{ one: number }>`select 1 as one`.execute(db);
    await ask();
    proxy.mute();
    // The statement is not given up, as it would be with the watch.
    await expect(ask()).rejects.toThrow('Query read timeout');
    await proxy.mend();
    await close();
  });

  it('nor is a pooler watched that is recognised only later, as it refuses settings', async () => {
    const pooler = await startPooler(proxy.url);
    const url = pooler.url.replace('?prepared_statements=off', '');
    const { db, close } = connect({ url, log, watched: true, answerWithin: 4_000 });
    const ask = () => sql<{ one: number }>`select 1 as one`.execute(db);
    await expect(ask()).rejects.toThrow('unsupported startup parameter');
    await ask();
    proxy.mute();
    await expect(ask()).rejects.toThrow('Query read timeout');
    await proxy.mend();
    await close();
    pooler.stop();
  });

  it('a slow statement does not count as unresponsive', async () => {
    const { db, close } = connect({ url: proxy.url, log, watched: true });
    const { rows } = await sql<{ done: boolean }>`select pg_sleep(2.5) is not null as done`.execute(db);
    expect(rows).toEqual([{ done: true }]);
    await close();
  });
});
