import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import pino from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Actor } from '../../../contract/event.ts';
import { onAccountOf } from '../../../server/event/origin.ts';
import { listChanged, type NewEvent, recordEvents } from '../../../server/event/record.ts';
import { announceEvents, sealEvents } from '../../../server/event/seal.queries.ts';
import { type Sealing, startSealing } from '../../../server/event/sealing.ts';
import { createReading } from '../../../server/feed/reading.ts';
import { createOutages } from '../../../server/observability/outages.ts';
import { allEvents } from '../../fixtures/events.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/database.ts';

const now = new Date('2026-11-02T07:05:30.125Z');
const log = pino({ level: 'silent' });
const group = (id: string): NewEvent => ({
  type: 'group.created',
  targets: [{ type: 'group', id, name: id }],
});

let database: TestDatabase;
const statements: string[] = [];
beforeEach(async () => {
  database = await createTestDatabase({ onStatement: (text) => statements.push(text) });
});
afterEach(() => database.drop());

const sealed = () => database.db.selectFrom('event_seals').selectAll().orderBy('position').execute();
const bodies = () => database.db.selectFrom('events').selectAll().execute();

describe('recording', () => {
  it('D90, D3c: needs one statement for each 250 events, and none for none', async () => {
    statements.length = 0;
    const ids = await recordEvents(
      database.db,
      Array.from({ length: 5000 }, (_, n) => group(`${n}`)),
      now,
    );
    expect(statements).toHaveLength(20);
    expect(ids).toHaveLength(5000);
    expect([...ids].sort()).toEqual(ids);
    await recordEvents(database.db, [], now);
    expect(statements).toHaveLength(20);
  });

  it('D90: is part of the transaction of the change', async () => {
    const undone = database.db.transaction().execute(async (tx) => {
      await recordEvents(tx, [group('a')], now);
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    expect(await bodies()).toEqual([]);
    expect(await sealEvents(database.db, 10)).toBe(0);
  });

  it('D90: stores actor, context and the users concerned', async () => {
    const actor: Actor = { kind: 'user', character_id: 7, token: null, app_token: null, on_behalf_of: null };
    const context = { request_id: 'r', address: '203.0.113.7', user_agent: null };
    const changed = { added: [3], removed: [2, 1] };
    const targets = [{ type: 'group', id: 'g', name: 'Scouts' }] as const;
    await onAccountOf({ actor, context }, async () => {
      await sleep(1);
      await recordEvents(
        database.db,
        listChanged({ type: 'group.members_changed', targets }, 'members', changed),
        now,
      );
    });
    await sealEvents(database.db, 10);
    expect(await allEvents(database.db)).toMatchObject([
      {
        position: 1,
        actor,
        context,
        targets,
        cause: null,
        outcome: 'done',
        changes: [{ field: 'members', ...changed }],
      },
    ]);
    const [row] = await bodies();
    expect(row).toMatchObject({ kept: 'short', actor_id: 7, concerns: [3, 2, 1], targets: ['group:g'] });
    const { context_digest } = JSON.parse(row?.body ?? '');
    expect(context_digest).toBe(createHash('sha256').update(JSON.stringify(context)).digest('hex'));
  });

  it('D91: lists at most 500 members in one event, each once', async () => {
    const ids = (from: number, count: number) => Array.from({ length: count }, (_, n) => from + n);
    const change = { added: ids(1, 700), removed: ids(5000, 600) };
    const targets = [{ type: 'group', id: 'g', name: null }] as const;
    const events = listChanged({ type: 'group.members_changed', targets }, 'members', change);
    const parts = events.map(({ changes = [] }) => changes[0] as { added: number[]; removed: number[] });
    expect(parts.map((part) => part.added.length + part.removed.length)).toEqual([500, 500, 300]);
    expect(parts.flatMap((part) => part.added)).toEqual(change.added);
    expect(parts.flatMap((part) => part.removed)).toEqual(change.removed);
  });

  it.each(['events', 'event_contexts', 'event_seals', 'event_subjects'])(
    'D90: lets nobody change or remove rows of %s',
    async (table) => {
      const context = { request_id: 'r', address: '203.0.113.7', user_agent: null };
      await onAccountOf({ context }, () =>
        recordEvents(database.db, [group('a'), { ...group('b'), type: 'user.registered' }], now),
      );
      await sealEvents(database.db, 10);
      const run = (text: string) => database.pool.query(text);
      const refusal = /are added, never changed or removed/;
      await expect(run(`update ${table} set event_id = event_id`)).rejects.toThrow(refusal);
      await expect(run(`delete from ${table}`)).rejects.toThrow(refusal);
      await expect(run(`truncate ${table}`)).rejects.toThrow(refusal);
      expect((await run(`select from ${table}`)).rowCount).toBe(2);
    },
  );

  it.each(['events_long', 'events_short', 'event_contexts', 'event_subjects'])(
    'D90: lets nobody do so by way of a partition of %s',
    async (table) => {
      const context = { request_id: 'r', address: '203.0.113.7', user_agent: null };
      await onAccountOf({ context }, () =>
        recordEvents(database.db, [group('a'), { ...group('b'), type: 'user.registered' }], now),
      );
      const { rows } = await sql<{ name: string }>`
        select tableoid::regclass::text as name from ${sql.table(table)}`.execute(database.db);
      expect(rows.length).toBeGreaterThan(0);
      for (const { name } of rows) {
        expect(name).toMatch(/_2026\d\d$|_default$/);
        await expect(database.pool.query(`delete from ${name}`)).rejects.toThrow(/are added/);
      }
    },
  );
});

describe('sealing', () => {
  it('D90: assigns positions without gaps, even if transactions are rolled back or end late', async () => {
    const late = await database.pool.connect();
    await late.query('begin');
    await late.query(
      `insert into events (kept, event_id, type, concerns, targets, body)
       values ('short', gen_random_uuid(), 'group.created', '{}', '{}', '{"late":true}')`,
    );
    await recordEvents(database.db, [group('a')], now);
    await database.db
      .transaction()
      .execute(async (tx) => {
        await recordEvents(tx, [group('never')], now);
        throw new Error('undone');
      })
      .catch(() => undefined);
    await recordEvents(database.db, [group('b')], now);
    expect(await sealEvents(database.db, 10)).toBe(2);
    await late.query('commit');
    late.release();
    expect(await sealEvents(database.db, 10)).toBe(1);
    expect((await sealed()).map(({ position }) => position)).toEqual([1, 2, 3]);
    expect(await database.db.selectFrom('unsealed_events').selectAll().execute()).toEqual([]);
  });

  it('D90: chains the digests of the events', async () => {
    await recordEvents(database.db, [group('a'), group('b')], now);
    await sealEvents(database.db, 1);
    await sealEvents(database.db, 1);
    const bodyOf = new Map((await bodies()).map(({ event_id, body }) => [event_id, body]));
    let hash = Buffer.alloc(0);
    for (const seal of await sealed()) {
      const digest = createHash('sha256')
        .update(bodyOf.get(seal.event_id) ?? '')
        .digest();
      hash = createHash('sha256').update(hash).update(digest).digest();
      expect(seal.digest).toEqual(digest);
      expect(seal.hash).toEqual(hash);
    }
  });

  it('D90: is done by one process at a time, and never twice', async () => {
    await recordEvents(
      database.db,
      Array.from({ length: 300 }, (_, n) => group(`${n}`)),
      now,
    );
    const counts = await Promise.all(Array.from({ length: 8 }, () => sealEvents(database.db, 50)));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(300);
    const seals = await sealed();
    expect(seals.map(({ position }) => position)).toEqual(Array.from({ length: 300 }, (_, n) => n + 1));
    // The order in which they were recorded.
    expect(seals.map(({ event_id }) => event_id)).toEqual(seals.map(({ event_id }) => event_id).sort());
  });

  it('D90: of two successive changes the later one has the later position, whatever the clocks say', async () => {
    const [first = ''] = await recordEvents(database.db, [group('a')], now);
    const [second = ''] = await recordEvents(database.db, [group('b')], new Date(now.getTime() - 60_000));
    await sealEvents(database.db, 10);
    expect((await sealed()).map(({ event_id }) => event_id)).toEqual([first, second]);
  });
});

describe('the sealer', () => {
  let sealing: Sealing;
  it('D90: seals events as soon as they are committed, and those from before its start', async () => {
    await recordEvents(database.db, [group('before')], now);
    const outages = createOutages(log, { now: () => now });
    sealing = startSealing({ databaseUrl: database.url, log, outages });
    try {
      expect(await allEvents(database.db)).toHaveLength(1);
      await database.db.transaction().execute(async (tx) => {
        await recordEvents(tx, [group('a')], now);
        await recordEvents(tx, [group('b')], now);
      });
      expect((await allEvents(database.db)).map(({ position }) => position)).toEqual([1, 2, 3]);
    } finally {
      await sealing.close();
    }
  });

  it('D92: after a failover that lost events, gives the position of what is left', async () => {
    sealing = startSealing({
      databaseUrl: database.url,
      log,
      outages: createOutages(log, { now: () => now }),
    });
    try {
      await recordEvents(database.db, ['a', 'b', 'c'].map(group), now);
      await expect.poll(() => sealing.position).toBe(3);
      await database.pool.query(`
        alter table event_seals disable trigger user;
        delete from event_seals where position > 1;
        alter table event_seals enable trigger user`);
      await announceEvents(database.db, 'look');
      await expect.poll(() => sealing.position).toBe(1);
      await recordEvents(database.db, [group('d')], now);
      await expect.poll(() => sealing.position).toBe(2);
    } finally {
      await sealing.close();
    }
  });
});

it('D92: answers that were shared before a failover are not given for positions that are given again', async () => {
  const events = { position: 10 };
  const read = createReading(database.db, events);
  const question = { after: 5, limit: 10, most: 100, types: undefined };
  await read('all', question);
  const asked = statements.length;
  await read('all', question);
  expect(statements).toHaveLength(asked);
  events.position = 4;
  await read('all', { ...question, after: 9 });
  events.position = 10;
  statements.length = 0;
  await read('all', question);
  expect(statements).toHaveLength(1);
});
