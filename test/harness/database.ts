import { randomBytes } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import pg from 'pg';
import pino from 'pino';
import { inject } from 'vitest';
import { type Connection, type ConnectionConfig, connect } from '../../server/database/connection.ts';
import type { Database } from '../../server/database/tables.ts';
import { databaseUrl } from './postgres.ts';

export interface TestDatabase extends Connection {
  /** The URL, for code that opens its own connections. */
  readonly url: string;
  /** The URL of PostgreSQL itself, even if the run tests a pooler. */
  readonly serverUrl: string;
  /** Closes {@link Connection.pool} and drops the database, ending all other connections. */
  drop(): Promise<void>;
}

/**
 * Deletes all rows of these tables; name referencing tables first. For few rows that is a hundred times faster than
 * `truncate`, which creates new files for every table and index.
 */
export async function empty(db: Kysely<Database>, ...tables: readonly string[]): Promise<void> {
  for (const table of tables) await sql`delete from ${sql.table(table)}`.execute(db);
}

/** Creates a database for a test file as a copy of the run's migrated template. */
export async function createTestDatabase(options: Partial<ConnectionConfig> = {}): Promise<TestDatabase> {
  const templateUrl = inject('templateUrl');
  const template = new URL(templateUrl).pathname.slice(1);
  const name = `castellan_test_${randomBytes(8).toString('hex')}`;
  // Copies files, where the usual strategy writes every page to the log of changes as well.
  await administer(`create database ${name} template ${template} strategy file_copy`);
  // Through a pooler, if the run tests one.
  const url = databaseUrl(process.env.TEST_POOLER_URL ?? templateUrl, name);
  const connection = connect({ poolSize: 10, log: pino({ level: 'silent' }), ...options, url });
  // The first connection learns that a pooler refuses settings; a service opens one for that alone.
  if (process.env.TEST_POOLER_URL !== undefined) await connection.pool.query('select').catch(() => undefined);
  return {
    ...connection,
    url,
    serverUrl: databaseUrl(templateUrl, name),
    drop: async () => {
      await connection.close();
      await administer(`drop database if exists ${name} with (force)`);
    },
  };
}

/** One connection of this process for `create database` and the like; opening one for each takes a third of the time. */
let administration: pg.Pool | undefined;

async function administer(statement: string): Promise<void> {
  administration ??= connectAdministration();
  await administration.query(statement);
}

function connectAdministration(): pg.Pool {
  const connectionString = databaseUrl(inject('templateUrl'), 'postgres');
  const pool = new pg.Pool({ connectionString, max: 1, idleTimeoutMillis: 0, allowExitOnIdle: true });
  // At the end of the run PostgreSQL may stop before this process does.
  pool.on('error', () => undefined);
  return pool;
}
