import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { examineEvents } from '../../server/doctor/events.ts';
import { recordEvents } from '../../server/event/record.ts';
import { verifyEvents } from '../../server/event/verify.ts';
import { allEvents } from '../fixtures/events.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
  for (let n = 0; n < 3; n += 1)
    await recordEvents(app.db, Array(4).fill({ type: 'group.created', targets: [] }), app.clock.now());
  await allEvents(app.db);
});
afterAll(() => app.stop());

/** What is found after a superuser did this past the triggers; undone afterwards. */
async function foundAfter(...statements: string[]): Promise<string | undefined> {
  const before = await copy();
  await past(...statements);
  const { fault } = await verifyEvents(app.db, app.clock.now());
  await past('truncate events, event_seals', ...before);
  expect((await verifyEvents(app.db, app.clock.now())).fault).toBeUndefined();
  return fault;
}

async function past(...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: app.databaseUrl });
  await client.connect();
  await client.query('set session_replication_role = replica');
  for (const statement of statements) await client.query(statement);
  await client.end();
}

/** Statements that write all of it anew. */
async function copy(): Promise<string[]> {
  const statements: string[] = [];
  for (const table of ['events', 'event_seals'] as const) {
    const rows = await app.db
      .selectFrom(table)
      .select((eb) => eb.fn<string>('to_jsonb', [eb.table(table)]).as('row'))
      .execute();
    const text = JSON.stringify(rows.map(({ row }) => row)).replaceAll("'", "''");
    statements.push(`insert into ${table} select (jsonb_populate_recordset(null::${table}, '${text}')).*`);
  }
  return statements;
}

const idAt = (position: number) => `(select event_id from event_seals where position = ${position})`;

describe('D90: the chain of hashes', () => {
  it('is whole, and the doctor says up to where', async () => {
    const head = (await allEvents(app.db)).length;
    expect(await verifyEvents(app.db, app.clock.now())).toEqual({ looked: head, head, fault: undefined });
    expect(await verifyEvents(app.db, app.clock.now(), 5)).toEqual({ looked: 5, head, fault: undefined });
    expect(await examineEvents(app.db, app.clock.now())).toMatchObject([{ state: 'good' }]);
  });

  it.each([
    [
      'an event that was changed',
      [`update events set body = body || ' ' where event_id = ${idAt(7)}`],
      'position 7: changed event',
    ],
    [
      'an event that was removed',
      [`delete from events where event_id = ${idAt(6)}`],
      'position 6: missing event',
    ],
    ['a table that was emptied', ['truncate events'], 'position 1: missing event'],
    ['a seal that was removed', ['delete from event_seals where position = 5'], 'position 5: missing seal'],
    [
      'a digest that was fitted to a change',
      ["update event_seals set digest = sha256('x') where position = 4"],
      'position 4: broken chain',
    ],
  ])('names %s', async (_, statements, fault) => {
    expect(await foundAfter(...statements)).toBe(fault);
  });

  it('names events whose seals were removed', async () => {
    expect(await foundAfter('truncate event_seals')).toMatch(
      /^event [0-9a-f-]{36} has no position any more$/,
    );
  });

  it('does not miss events that had their time', async () => {
    const later = new Date(app.clock.now().getTime() + 401 * 86_400_000);
    await past('create table aside as select * from events', 'truncate events');
    expect((await verifyEvents(app.db, later)).fault).toBeUndefined();
    await past('insert into events select * from aside', 'drop table aside');
  });
});
