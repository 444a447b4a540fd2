import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FIRST_CHARACTER_ID } from '../../dev/world/world.ts';
import { runMaintenance } from '../../jobs/maintenance.ts';
import { listPartitions } from '../../server/database/partitions.ts';
import { SNAPSHOT_TABLES } from '../../server/history/kinds.ts';
import { hasMoreToSweep, sweep } from '../../server/provider/budget.queries.ts';
import type { Run } from '../../server/queue/run.ts';
import { statementsOf } from '../fixtures/grants.ts';
import { addUser, makeToken } from '../fixtures/users.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { empty } from '../harness/database.ts';
import { forgetProvider, outcomeOf } from '../harness/provider.ts';
import { testRun } from '../harness/run.ts';

const ADA = FIRST_CHARACTER_ID;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const WEEK = 7 * DAY;

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp({ provider: { corporations: 20, characters: 2_100 } });
  await app.app.services.document.current();
});
beforeEach(async () => {
  app.provider.reset();
  await forgetProvider(app);
  await empty(app.db, 'names', 'crash_reports', 'mailboxes', 'mails');
  await sql`delete from tokens where parent is not null`.execute(app.db);
  await sql`delete from users where character_id <> 0`.execute(app.db);
  // From today, so that the steps that a test is not about have nothing to do.
  await sql`update provider_document set fetched_on = ${app.clock.now()}`.execute(app.db);
});
afterAll(() => app.stop());

const maintain = (options: Partial<Omit<Run, 'job'>> = {}) =>
  runMaintenance(app.app.services, testRun('maintenance', options));
/** Advances the clock to the start of the next week. */
const advanceToMonday = () => {
  const sinceMonday = (app.clock.now().getTime() - Date.UTC(2024, 0, 1)) % WEEK;
  app.clock.advance(WEEK - sinceMonday);
};
const ago = (milliseconds: number) => new Date(app.clock.now().getTime() - milliseconds);
const count = async (table: string): Promise<number> => {
  const { rows } = await sql<{ rows: number }>`select count(*)::int as rows from ${sql.table(table)}`.execute(
    app.db,
  );
  return rows[0]?.rows ?? 0;
};
const asked = () => app.provider.requests.filter(({ area }) => area === 'api').map(({ path }) => path);

async function addCode(
  app_token: string | null,
  expires_on: Date,
  used_on: Date | null = null,
): Promise<string> {
  const state_code = randomUUID();
  const code = { state_code, app_token, code_verifier: 'v', expires_on, used_on, corporation_id: null };
  await app.db.insertInto('state_codes').values(code).execute();
  return state_code;
}

async function addNames(ids: readonly number[], known_on: Date, name: string | null = 'old name') {
  await app.db
    .insertInto('names')
    .values(ids.map((id) => ({ id, name, category: name && 'character', known_on })))
    .execute();
}
const characters = (n: number) => Array.from({ length: n }, (_, index) => ADA + index);

