import { sql } from 'kysely';
import pg from 'pg';
import pino from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { connect } from '../../../server/database/connection.ts';
import { leastIdOf } from '../../../server/event/event-id.ts';
import { onAccountOf } from '../../../server/event/origin.ts';
import { dropExpiredEvents, ensureEventPartitions } from '../../../server/event/partitions.ts';
import { type NewEvent, recordEvents } from '../../../server/event/record.ts';
import { sealEvents } from '../../../server/event/seal.queries.ts';
import { verifyEvents } from '../../../server/event/verify.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/database.ts';
import { isClockFaked } from '../../harness/faked-clock.ts';

const DAY = 86_400_000;
const TABLES = ['events_short', 'events_long', 'event_subjects', 'event_contexts'];
/** Months for which nobody has made partitions. */
const [march, april, later] = [
  '2041-03-31T23:59:59.999Z',
  '2041-04-01T00:00:00Z',
  '2043-01-15T12:00:00Z',
].map((text) => new Date(text)) as [Date, Date, Date];

let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.drop());

const EVENTS: readonly NewEvent[] = [
  { type: 'group.created', targets: [{ type: 'group', id: 'g', name: 'Scouts' }] },
  { type: 'user.deleted', targets: [{ type: 'user', id: '7', name: 'Ada' }] },
];
const context = { request_id: 'r', address: '203.0.113.7', user_agent: null };
/** Records an event of each kind with its context at a moment. */
const record = (moment: Date) => onAccountOf({ context }, () => recordEvents(database.db, EVENTS, moment));

/** The number of rows in each partition that has any. */
async function filled(): Promise<Record<string, number>> {
  const { rows } = await sql<{ name: string; count: number }>`
    select tableoid::regclass::text as name, count(*)::int as count from (
      select tableoid from events union all select tableoid from event_subjects
      union all select tableoid from event_contexts) rows group by 1`.execute(database.db);
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]));
}

/** All rows of these tables, wherever they are kept. */
async function everything(): Promise<unknown> {
  const { rows } = await sql`
    select 'event' as of, to_jsonb(e) as row from events e
    union all select 'subject', to_jsonb(s) from event_subjects s
    union all select 'context', to_jsonb(c) from event_contexts c
    union all select 'seal', to_jsonb(l) from event_seals l
    union all select 'unsealed', to_jsonb(u) from unsealed_events u
    order by 1, 2`.execute(database.db);
  return rows;
}

describe('events that were written before their month had partitions', () => {
  it('D90: move into them unchanged, each month into its own, and this is told', async () => {
    await record(march);
    await record(april);
    await record(april);
    await record(later);
    await sealEvents(database.db, 6);
    const before = await everything();
    expect(Object.keys(await filled()).sort()).toEqual(TABLES.map((table) => `${table}_default`).sort());

    const warn = vi.fn();
    const made = await ensureEventPartitions(database.db, april, { warn });
    expect(made).toHaveLength(TABLES.length * 5);
    expect(await everything()).toEqual(before);
    expect(await filled()).toEqual(
      Object.fromEntries(
        TABLES.flatMap((table) => {
          const each = table.startsWith('events') ? 1 : 2;
          return [
            [`${table}_204103`, each],
            [`${table}_204104`, 2 * each],
            [`${table}_204301`, each],
          ];
        }),
      ),
    );
    expect(warn).toHaveBeenCalledTimes(TABLES.length * 3);
    expect(warn).toHaveBeenCalledWith({ partition: 'events_long_204104', rows: 2 }, expect.any(String));

    await sealEvents(database.db, 10);
    expect(await verifyEvents(database.db, later)).toEqual({ looked: 8, head: 8, fault: undefined });
    expect(await ensureEventPartitions(database.db, april, { warn })).toEqual([]);
  });

  it('D90: are dropped in time, as all others', async () => {
    await record(march);
    const at = (days: number) => new Date(april.getTime() + days * DAY);
    await ensureEventPartitions(database.db, at(89));
    const goes = async (days: number) => {
      await dropExpiredEvents(database.db, new Date(at(days).getTime() - 1));
      const before = Object.keys(await filled());
      await dropExpiredEvents(database.db, at(days));
      const after = await filled();
      return before.filter((name) => !(name in after)).sort();
    };
    expect(await goes(90)).toEqual(['event_contexts_204103']);
    expect(await goes(400)).toEqual(['events_short_204103']);
    expect(await goes(3 * 365)).toEqual(['event_subjects_204103', 'events_long_204103']);
    expect(await filled()).toEqual({});
  });

  it('D90: cannot be changed or removed afterwards, nor can those that are written before the next partitions', async () => {
    await record(march);
    await ensureEventPartitions(database.db, march);
    await record(later);
    const partitions = Object.keys(await filled());
    expect(partitions).toHaveLength(2 * TABLES.length);
    for (const name of partitions) {
      await expect(database.pool.query(`delete from ${name}`)).rejects.toThrow(/are added/);
      await expect(database.pool.query(`update ${name} set event_id = event_id`)).rejects.toThrow(
        /are added/,
      );
    }
  });

  it('D90: are moved, too, if their transaction read events and writes them while the partition is made', async () => {
    const writer = new pg.Client({ connectionString: database.url });
    await writer.connect();
    await writer.query('begin');
    await writer.query('select from event_contexts');
    const making = ensureEventPartitions(database.db, march);
    const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    const waits = async () => expect((await database.pool.query(waiting)).rowCount).toBe(1);
    await vi.waitFor(waits, { timeout: 60_000 });
    await writer.query('insert into event_contexts values ($1, $2)', [leastIdOf(march), '{}']);
    await writer.query('commit');
    await writer.end();
    expect(await making).toContain('event_contexts_204103');
    expect(await filled()).toEqual({ event_contexts_204103: 1 });
  });
});

