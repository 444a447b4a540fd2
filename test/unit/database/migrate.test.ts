import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import pino from 'pino';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { migrations } from '../../../migrations/index.ts';
import { type Connection, connect } from '../../../server/database/connection.ts';
import { functions } from '../../../server/database/functions/index.ts';
import { migrate, pendingMigrations } from '../../../server/database/migrate.ts';
import { nameKey } from '../../../server/database/name-key.ts';
import { ensureEventPartitions } from '../../../server/event/partitions.ts';
import { explainStart } from '../../../server/process/lifecycle.ts';
import { CannotStart } from '../../../server/shared/cannot-start.ts';
import { createTestDatabase } from '../../harness/database.ts';
import { isClockFaked } from '../../harness/faked-clock.ts';
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
      const refused: unknown = await migrate(migrated.db, log).catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(CannotStart);
      expect(explainStart(refused)).toBe(
        'The database is of a later release of castellan: it has the migration 9999_of_a_later_release, which this ' +
          'release does not know. Start that release, or restore a backup from before it (docs/deploying.md).\n',
      );
    } finally {
      await migrated.drop();
    }
  });

  it('holds no lock and changes no setting longer than a transaction, as poolers want', async () => {
    const statements: string[] = [];
    const empty = connect({
      url: databaseUrl(server, name),
      log,
      poolSize: 1,
      onStatement: (text) => statements.push(text.trim()),
    });
    await migrate(empty.db, log);
    await empty.close();
    expect(statements.length).toBeGreaterThan(20);
    expect(statements.filter((text) => /pg_advisory_(un)?lock\(|^(re)?set\s+(?!local)/i.test(text))).toEqual(
      [],
    );
  });

  it('waits for a process of a former release that migrates, and says so', async () => {
    const [{ db }, former] = replicas as [Connection, Connection];
    const warned: unknown[] = [];
    const listening = { ...log, warn: (...told: unknown[]) => void warned.push(told[0]) } as typeof log;
    // As Kysely's migrator holds it.
    const client = await former.pool.connect();
    await client.query('select pg_advisory_lock(3853314791062309107)');
    const migrating = migrate(db, listening);
    await expect.poll(() => warned).toEqual(['another process migrates the database; waiting for it']);
    expect(await pendingMigrations(db)).toEqual(Object.keys(migrations));
    await client.query('select pg_advisory_unlock(3853314791062309107)');
    client.release();
    await migrating;
    expect(await pendingMigrations(db)).toEqual([]);
  });

  it('does nothing when its turn comes after it was told to stop', async () => {
    const [{ db }, other] = replicas as [Connection, Connection];
    const client = await other.pool.connect();
    await client.query('select pg_advisory_lock(3853314791062309107)');
    const stopping = new AbortController();
    const migrating = migrate(db, log, { stopping: stopping.signal });
    stopping.abort();
    await client.query('select pg_advisory_unlock(3853314791062309107)');
    client.release();
    await expect(migrating).rejects.toBe(stopping.signal.reason);
    expect(await pendingMigrations(db)).toEqual(Object.keys(migrations));
  });

  it('goes on where earlier migrations were made by a clock that was ahead', async () => {
    const [{ db }] = replicas as [Connection];
    const names = Object.keys(migrations);
    const upTo = (count: number) => ({
      migrations: Object.fromEntries(Object.entries(migrations).slice(0, count)),
      functions: { revision: 0, definitions: {} },
    });
    await migrate(db, log, upTo(3));
    await sql`update kysely_migration set timestamp = '2099-01-01T00:00:00.000Z'`.execute(db);
    await migrate(db, log, upTo(4));
    await migrate(db, log);
    expect(await pendingMigrations(db)).toEqual([]);
    expect(names.length).toBeGreaterThan(4);
  });

  it('begins again when a deadlock with other processes undid it', async () => {
    const [{ db }] = replicas as [Connection];
    let tries = 0;
    const up = async (on: typeof db) => {
      await sql`create table fine (n int)`.execute(on);
      tries += 1;
      if (tries < 3) throw Object.assign(new Error('deadlock detected'), { code: '40P01' });
    };
    await migrate(db, log, {
      functions: { revision: 0, definitions: {} },
      migrations: { '0001_fine': { up } },
    });
    expect(tries).toBe(3);
    const { rows } = await sql`select from fine`.execute(db);
    expect(rows).toEqual([]);
  });

  it.skipIf(isClockFaked)(
    'waits for a table that a dump reads without keeping others from it, and says so',
    async () => {
      const [{ db }, dumping, reading] = replicas as [Connection, Connection, Connection];
      const none = { revision: 0, definitions: {} };
      const first = { up: async (on: typeof db) => void (await sql`create table fine (n int)`.execute(on)) };
      const next = { up: async (on: typeof db) => void (await sql`alter table fine add m int`.execute(on)) };
      await migrate(db, log, { functions: none, migrations: { '0001_fine': first } });
      const dump = await dumping.pool.connect();
      await dump.query('begin');
      await dump.query('lock table fine in access share mode');
      const warned: unknown[] = [];
      const listening = { ...log, warn: (...told: unknown[]) => void warned.push(told) } as typeof log;
      const migrating = migrate(db, listening, {
        functions: none,
        migrations: { '0001_fine': first, '0002_next': next },
      });
      await expect.poll(() => warned, { timeout: 60_000 }).toHaveLength(1);
      expect(warned).toEqual([
        [
          { err: expect.objectContaining({ message: expect.stringContaining('0002_next') }) },
          expect.stringContaining('waits for a table that is in use'),
        ],
      ]);
      expect((await reading.pool.query('select n from fine')).rows).toEqual([]);
      await dump.query('rollback');
      dump.release();
      await migrating;
      expect((await reading.pool.query('select n, m from fine')).rows).toEqual([]);
    },
  );

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

  it('0036 numbers applications, keeps what was asked, and mends policies that name what is deleted', async () => {
    const [{ db }] = replicas as [Connection];
    const before = Object.entries(migrations).filter(([name]) => name < '0036');
    const none = { revision: 0, definitions: {} };
    await migrate(db, log, { migrations: Object.fromEntries(before), functions: none });
    const [one, other, gone] = ['a', 'b', 'c'].map((digit) => digit.repeat(24));
    await sql`insert into corporations (corporation_id, corporation_name, name_key, ticker, ceo_id, ceo_name)
      values (98000001, 'Host', 'host', 'HOST', 1, 'A CEO')`.execute(db);
    await sql`insert into users (character_id, character_name, name_key, clearance_level, corporation_id)
      values (7, 'Ada', 'ada', 0, 98000001), (8, 'Guest', 'guest', -1, 98000001)`.execute(db);
    await sql`insert into groups (group_id, group_name, name_key)
      values (${one}, 'One', 'one'), (${other}, 'Other', 'other')`.execute(db);
    await sql`insert into group_members (group_id, character_id) values (${one}, 7), (${one}, 8)`.execute(db);
    await sql`insert into group_policies (group_id, joining, visible_to, reach, alliances, corporations, coalitions,
        groups_any, groups_none, min_level, moderator_groups, grace_hours, reapply_hours, questions, expire_days,
        by_administrator, updated_on)
      select id, 'open', 'everyone', 'character', '{}', '{}', '{}', any_of, none_of, 0, '{}', 0, 0, '{"Why?"}', 1, false,
        now()
      from (values (${one}, array[${other}, ${gone}], '{}'::text[]), (${other}, '{}', array[${gone}]))
        as p(id, any_of, none_of)`.execute(db);
    await sql`insert into applications (application_id, group_id, character_id, state, message, answers, created_on,
        expires_on, decided_on)
      values (${'1'.repeat(24)}, ${one}, 7, 'rejected', '', '{x}', '2026-01-02', '2026-02-02', '2026-01-02'),
        (${'2'.repeat(24)}, ${other}, 7, 'pending', '', '{x}', '2026-01-01', '2026-02-01', null)`.execute(db);
    await migrate(db, log);
    const applications = await sql`select sequence::int, group_name, questions from applications
      order by sequence`.execute(db);
    expect(applications.rows).toEqual([
      { sequence: 1, group_name: 'Other', questions: ['Why?'] },
      { sequence: 2, group_name: 'One', questions: ['Why?'] },
    ]);
    // As a process of the release before does it.
    const { rows: made } =
      await sql`insert into applications (application_id, group_id, character_id, message, answers,
        created_on, expires_on) values (${'3'.repeat(24)}, ${one}, 7, '', '{}', now(), now())
      returning sequence::int, group_name`.execute(db);
    expect(made).toEqual([{ sequence: 3, group_name: null }]);
    const change = sql`update applications set state = 'void' where state = 'rejected'`.execute(db);
    await expect(change).rejects.toThrow('stays');
    const policies =
      await sql`select joining, groups_any, groups_none from group_policies order by group_id`.execute(db);
    expect(policies.rows).toEqual([
      { joining: 'open', groups_any: [other], groups_none: [] },
      { joining: 'closed', groups_any: [], groups_none: [] },
    ]);
    const members = await sql`select character_id::int, was_eligible from group_members order by 1`.execute(
      db,
    );
    expect(members.rows).toEqual([
      { character_id: 7, was_eligible: true },
      { character_id: 8, was_eligible: false },
    ]);
  });

  it('D52: 0037 takes runs that were missed before it for missed', async () => {
    const [{ db }] = replicas as [Connection];
    const before = Object.entries(migrations).filter(([name]) => name < '0037');
    await migrate(db, log, {
      migrations: Object.fromEntries(before),
      functions: { revision: 0, definitions: {} },
    });
    await sql`insert into schedules (job_id, ran_on)
      values ('sync-users', '2001-02-03'), ('follow-names', now() + interval '1 day')`.execute(db);
    await migrate(db, log);
    const { rows } =
      await sql`select job_id, enqueued_on = '2001-02-03' as long_ago, enqueued_on <= now() as passed
      from schedules order by job_id`.execute(db);
    expect(rows).toEqual([
      { job_id: 'follow-names', long_ago: false, passed: true },
      { job_id: 'sync-users', long_ago: true, passed: true },
    ]);
  });

  it('D100: 0038 finds the events that there are whose actor tells which other character a human plays', async () => {
    const [{ db }] = replicas as [Connection];
    const before = Object.entries(migrations).filter(([name]) => name < '0038');
    await migrate(db, log, {
      migrations: Object.fromEntries(before),
      functions: { revision: 0, definitions: {} },
    });
    const id = (n: number) => `01a21aef-d734-7000-8000-${String(n).padStart(12, '0')}`;
    // Of each event its number, its type, and the number of what caused it; also a smaller one in the same millisecond.
    const events = [
      [1, 'group.members_changed', 4],
      [2, 'group.members_changed', 3],
      [3, 'group.updated', null],
      [4, 'voice.bound', null],
      [5, 'user.standing_changed', 4],
      [6, 'person.main_changed', null],
    ] as const;
    await ensureEventPartitions(db, new Date(1_793_000_000_000));
    for (const [n, type, cause] of events) {
      const body = JSON.stringify({ cause: cause && { event_id: id(cause) } });
      await sql`insert into events (kept, event_id, type, concerns, targets, body)
        values (${/^(user|person)/.test(type) ? 'long' : 'short'}, ${id(n)}, ${type}, '{}', '{}', ${body})`.execute(
        db,
      );
    }
    await migrate(db, log);
    // As a process of the release before does it.
    await sql`insert into events (kept, event_id, type, concerns, targets, body)
      values ('short', ${id(7)}, 'group.updated', '{}', '{}', '{}')`.execute(db);
    const { rows } = await sql<{ n: number; hides_actor: boolean | null }>`
      select right(event_id::text, 1)::int as n, hides_actor from events order by event_id`.execute(db);
    expect(rows.map(({ n, hides_actor }) => [n, hides_actor])).toEqual([
      [1, true],
      [2, false],
      [3, false],
      [4, true],
      [5, true],
      [6, true],
      [7, null],
    ]);
    const change = sql`update events set hides_actor = false`.execute(db);
    await expect(change).rejects.toThrow('never changed');
  });

  it('0011 distinguishes names with a dotless i from those with a dotted one', async () => {
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