describe('expired records are deleted, and nothing else', () => {
  it('expired tokens with their descendants and state codes', async () => {
    await addUser(app, { id: ADA });
    const dyn = await makeToken(app, 'dyn', ADA);
    const [old, young] = [
      await makeToken(app, 'use', ADA, dyn.uuid),
      await makeToken(app, 'use', ADA, dyn.uuid),
    ];
    const child = await makeToken(app, 'use', ADA, old.uuid);
    await sql`update tokens set expires_on = ${ago(1)} where uuid = ${old.uuid}`.execute(app.db);
    await addCode(old.uuid, new Date(app.clock.now().getTime() + MINUTE));
    const code = await addCode(dyn.uuid, new Date(app.clock.now().getTime() + MINUTE));
    await maintain();
    const left = await app.db.selectFrom('tokens').select('uuid').execute();
    expect(left.map(({ uuid }) => uuid)).toEqual(expect.arrayContaining([dyn.uuid, young.uuid]));
    expect(left.map(({ uuid }) => uuid)).not.toContain(old.uuid);
    expect(left.map(({ uuid }) => uuid)).not.toContain(child.uuid);
    expect(await app.db.selectFrom('state_codes').select('state_code').execute()).toEqual([
      { state_code: code },
    ]);
    // Application tokens never expire (D22): the built-in one is there.
    expect((await app.client(app.root).token.current()).status).toBe(200);
  });

  it('state codes an hour after they expired, so that who returns late is told so (D26)', async () => {
    await addUser(app, { id: ADA });
    const { uuid } = await makeToken(app, 'dyn', ADA);
    const kept: string[] = [];
    for (const used of [null, ago(DAY)]) {
      await addCode(uuid, ago(HOUR), used);
      kept.push(await addCode(uuid, ago(HOUR - MINUTE), used));
    }
    await maintain();
    const left = await app.db.selectFrom('state_codes').select('state_code').execute();
    expect(left.map(({ state_code }) => state_code).sort()).toEqual(kept.sort());
  });

  it('but nothing because of a machine’s clock that differs by minutes from the database’s', async () => {
    await addUser(app, { id: ADA });
    const old = await makeToken(app, 'use', ADA, (await makeToken(app, 'dyn', ADA)).uuid);
    await sql`update tokens set expires_on = now() - interval '1 day' where uuid = ${old.uuid}`.execute(
      app.db,
    );
    const tokens = async () =>
      (await app.db.selectFrom('tokens').select('uuid').execute()).map((t) => t.uuid);
    const maintainAhead = (ahead: number) => {
      const clock = { now: () => new Date(Date.now() + ahead), real: true } as const;
      return runMaintenance({ ...app.app.services, clock }, testRun('maintenance'));
    };
    for (const ahead of [6 * MINUTE, -6 * MINUTE]) {
      await expect(maintainAhead(ahead)).rejects.toThrow(
        'drop old partitions, drop old events, delete expired tokens',
      );
      expect(await tokens()).toContain(old.uuid);
    }
    await maintainAhead(0);
    expect(await tokens()).not.toContain(old.uuid);
  });

  it('expired voice challenges (D40)', async () => {
    for (const [n, expires_on] of [ago(0), new Date(app.clock.now().getTime() + MINUTE)].entries()) {
      await addUser(app, { id: ADA + n });
      const challenge = { character_id: ADA + n, nickname: `${n}`.repeat(20), expires_on };
      await app.db.insertInto('voice_challenges').values(challenge).execute();
    }
    await maintain();
    const left = await app.db.selectFrom('voice_challenges').select('character_id').execute();
    expect(left).toEqual([{ character_id: ADA + 1 }]);
  });

  it('crash reports after 90 days (D50)', async () => {
    const report = { request: '{}', token: null, trace: 'trace' };
    const at = [ago(90 * DAY - MINUTE), ago(90 * DAY + MINUTE), ago(400 * DAY)];
    await app.db
      .insertInto('crash_reports')
      .values(at.map((timestamp, n) => ({ ...report, timestamp, id: `${n}`.repeat(24) })))
      .execute();
    await maintain();
    expect(await app.db.selectFrom('crash_reports').select('id').execute()).toEqual([{ id: '0'.repeat(24) }]);
  });

  it('D101: the history of persons after three years, however many entries', async () => {
    await sql`
      insert into person_history (occurred_on, happened, character_id, character_name)
      select at, 'linked', ${ADA}, name from (
        select ${ago(3 * 365 * DAY + MINUTE)}::timestamptz as at, 'old' as name from generate_series(1, 2100)
        union all select ${ago(3 * 365 * DAY - MINUTE)}, 'young') those`.execute(app.db);
    await maintain();
    const left = await app.db.selectFrom('person_history').select('character_name').execute();
    expect(left).toEqual([{ character_name: 'young' }]);
  });

  it('mails that are in no mailbox', async () => {
    await addUser(app, { id: ADA });
    await sql`
      insert into mails (mail_id, from_id, from_name, recipients, subject, timestamp)
      select n, 1, 'somebody', '[]', '', now() from generate_series(1, 12000) n`.execute(app.db);
    await sql`insert into mailboxes (character_id) values (${ADA})`.execute(app.db);
    await sql`
      insert into mailbox_mails (character_id, mail_id, position, wants_body)
      select ${ADA}, n, n, false from generate_series(1, 12000) n where n not in (7, 5000, 5001, 11999)`.execute(
      app.db,
    );
    const sent = await statementsOf(app, () => maintain());
    expect(await count('mails')).toBe(11_996);
    expect(await count('mailbox_mails')).toBe(11_996);
    // Three pages and an empty one.
    expect(sent.filter((text) => /from mails where mail_id > /.test(text))).toHaveLength(4);
  });

  it('a mail that is being added to a mailbox at that moment stays', async () => {
    await addUser(app, { id: ADA });
    await sql`
      insert into mails (mail_id, from_id, from_name, recipients, subject, timestamp)
      values (1, 1, 'somebody', '[]', '', now())`.execute(app.db);
    const other = new pg.Client({ connectionString: app.databaseUrl });
    await other.connect();
    await other.query('begin');
    await other.query('select from mails where mail_id = 1 for key share');
    await maintain();
    await other.query('rollback');
    await other.end();
    expect(await count('mails')).toBe(1);
    await maintain();
    expect(await count('mails')).toBe(0);
  });

  it('partitions whose entries are no longer shown (D36); those of the coming weeks are created', async () => {
    for (const name of await listPartitions(app.db, SNAPSHOT_TABLES))
      await sql`drop table ${sql.table(name)}`.execute(app.db);
    advanceToMonday();
    await maintain();
    const made = await listPartitions(app.db, SNAPSHOT_TABLES);
    expect(made).toHaveLength(5 * SNAPSHOT_TABLES.length);
    const maintainAfter = async (milliseconds: number) => {
      app.clock.advance(milliseconds);
      await maintain();
      return listPartitions(app.db, SNAPSHOT_TABLES);
    };
    expect(await maintainAfter(WEEK + 90 * DAY - HOUR)).toEqual(expect.arrayContaining(made));
    const left = await maintainAfter(HOUR);
    expect(made.filter((name) => !left.includes(name))).toHaveLength(SNAPSHOT_TABLES.length);
    expect(left).toHaveLength(2 * made.length - SNAPSHOT_TABLES.length);
  });

  it('expired answers and limits of the provider', async () => {
    await sql`
      insert into provider_cache (generation, key, status, headers, body, fresh_until, kept_until)
      select n % 2, n, 200, '{}', '', ${ago(1)}, ${ago(1)}::timestamptz + (n - 2500) * interval '1 hour'
      from generate_series(1, 3000) n`.execute(app.db);
    await maintain();
    expect(await count('provider_cache')).toBe(500);
  });

  it('limits of the provider after 24 hours, also where summer time ends in the database’s time zone', async () => {
    const now = new Date('2026-10-25T12:00:00Z');
    const more = await app.db.transaction().execute(async (tx) => {
      await sql`set local timezone = 'Europe/Berlin'`.execute(tx);
      await sql`insert into provider_buckets (name, character_id, used_on)
        values ('wallet', 0, ${new Date(now.getTime() - DAY - 1)})`.execute(tx);
      await sweep(tx, now, 1);
      return hasMoreToSweep(tx, now);
    });
    expect(more).toBe(false);
  });
});

