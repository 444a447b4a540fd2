import type { Kysely } from 'kysely';
import pg from 'pg';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { readSettings, requireComplete } from '../../../server/config/settings.ts';
import { openDatabase } from '../../../server/database/open.ts';
import type { Database } from '../../../server/database/tables.ts';
import { loadSigningKeys } from '../../../server/keys/signing-keys.ts';
import { findService } from '../../../server/process/running-service.queries.ts';
import { announce } from '../../../server/process/running-service.ts';
import { systemClock } from '../../../server/shared/clock.ts';
import { untilBehind } from '../../harness/meanwhile.ts';
import { onDatabase, productionEnv } from '../../harness/production.ts';

const [FIRST, LAST] = ['https://first.example', 'https://last.example'];
/** Milliseconds in which each process looks several times. */
const A_MINUTE = 60_000;

const log = pino({ level: 'silent' });

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());

/** Runs `work` with a way to start processes of a service, which returns how to stop them. */
async function withProcesses(
  work: (
    start: (baseUrl: string) => Promise<() => Promise<void>>,
    db: Kysely<Database>,
    url: string,
  ) => Promise<void>,
): Promise<void> {
  const env = await productionEnv();
  await onDatabase('migrated', async (url) => {
    const { db, close } = await openDatabase(url, log);
    const start = async (baseUrl: string) => {
      const settings = requireComplete(readSettings({ ...env, DATABASE_URL: url, BASE_URL: baseUrl }));
      const keys = await loadSigningKeys(settings.tokenSigningKeys, baseUrl, systemClock);
      return announce({ db, clock: systemClock, keys, settings, log });
    };
    try {
      await work(start, db, url);
    } finally {
      await close();
    }
  });
}

/** How many statements are under way on the other connections to this client's database. */
async function statementsBeside(client: pg.Client): Promise<number> {
  await client.query('select pg_stat_clear_snapshot()');
  const { rows } = await client.query(
    `select from pg_stat_activity where datname = current_database() and state = 'active' and pid <> pg_backend_pid()
      and backend_type = 'client backend'`,
  );
  return rows.length;
}

it('D24: while any process runs, commands know of one: of the last one to start, or else of one that runs on', async () => {
  await withProcesses(async (start, db) => {
    const announced = async () => (await findService(db))?.base_url;
    const stopFirst = await start(FIRST);
    const stopLast = await start(LAST);
    vi.advanceTimersByTime(A_MINUTE);
    expect(await announced()).toBe(LAST);
    await stopLast();
    await expect
      .poll(() => {
        vi.advanceTimersByTime(A_MINUTE);
        return announced();
      })
      .toBe(FIRST);
    await stopFirst();
    expect(vi.getTimerCount()).toBe(0);
    await expect.poll(announced).toBeUndefined();
  });
});

it('D24: a process that stops while it looks whether one is announced announces nothing', async () => {
  await withProcesses(async (start, db, url) => {
    const stopFirst = await start(FIRST);
    await (await start(LAST))();
    const other = new pg.Client({ connectionString: url });
    await other.connect();
    try {
      await other.query('begin');
      await other.query(
        `insert into service (process, base_url, key_ids, started_on) values (gen_random_uuid(), $1, '{}', now())`,
        [LAST],
      );
      vi.advanceTimersByTime(A_MINUTE);
      await untilBehind(other, 1);
      const stopped = stopFirst();
      // A withdrawal before the announcement would have come to its end by now.
      expect(await findService(db)).toBeUndefined();
      await expect.poll(() => statementsBeside(other)).toBe(1);
      await other.query('rollback');
      // It does not wait long for the database.
      await stopped;
      await expect.poll(() => statementsBeside(other)).toBe(0);
      await expect.poll(() => findService(db)).toBeUndefined();
    } finally {
      await other.end();
    }
  });
});
