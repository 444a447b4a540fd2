import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { TestApp } from './app.ts';

/**
 * A race with a known winner. Another connection executes `statement` without committing; then `work` is started, and
 * when it waits for a lock of that connection, the statement is committed. Returns the result of the work.
 */
export async function meanwhile<T>(
  app: Pick<TestApp, 'databaseUrl'>,
  statement: string,
  values: readonly unknown[],
  work: () => Promise<T>,
  whileItWaits: (other: pg.Client) => Promise<unknown> = async () => undefined,
): Promise<T> {
  const other = new pg.Client({ connectionString: app.databaseUrl });
  await other.connect();
  try {
    await other.query('begin');
    await other.query(statement, [...values]);
    const result = work();
    await untilBehind(other, 1);
    await whileItWaits(other);
    await other.query('commit');
    return await result;
  } finally {
    await other.end();
  }
}

/** Those who wait for the client's locks, or for somebody who does. */
const BEHIND = `
  with recursive behind (pid) as (
    select pg_backend_pid()
    union select a.pid from pg_stat_activity a join behind b on b.pid = any(pg_blocking_pids(a.pid))
      where a.datname = current_database() and a.wait_event_type = 'Lock'
  ) select from behind where pid <> pg_backend_pid()`;

/**
 * Waits until this many statements wait for locks of this very client: others may wait for each other for a moment.
 *
 * @param works it is enough, too, that one of these has ended
 */
export async function untilBehind(
  client: pg.Client,
  count: number,
  ...works: readonly Promise<unknown>[]
): Promise<void> {
  let ended = false;
  const end = () => {
    ended = true;
  };
  for (const work of works) work.then(end, end);
  while (!ended && (await look(client, BEHIND)) < count) await pause(5);
}

/** Waits until this many statements wait for a lock in the client's database. */
export async function untilWaiting(client: pg.Client, count: number): Promise<void> {
  while ((await countWaiting(client)) < count) await pause(5);
}

/** How many statements wait for a lock in the client's database. */
export function countWaiting(client: pg.Client): Promise<number> {
  return look(
    client,
    `select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`,
  );
}

/** The number of rows. A transaction would go on seeing the connections that there were at its first look. */
async function look(client: pg.Client, statement: string): Promise<number> {
  await client.query('select pg_stat_clear_snapshot()');
  return (await client.query(statement)).rows.length;
}