describe('batches', () => {
  it('have a thousand rows, and skip rows that others have locked', async () => {
    await addUser(app, { id: ADA });
    const { uuid } = await makeToken(app, 'dyn', ADA);
    await sql`
      insert into state_codes (state_code, app_token, code_verifier, expires_on)
      select n, ${uuid}, 'v', ${ago(DAY)} from generate_series(1, 2500) n`.execute(app.db);
    const other = new pg.Client({ connectionString: app.databaseUrl });
    await other.connect();
    await other.query('begin');
    await other.query(`select from state_codes where state_code = '17' for update`);
    const sent = await statementsOf(app, () => maintain());
    await other.query('rollback');
    await other.end();
    expect(await app.db.selectFrom('state_codes').select('state_code').execute()).toEqual([
      { state_code: '17' },
    ]);
    expect(sent.filter((text) => /delete from state_codes/.test(text))).toHaveLength(3);
    await maintain();
    expect(await count('state_codes')).toBe(0);
  });
});

describe('old data is renewed', () => {
  it('names that are a week old, in bulk; ids without a name are forgotten then (D32)', async () => {
    const ids = characters(1_500);
    await addNames(ids, ago(7 * DAY));
    await addNames([ADA + 1_600], ago(7 * DAY - MINUTE));
    await addNames([4, 5], ago(7 * DAY), null);
    await addNames([6], ago(7 * DAY - MINUTE), null);
    await maintain();
    expect(asked()).toEqual(Array(3).fill('/api/universe/names'));
    const names = new Map(
      (await app.db.selectFrom('names').selectAll().execute()).map(({ id, name }) => [id, name]),
    );
    for (const id of ids) expect(names.get(id)).toBe(app.provider.world.character(id)?.name);
    expect(names.get(ADA + 1_600)).toBe('old name');
    expect([4, 5, 6].map((id) => names.has(id))).toEqual([false, false, true]);
    await maintain();
    expect(asked()).toHaveLength(3);
  });

  it('refused ids end the renewal in this run after at most ten errors', async () => {
    await addNames([4, ...characters(2_000)], ago(8 * DAY));
    await maintain();
    expect(app.provider.requests.filter(({ status }) => (status ?? 500) >= 400).length).toBeLessThanOrEqual(
      10,
    );
    await maintain();
    await maintain();
    const { rows } = await sql`select from names where known_on < ${ago(DAY)}`.execute(app.db);
    expect(rows).toEqual([]);
  });

  it('the provider’s document after a day (D31)', async () => {
    app.clock.advance(DAY - MINUTE);
    await maintain();
    expect(asked()).toEqual([]);
    app.clock.advance(2 * MINUTE);
    await maintain();
    await maintain();
    expect(asked()).toEqual(['/api/meta/openapi.json']);
  });

  it('D31: the provider’s document that was fetched while the clock was ahead', async () => {
    await sql`update provider_document set fetched_on = ${ago(-365 * DAY)}`.execute(app.db);
    await maintain();
    await maintain();
    expect(asked()).toEqual(['/api/meta/openapi.json']);
  });
});

