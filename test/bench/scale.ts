/** What the figures of a small and of a large database have in common: how those are made and asked. */
import pg from 'pg';
import pino from 'pino';
import { type Connection, connect } from '../../server/database/connection.ts';
import { migrate } from '../../server/database/migrate.ts';
import { databaseUrl } from '../harness/postgres.ts';
import { median } from './report.ts';

const REQUESTS = 400;
const WARM_UP = 50;

/** A migrated, empty database on the server. */
export async function createDatabase(serverUrl: string, name: string): Promise<Connection> {
  const server = new pg.Client({ connectionString: serverUrl });
  await server.connect();
  await server.query(`create database ${name}`);
  await server.end();
  const log = pino({ level: 'silent' });
  const connection = connect({ url: databaseUrl(serverUrl, name), log, poolSize: 1 });
  await migrate(connection.db, log);
  return connection;
}

/** Asks both in alternation; returns a line with the median milliseconds of each and their ratio. */
export async function compare<Filled>(
  name: string,
  few: Filled,
  many: Filled,
  ask: (of: Filled, n: number) => Promise<void>,
): Promise<string> {
  const times = new Map<Filled, number[]>([
    [few, []],
    [many, []],
  ]);
  for (let n = 0; n < WARM_UP + REQUESTS; n += 1) {
    for (const [of, taken] of times) {
      const started = performance.now();
      await ask(of, n);
      if (n >= WARM_UP) taken.push(performance.now() - started);
    }
  }
  const [small = 0, large = 0] = [...times.values()].map(median);
  return `${name.padEnd(30)} ${small.toFixed(2)}  ${large.toFixed(2)}  ${(large / small).toFixed(2)}`;
}
