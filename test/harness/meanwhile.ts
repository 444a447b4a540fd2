import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { TestApp } from './app.ts';

/**
 * Starts `work` while another connection has done `statement` and not committed it, waits until the work waits for
 * that, does what is to happen while it waits, commits, and returns what the work comes to: a race with a known winner.
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
    await untilWaiting(other, 1);
    await whileItWaits(other);
    await other.query('commit');
    return await result;
  } finally {
    await other.end();
  }
}

/** Waits until as many statements wait for a lock in the client's database. */
export async function untilWaiting(client: pg.Client, count: number): Promise<void> {
  const waiting = `select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  while ((await client.query(waiting)).rows.length < count) await pause(5);
}