describe('steps are independent', () => {
  it('an unavailable provider fails no run: its steps end after four requests, all others are done, the next run continues', async () => {
    app.clock.advance(2 * DAY);
    await addNames(characters(1_500), ago(8 * DAY));
    await addNames([4], ago(8 * DAY), null);
    await addUser(app, { id: ADA });
    await addCode((await makeToken(app, 'dyn', ADA)).uuid, ago(DAY));
    app.provider.faults.downtime = true;
    const logged = app.logged.length;
    await maintain();
    const told = app.logged.slice(logged).map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(told.filter(({ msg }) => msg === 'the provider failed: the next run continues')).toEqual([
      expect.objectContaining({ level: 'warn', step: 'renew names' }),
      expect.objectContaining({ level: 'warn', step: 'renew the document' }),
    ]);
    expect(asked()).toHaveLength(1 + 3);
    expect(await count('state_codes')).toBe(0);
    expect(await count('names')).toBe(1_500);
    app.provider.faults.downtime = false;
    await forgetProvider(app);
    await maintain();
    expect(await outcomeOf(app.app.services.client.ask({ path: '/status', on: 'service' }))).toBe(200);
    const { rows } = await sql`select from names where name = 'old name'`.execute(app.db);
    expect(rows).toEqual([]);
  });

  it('a step that fails in the database stops no other', async () => {
    const report = {
      id: 'a'.repeat(24),
      request: '{}',
      token: null,
      trace: 'trace',
      timestamp: ago(91 * DAY),
    };
    await app.db.insertInto('crash_reports').values(report).execute();
    await sql`alter table state_codes rename to hidden`.execute(app.db);
    const told: (readonly [done: number, total: number])[] = [];
    await expect(maintain({ progress: (...step) => told.push(step) })).rejects.toThrow(
      'failed to delete expired state codes;',
    );
    await sql`alter table hidden rename to state_codes`.execute(app.db);
    const [, total = 0] = told.at(-1) ?? [];
    expect(total).toBeGreaterThan(10);
    expect(told).toEqual(Array.from({ length: total }, (_, step) => [step + 1, total]));
    expect(await count('crash_reports')).toBe(0);
  });

  it('after an abort no further step is started', async () => {
    const end = new AbortController();
    const told: number[] = [];
    const progress = (done: number) => {
      told.push(done);
      if (done === 3) end.abort();
    };
    await expect(maintain({ signal: end.signal, progress })).rejects.toThrow('told to end');
    expect(told).toEqual([1, 2, 3]);
  });
});
