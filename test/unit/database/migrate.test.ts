import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import pino from 'pino';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { migrations } from '../../../migrations/index.ts';
import { type Connection, connect } from '../../../server/database/connection.ts';
import { functions } from '../../../server/database/functions/index.ts';
import { migrate, pendingMigrations } from '../../../server/database/migrate.ts';
import { nameKey } from '../../../server/database/name-key.ts';
import { createTestDatabase } from '../../harness/database.ts';
import { databaseUrl, onServer } from '../../harness/postgres.ts';

const log = pino({ level: 'silent' });
const server = inject('templateUrl');
let name: string;
let replicas: Connection[];
beforeEach(async () => {
  name = `castellan_empty_${randomBytes(8).toString('hex')}`;
  await onServer(server, `create database ${name}`);
  replicas = Array.from({ length: 4 }, () => connect({ url: databaseUrl(server, name), log }));
});
afterEach(async () => {
  await Promise.all(replicas.map(({ close }) => close()));
  await onServer(server, `drop database ${name} with (force)`);
});

describe('migrate', () => {
  it('may run in several processes concurrently', async () => {
    const [{ db }] = replicas as [Connection];
    expect(await pendingMigrations(db)).toEqual(Object.keys(migrations));
    await Promise.all(replicas.map((replica) => migrate(replica.db, log)));
    expect(await pendingMigrations(db)).toEqual([]);
    const { rows } = await sql`select name from kysely_migration`.execute(db);
    expect(rows).toHaveLength(Object.keys(migrations).length);
    const { rows: settings } = await sql`show statement_timeout`.execute(db);
    expect(settings).toEqual([{ statement_timeout: '30s' }]);
  });

  it('asks for its own two tables alone where none is pending, and still refuses those that it does not know', async () => {
    const statements: string[] = [];
    const migrated = await createTestDatabase({ onStatement: (text) => statements.push(text) });
    try {
      await migrate(migrated.db, log);
      expect(statements.filter((text) => /kysely_migration|pg_catalog|pg_class/.test(text))).toHaveLength(1);
      await sql`insert into kysely_migration values ('9999_of_a_later_release', 'now')`.execute(migrated.db);
      await expect(migrate(migrated.db, log)).rejects.toThrow(/9999_of_a_later_release is missing/);
    } finally {
      await migrated.drop();
    }
  });

  it('names the migration that failed, and leaves nothing of the run behind', async () => {
    const [{ db }] = replicas as [Connection];
    await expect(
      migrate(db, log, {
        functions,
        migrations: {
          '0001_fine': { up: async (on) => void (await sql`create table fine (n int)`.execute(on)) },
          '0002_broken': { up: async (on) => void (await sql`create tabel`.execute(on)) },
        },
      }),
    ).rejects.toThrow(/^Migration 0002_broken failed: syntax error at or near "tabel"/);
    const { rows } = await sql`select from pg_tables where tablename = 'fine'`.execute(db);
    expect(rows).toEqual([]);
  });

  it('0011 tells names with a dotless i from those with a dotted one', async () => {
    const [{ db }] = replicas as [Connection];
    const upTo = (last: string) => ({
      migrations: Object.fromEntries(Object.entries(migrations).filter(([name]) => name <= last)),
      functions: { revision: 0, definitions: {} },
    });
    await migrate(db, log, upTo('0011'));
    await sql`insert into groups (group_id, group_name, name_key)
      values (${'a'.repeat(24)}, 'Kızıl SS', 'kizil ss'), (${'b'.repeat(24)}, 'Iris', 'iris')`.execute(db);
    await migrate(db, log, upTo('0012'));
    const { rows } = await sql`select name_key from groups order by group_id`.execute(db);
    expect(rows).toEqual([{ name_key: nameKey('KıZıL ß') }, { name_key: 'iris' }]);
  });
});
