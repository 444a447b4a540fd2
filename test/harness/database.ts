import { randomBytes } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import pino from 'pino';
import { inject } from 'vitest';
import { type Connection, type ConnectionConfig, connect } from '../../server/database/connection.ts';
import type { Database } from '../../server/database/tables.ts';
import { databaseUrl, onServer } from './postgres.ts';

export interface TestDatabase extends Connection {
  /** For parts that open connections of their own. */
  readonly url: string;
  /** Closes {@link Connection.pool} and removes the database, cutting whoever is still connected. */
  drop(): Promise<void>;
}

/**
 * Leaves no row in these tables, those that refer to others first. Of some rows that costs a hundredth of `truncate`, which
 * makes the files of every table and index anew.
 */
export async function empty(db: Kysely<Database>, ...tables: readonly string[]): Promise<void> {
  for (const table of tables) await sql`delete from ${sql.table(table)}`.execute(db);
}

/** A database of its own for a test file, a copy of the run's migrated template. */
export async function createTestDatabase(options: Partial<ConnectionConfig> = {}): Promise<TestDatabase> {
  const templateUrl = inject('templateUrl');
  const template = new URL(templateUrl).pathname.slice(1);
  const name = `castellan_test_${randomBytes(8).toString('hex')}`;
  // Copies files, where the usual strategy writes every page to the log of changes as well.
  await onServer(templateUrl, `create database ${name} template ${template} strategy file_copy`);
  // By way of a pooler, when the run is about one.
  const url = databaseUrl(process.env.TEST_POOLER_URL ?? templateUrl, name);
  const connection = connect({ poolSize: 10, log: pino({ level: 'silent' }), ...options, url });
  return {
    ...connection,
    url,
    drop: async () => {
      await connection.close();
      await onServer(templateUrl, `drop database if exists ${name} with (force)`);
    },
  };
}
