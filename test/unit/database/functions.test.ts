import { sql } from 'kysely';
import pino from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { migrations } from '../../../migrations/index.ts';
import { connect } from '../../../server/database/connection.ts';
import { functions } from '../../../server/database/functions/index.ts';
import { migrate } from '../../../server/database/migrate.ts';
import { openDatabase } from '../../../server/database/open.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/database.ts';

const log = pino({ level: 'silent' });
let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.drop());

/** A release whose only function returns the given value. */
const release = (revision: number, answer: string, name = 'answer') => ({
  migrations,
  functions: {
    revision,
    definitions: {
      [name]: `create or replace function ${name}() returns text language sql return '${answer}'`,
    },
  },
});

async function ask(): Promise<string | undefined> {
  const { rows } = await sql<{ answer: string }>`select answer()`.execute(database.db);
  return rows[0]?.answer;
}

/** The transaction that last created the function: it differs after each `create or replace`. */
async function writer(name: string): Promise<unknown> {
  const { rows } = await sql`select xmin::text from pg_proc where proname = ${name}`.execute(database.db);
  return rows;
}

describe('database functions', () => {
  it('are all applied from their own text, none only by a migration', async () => {
    const { rows } = await sql<{ name: string }>`
      select proname as name from pg_proc where pronamespace = 'public'::regnamespace order by 1`.execute(
      database.db,
    );
    expect(rows.map(({ name }) => name)).toEqual(Object.keys(functions.definitions).sort());
    const applied = await database.db.selectFrom('repeatable').select('name').orderBy('name').execute();
    expect(applied).toEqual(rows);
  });

  it('are applied again at the next start of a process when they changed', async () => {
    await sql`create or replace function take_place(for_caller text, places integer, for_holder uuid, lease interval)
      returns boolean language sql return null::boolean`.execute(database.db);
    await sql`update repeatable set hash = 'of a former text' where name = 'take_place'`.execute(database.db);
    const [changed, same] = [await writer('take_place'), await writer('provider_sweep')];
    await (await openDatabase(database.url, log)).close();
    expect(await writer('take_place')).not.toEqual(changed);
    expect(await writer('provider_sweep')).toEqual(same);
    const { rows } = await sql`select take_place('somebody', 1, gen_random_uuid(), '1 minute')`.execute(
      database.db,
    );
    expect(rows).toEqual([{ take_place: true }]);
  });

  it('are left alone when they did not change', async () => {
    await migrate(database.db, log, release(1, 'first'));
    const before = await writer('answer');
    await migrate(database.db, log, release(2, 'first'));
    expect(await writer('answer')).toEqual(before);
  });

  it('may be changed back', async () => {
    for (const [index, answer] of ['first', 'second', 'first'].entries()) {
      await migrate(database.db, log, release(index, answer));
      expect(await ask()).toBe(answer);
    }
  });

  it('of a later release stay when a process of a former release starts', async () => {
    await migrate(database.db, log, release(1, 'former'));
    await migrate(database.db, log, release(2, 'later'));
    await migrate(database.db, log, release(1, 'former'));
    expect(await ask()).toBe('later');
  });

  it('can be replaced while processes call them', async () => {
    await migrate(database.db, log, release(1, 'former'));
    const { db, close } = connect({ url: database.url, log, poolSize: 1 });
    try {
      const call = async () =>
        (await sql<{ said: string }>`select answer() || ${'!'}::text as said`.execute(db)).rows[0]?.said;
      // From the second time on the statement is prepared.
      for (let times = 0; times < 10; times += 1) expect(await call()).toBe('former!');
      await migrate(database.db, log, release(2, 'later'));
      expect(await call()).toBe('later!');
    } finally {
      await close();
    }
  });

  it('are applied once by processes that start together', async () => {
    const logs: unknown[] = [];
    const replicas = Array.from({ length: 6 }, () => connect({ url: database.url, log, poolSize: 1 }));
    const { definitions } = release(1, 'once').functions;
    // Slow enough for all of them to find that the function is missing.
    const slow = { answer: `select pg_sleep(0.2); ${definitions['answer']}` };
    const listening = { ...log, info: (...told: unknown[]) => void logs.push(told[0]) } as typeof log;
    try {
      await Promise.all(
        replicas.map(({ db }) =>
          migrate(db, listening, { migrations, functions: { revision: 1, definitions: slow } }),
        ),
      );
    } finally {
      await Promise.all(replicas.map(({ close }) => close()));
    }
    expect(logs).toEqual([{ function: 'answer' }]);
  });

  it("fail with the function's name, and leave the database functions unchanged", async () => {
    await migrate(database.db, log, release(1, 'fine'));
    const { definitions } = release(2, 'changed').functions;
    const broken = { revision: 2, definitions: { ...definitions, broken: 'create or replace fuction' } };
    await expect(migrate(database.db, log, { migrations, functions: broken })).rejects.toThrow(
      /^Database function broken failed: syntax error at or near "fuction"/,
    );
    expect(await ask()).toBe('fine');
  });
});