it.skipIf(isClockFaked)(
  'D90: events whose move takes longer than a statement may stay where they are; others move, and nothing fails',
  async () => {
    await record(march);
    await sql`alter table events_short add constraint slow check (pg_sleep(60)::text is not null) not valid`.execute(
      database.db,
    );
    const { db, close } = connect({
      url: `${database.serverUrl}&statement_timeout=1500`,
      log: pino({ level: 'silent' }),
    });
    try {
      const warn = vi.fn();
      const made = await ensureEventPartitions(db, march, { warn });
      expect(made).not.toContain('events_short_204103');
      expect(made).toContain('events_long_204103');
      expect(warn.mock.calls).toContainEqual([
        { partition: 'events_short_204103' },
        expect.stringContaining('takes too long'),
      ]);
      expect(await filled()).toMatchObject({ events_short_default: 1, events_long_204103: 1 });
    } finally {
      await close();
    }
  },
);

describe('while a dump reads the events', () => {
  let dump: pg.Client;
  beforeEach(async () => {
    dump = new pg.Client({ connectionString: database.url });
    await dump.connect();
    await dump.query('begin');
  });
  afterEach(() => dump.end());

  it.skipIf(isClockFaked)(
    'D90: the next partitions are left to the next time after five seconds, so that readers do not wait for the dump',
    async () => {
      await dump.query('lock table events in access share mode');
      const warn = vi.fn();
      expect(await ensureEventPartitions(database.db, march, { warn })).toEqual([]);
      expect(warn.mock.calls).toEqual([
        [{ partition: 'events_short_204103' }, expect.stringContaining('dump')],
      ]);
      await dump.query('rollback');
      expect(await ensureEventPartitions(database.db, march, { warn })).toHaveLength(3 * TABLES.length);
      expect(warn).toHaveBeenCalledTimes(1);
    },
  );

  it.skipIf(isClockFaked)(
    'D90: all expired partitions are left to the next time when the first cannot be had, so that nobody queues for each',
    async () => {
      await ensureEventPartitions(database.db, march);
      await dump.query(`lock table ${TABLES.join()} in access share mode`);
      const warn = vi.fn();
      expect(await dropExpiredEvents(database.db, later, { warn })).toEqual([]);
      expect(warn.mock.calls).toEqual([
        [{ partition: expect.stringMatching(/^events_short_/) }, expect.stringContaining('dump')],
      ]);
      await dump.query('rollback');
      expect((await dropExpiredEvents(database.db, later, { warn })).length).toBeGreaterThan(1);
      expect(warn).toHaveBeenCalledTimes(1);
    },
  );
});
