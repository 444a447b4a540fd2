import { type Kysely, sql } from 'kysely';
import pino from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { byKey } from '../../../server/database/by-key.ts';
import { connect } from '../../../server/database/connection.ts';
import { isUnreachable } from '../../../server/database/errors.ts';
import type { Database } from '../../../server/database/tables.ts';
import { createTestDatabase, empty, type TestDatabase } from '../../harness/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const KNOWN = 500;
beforeEach(async () => {
  await empty(database.db, 'names');
  await sql`insert into names (id, name, category, known_on)
    select n, 'Name ' || n, 'character', now() from generate_series(1, ${KNOWN}) n`.execute(database.db);
});

/** The keys of each statement that was sent. A slow `read` waits for `arrive`. */
let sent: (readonly unknown[])[];
let read: number;
let arrive: () => void;
let arrived: Promise<void>;
beforeEach(() => {
  sent = [];
  read = 0;
  arrived = new Promise((resolve) => {
    arrive = resolve;
  });
});

async function readNames(db: Kysely<Database>, ids: readonly (number | string)[]) {
  sent.push(ids);
  const { rows } = await sql<{ id: number; name: string }>`
    select id, name from names where id = any(${ids}::bigint[])`.execute(db);
  return new Map<number | string, string>(rows.map(({ id, name }) => [id, name]));
}

const find = byKey<number | string, string>(readNames);
const findSlowly = byKey<number | string, string>(async (db, ids) => {
  const rows = await readNames(db, ids);
  read += 1;
  await arrived;
  return rows;
});

const untilSent = (count: number) => expect.poll(() => sent.length).toBe(count);

describe('reads by key', () => {
  it('are sent at once while no statement is running; those that arrive meanwhile share the next one', async () => {
    const first = findSlowly(database.db, 1);
    await untilSent(1);
    const second = findSlowly(database.db, 2);
    await untilSent(2);
    const crowd = Array.from({ length: 50 }, (_, n) => findSlowly(database.db, 3 + (n % 10)));
    arrive();
    expect(await first).toBe('Name 1');
    expect(await second).toBe('Name 2');
    expect(await Promise.all(crowd)).toEqual(Array.from({ length: 50 }, (_, n) => `Name ${3 + (n % 10)}`));
    expect(sent).toEqual([[1], [2], [3, 4, 5, 6, 7, 8, 9, 10, 11, 12]]);
  });

  it('D20: do not join a statement that was sent before, so that a revocation meanwhile takes effect', async () => {
    const before = findSlowly(database.db, 7);
    await expect.poll(() => read).toBe(1);
    await sql`delete from names where id = 7`.execute(database.db);
    const after = findSlowly(database.db, 7);
    await untilSent(2);
    arrive();
    expect(await before).toBe('Name 7');
    expect(await after).toBeUndefined();
    expect(await find(database.db, 7)).toBeUndefined();
  });

  it('read a limited number of keys in one statement, and the rest in the next ones', async () => {
    const all = Array.from({ length: KNOWN }, (_, n) => n + 1);
    const names = await Promise.all(all.map((id) => find(database.db, id)));
    expect(names).toEqual(all.map((id) => `Name ${id}`));
    expect(sent.map((ids) => ids.length)).toEqual([200, 200, 100]);
  });

  it('fail only for the callers whose key the database rejects', async () => {
    const asked = [1, 'nobody', 2, 3].map((id) => find(database.db, id));
    const [one, nobody, two, three] = await Promise.allSettled(asked);
    expect([one, two, three]).toEqual(
      ['Name 1', 'Name 2', 'Name 3'].map((value) => ({ status: 'fulfilled', value })),
    );
    expect(nobody).toMatchObject({ status: 'rejected', reason: { code: '22P02' } });
  });

  it('fail together after one attempt when there is no database', async () => {
    const nowhere = connect({
      url: 'postgres://nobody@127.0.0.1:9/nothing',
      log: pino({ level: 'silent' }),
    });
    const outcomes = await Promise.allSettled([1, 2, 3].map((id) => find(nowhere.db, id)));
    await nowhere.close();
    for (const outcome of outcomes)
      expect(outcome.status === 'rejected' && isUnreachable(outcome.reason)).toBe(true);
    expect(sent).toEqual([[1, 2, 3]]);
  });

  it('see the writes of their own transaction, and do not wait for reads outside it', async () => {
    const slow = [findSlowly(database.db, 1), findSlowly(database.db, 2)];
    await database.db.transaction().execute(async (tx) => {
      await sql`update names set name = 'Renamed' where id = 3`.execute(tx);
      expect(await find(tx, 3)).toBe('Renamed');
    });
    arrive();
    expect(await Promise.all(slow)).toEqual(['Name 1', 'Name 2']);
    expect(await find(database.db, 3)).toBe('Renamed');
  });
});
