import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ExtScope } from '../../contract/scopes.ts';
import type { Fault } from '../../dev/provider/faults.ts';
import { mailbox } from '../../dev/world/mailbox.ts';
import { type Character, FIRST_CHARACTER_ID } from '../../dev/world/world.ts';
import { checkGrants } from '../../server/grant/check-grants.ts';
import { collectors } from '../../server/history/collect.ts';
import { KINDS, type HistoryName as Name } from '../../server/history/kinds.ts';
import { endTurn, giveBack, putOff, takeTurns } from '../../server/history/turn.queries.ts';
import { storeWallet } from '../../server/history/wallet.ts';
import type { ProviderClient } from '../../server/provider/client.ts';
import { ProviderError } from '../../server/provider/http.ts';
import type { Run } from '../../server/queue/run.ts';
import type { Services } from '../../server/services/services.ts';
import { addGrants, statementsOf } from '../fixtures/grants.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { empty } from '../harness/database.ts';
import {
  addGrant,
  expireAccessTokens,
  forgetProvider,
  madeAnswer,
  otherProcess,
  SKILLS,
  WALLET,
} from '../harness/provider.ts';
import { testRun } from '../harness/run.ts';

const ADA = FIRST_CHARACTER_ID;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const MAIL: ExtScope = 'ext-mail.read_mail.v1';
const PLACE: readonly ExtScope[] = [
  'ext-location.read_location.v1',
  'ext-location.read_online.v1',
  'ext-location.read_ship_type.v1',
];
const ALL: readonly ExtScope[] = [...PLACE, MAIL, SKILLS, WALLET];

const names = Object.keys(KINDS) as Name[];
const tables = {
  location: 'character_locations',
  skillpoints: 'character_skill_points',
  wallet: 'character_wallets',
} as const;
type Snapshots = keyof typeof tables;

/** How many runs have said that the provider failed. */
const stops = () => app.logged.filter((line) => line.includes('the provider failed: the next run')).length;

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp({ provider: { corporations: 20, characters: 420, mailRounds: 2 } });
  await app.app.services.document.current();
});
beforeEach(async () => {
  // To the start of an hour, from which minutes are counted.
  app.clock.advance(2 * HOUR - (app.clock.now().getTime() % HOUR));
  app.provider.reset();
  await forgetProvider(app);
  await empty(app.db, 'users', 'mails', ...Object.values(tables));
});
afterAll(() => app.stop());

interface How extends Partial<Omit<Run, 'job'>> {
  readonly most?: number;
  readonly services?: Pick<Services, 'db' | 'client' | 'clock' | 'log'>;
}
const collect = (name: Name, { most, services = app.app.services, ...options }: How = {}) =>
  collectors[KINDS[name].job](services, testRun(`collect-${name}`, options), most);

const asked = () => app.provider.requests.filter(({ area }) => area === 'api');
const failed = () => asked().filter(({ status }) => status === null || status >= 400);

/** The characters of all entries, oldest first. */
async function entries(name: Snapshots): Promise<{ character_id: number; timestamp: Date }[]> {
  const { rows } = await sql<{ character_id: number; timestamp: Date }>`
    select character_id, timestamp from ${sql.table(tables[name])} order by timestamp, character_id`.execute(
    app.db,
  );
  return rows;
}
const whose = async (name: Snapshots) => (await entries(name)).map((row) => row.character_id).sort();
/** The characters whose mailboxes were read: each of them has mail. */
const mailboxes = async () =>
  (await app.db.selectFrom('mailboxes').select('character_id').execute()).map((row) => row.character_id);
const done = async (name: Name) => (name === 'mail' ? (await mailboxes()).sort() : whose(name));
const turns = (name: Name) =>
  app.db
    .selectFrom('history_turns')
    .selectAll()
    .where('history', '=', name)
    .orderBy('character_id')
    .execute();

describe('which characters a run visits', () => {
  it.each(names)('%s: those who granted the scopes; nobody else costs a request', async (name) => {
    const granted = await addGrants(app, 3, ALL);
    await addGrants(app, 3, name === 'mail' ? [...PLACE, WALLET] : [MAIL, PLACE[0] as ExtScope], 10);
    const dead = await addGrants(app, 2, ALL, 20);
    await app.db.updateTable('grants').set({ valid: false }).where('character_id', 'in', dead).execute();
    await collect(name);
    expect(await done(name)).toEqual(granted);
    expect(new Set(asked().map(({ characterId }) => characterId ?? 0))).toEqual(
      new Set([...granted, ...(asked().some(({ characterId }) => characterId === null) ? [0] : [])]),
    );
    expect(failed()).toEqual([]);
  });

  it('location: scopes of two refresh tokens together are enough', async () => {
    await addGrants(app, 1, PLACE.slice(0, 2));
    await addGrants(app, 1, PLACE.slice(2));
    await collect('location');
    expect(await whose('location')).toEqual([ADA]);
  });

  it('a character that has just signed in is visited by the next run', async () => {
    await addGrant(app, ADA, ALL);
    for (const name of names) await collect(name);
    for (const name of names) expect(await done(name)).toEqual([ADA]);
  });

  it('scopes of a later sign-in start their histories at once, and do not shift the others', async () => {
    await addGrant(app, ADA, [SKILLS, ...PLACE.slice(0, 2)]);
    for (const name of names) await collect(name);
    expect(await done('skillpoints')).toEqual([ADA]);
    app.clock.advance(MINUTE);
    await addGrant(app, ADA, ALL);
    for (const name of names) await collect(name);
    for (const name of names) expect(await done(name)).toEqual([ADA]);
    expect(await entries('skillpoints')).toHaveLength(1);
  });

  it('so does a valid refresh token after a dead one', async () => {
    await addGrant(app, ADA, ALL);
    for (const name of names) await collect(name);
    await sql`update grants set valid = false`.execute(app.db);
    await sql`update history_turns set due_on = due_on + interval '1 day', failures = 3`.execute(app.db);
    app.clock.advance(MINUTE);
    await addGrant(app, ADA, ALL);
    for (const name of ['location', 'skillpoints', 'wallet'] as const) {
      await collect(name);
      expect(await entries(name)).toHaveLength(2);
    }
    const { rows } = await sql`select from history_turns where failures > 0`.execute(app.db);
    expect(rows).toEqual([]);
  });

  describe('whose refresh token turns out to be dead', () => {
    const findDead = async () => {
      await expireAccessTokens(app);
      app.provider.faults.add('/v2/oauth/token', { kind: 'oauth', error: 'token missing' });
      await collect('wallet');
      expect(await entries('wallet')).toEqual([]);
    };

    it('D34b: a quarter of an hour later it was checked, and the best one left is used', async () => {
      await addGrant(app, ADA, [SKILLS, WALLET]);
      await addGrant(app, ADA, [WALLET]);
      await findDead();
      await checkGrants(app.app.services, testRun('check-grants'));
      app.provider.faults.clear();
      app.clock.advance(15 * MINUTE);
      await collect('wallet');
      expect(await whose('wallet')).toEqual([ADA]);
    });

    it('D34b: a sign-in that replaces it before it was checked starts the history at once', async () => {
      await addGrant(app, ADA, [WALLET]);
      await findDead();
      app.provider.faults.clear();
      app.clock.advance(MINUTE);
      await addGrant(app, ADA, [WALLET]);
      await collect('wallet');
      expect(await whose('wallet')).toEqual([ADA]);
    });
  });

  it('signing in again with the same scopes adds no entry before it is due', async () => {
    await addGrant(app, ADA, ALL);
    for (const name of names) await collect(name);
    app.clock.advance(MINUTE);
    await addGrant(app, ADA, ALL);
    for (const name of ['location', 'skillpoints', 'wallet'] as const) {
      await collect(name);
      expect(await entries(name)).toHaveLength(1);
    }
  });

  it('those who wait longest come first, and a run visits no more than its maximum', async () => {
    const ids = await addGrants(app, 15, [WALLET]);
    await sql`update history_turns set due_on = due_on - (character_id % 7) * interval '1 minute'`.execute(
      app.db,
    );
    const order = [...ids].sort((a, b) => (b % 7) - (a % 7) || a - b);
    await collect('wallet', { most: 6 });
    expect(await whose('wallet')).toEqual(order.slice(0, 6).sort());
    await collect('wallet', { most: 6 });
    expect(await whose('wallet')).toEqual(order.slice(0, 12).sort());
  });
});

describe('each entry once', () => {
  it.each([
    ['location', 1],
    ['skillpoints', 12],
    ['wallet', 12],
  ] as const)('%s: one in every %i hours of the character’s own, spread over them', async (name, hours) => {
    const ids = await addGrants(app, 5, ALL);
    await collect(name);
    await empty(app.db, tables[name]);
    // As a schedule would, every five minutes, where the interval is an hour.
    const every = hours * 5 * MINUTE;
    const made: number[] = [];
    for (let run = 0; run < 2 * 12; run += 1) {
      app.clock.advance(every);
      const before = (await entries(name)).length;
      await collect(name);
      made.push((await entries(name)).length - before);
    }
    const rows = await entries(name);
    expect(rows).toHaveLength(2 * ids.length);
    for (const id of ids) {
      const own = rows.filter((row) => row.character_id === id).map((row) => row.timestamp.getTime());
      const intervals = own.map((at) => Math.floor((at / 1000 - (id % (hours * 3600))) / (hours * 3600)));
      expect(intervals[1]).toBe((intervals[0] ?? 0) + 1);
      // Never later than the next run.
      for (const at of own) expect((at / 1000 - id) % (hours * 3600)).toBeLessThan(every / 1000);
    }
    // Ids of this test are consecutive, and so are their turns.
    expect(made.filter((count) => count > 0).length).toBeGreaterThanOrEqual(2);
  });

  it('turns are spread evenly over the interval', async () => {
    await sql`
      with people as (
        insert into users (character_id, character_name, name_key)
        select 90000000 + 1301 * n, n, n from generate_series(1, 1200) n returning character_id
      )
      insert into history_turns (character_id, history, due_on)
      select character_id, 'wallet', ${app.clock.now()} from people`.execute(app.db);
    await collect('wallet');
    const hours = new Array<number>(12).fill(0);
    for (const { due_on } of await turns('wallet')) {
      const hour = Math.floor((due_on.getTime() - app.clock.now().getTime()) / HOUR);
      hours[hour] = (hours[hour] ?? 0) + 1;
    }
    expect(hours).toHaveLength(12);
    for (const each of hours) expect(Math.abs(each - 100)).toBeLessThan(10);
  });

  it.each(names)('%s: run twice it writes, and asks, once', async (name) => {
    await addGrants(app, 5, ALL);
    await collect(name);
    const once = asked().length;
    const before = await sql`select * from mailbox_mails order by 1, 2`.execute(app.db);
    await collect(name);
    expect(asked()).toHaveLength(once);
    expect(await done(name)).toHaveLength(5);
    expect((await sql`select * from mailbox_mails order by 1, 2`.execute(app.db)).rows).toEqual(before.rows);
  });

  it.each(names)('%s: two workers at once share the work', async (name) => {
    // None takes all of them: one claim is of 40, and where a turn costs more, so few make up a run.
    const [count, most] = name === 'wallet' ? [44, 44] : [16, 12];
    const ids = await addGrants(app, count, ALL);
    const other = otherProcess(app);
    await other.document.current();
    const counts = [0, 0];
    const counted = (worker: number) => ({
      most,
      progress: () => {
        counts[worker] = (counts[worker] ?? 0) + 1;
      },
    });
    await Promise.all([
      collect(name, counted(0)),
      collect(name, { ...counted(1), services: { ...app.app.services, ...other } }),
    ]);
    await other.stop();
    expect(await done(name)).toEqual(ids);
    expect((counts[0] ?? 0) + (counts[1] ?? 0)).toBe(count);
    expect(Math.min(...counts)).toBeGreaterThan(0);
  });

  it('characters that another worker is claiming are skipped, not waited for', async () => {
    const ids = await addGrants(app, 3, [WALLET]);
    const other = new pg.Client({ connectionString: app.databaseUrl });
    await other.connect();
    await other.query('begin');
    await other.query('select from history_turns where character_id = $1 for update', [ADA]);
    await collect('wallet');
    expect(await whose('wallet')).toEqual(ids.slice(1));
    await other.query('rollback');
    await other.end();
  });

  it('characters claimed by a killed worker are visited ten minutes later', async () => {
    const ids = await addGrants(app, 3, [WALLET]);
    const now = app.clock.now();
    const until = new Date(now.getTime() + 10 * MINUTE);
    const rhythm = { history: 'wallet', seconds: 43_200, scopes: [WALLET] } as const;
    const { turns: taken } = await takeTurns(app.db, rhythm, { due: now, now, until, most: 2 });
    await collect('wallet');
    expect(await whose('wallet')).toEqual(ids.slice(2));
    app.clock.advance(10 * MINUTE);
    await collect('wallet');
    expect(await whose('wallet')).toEqual(ids);
    // A worker that was merely slow does not store its entry: another one has done so.
    const [turn] = taken;
    await storeWallet(app.app.services, turn?.characterId ?? 0, app.clock.now(), turn);
    expect(await whose('wallet')).toEqual(ids);
    // Nor does it decide when the turn comes again.
    const decided = await turns('wallet');
    for (const slow of taken) await putOff(app.db, slow, app.clock.now());
    await giveBack(app.db, taken, app.clock.now());
    expect(await turns('wallet')).toEqual(decided);
  });

  it('turns that a worker whose clock is ahead has put off, or claimed, are taken by the next run', async () => {
    const ids = await addGrants(app, 3, [WALLET]);
    const ahead = new Date(app.clock.now().getTime() + 365 * 24 * HOUR);
    const rhythm = { history: 'wallet', seconds: 43_200, scopes: [WALLET] } as const;
    const until = new Date(ahead.getTime() + 10 * MINUTE);
    const { turns: taken } = await takeTurns(app.db, rhythm, { due: ahead, now: ahead, until, most: 3 });
    const [first, second] = taken;
    await giveBack(app.db, first === undefined ? [] : [first], ahead);
    if (second !== undefined) await endTurn(app.db, second, ahead);
    await collect('wallet');
    expect(await whose('wallet')).toEqual(ids);
  });

  it('an entry that cannot be written leaves its turn due', async () => {
    await addGrants(app, 1, [WALLET]);
    await sql`alter table character_wallets add constraint odd check (balance < 0) not valid`.execute(app.db);
    await collect('wallet').finally(() =>
      sql`alter table character_wallets drop constraint odd`.execute(app.db),
    );
    expect(await whose('wallet')).toEqual([]);
    expect(await turns('wallet')).toMatchObject([{ failures: 1 }]);
    app.clock.advance(5 * MINUTE);
    await collect('wallet');
    expect(await whose('wallet')).toEqual([ADA]);
    expect(await turns('wallet')).toMatchObject([{ failures: 0 }]);
  });
});

describe('what one run costs', () => {
  it('80 characters: at most eight requests at a time, one statement for 40 characters', async () => {
    const ids = await addGrants(app, 80, [WALLET]);
    const told: [number, number][] = [];
    const sent = await statementsOf(app, () => collect('wallet', { progress: (...step) => told.push(step) }));
    expect(await whose('wallet')).toEqual(ids);
    expect(told.at(-1)).toEqual([80, 80]);
    expect(Math.max(...app.provider.requests.map(({ open }) => open))).toBeLessThanOrEqual(8);
    const claims = sent.filter((text) => /skip locked/.test(text) && /history_turns/.test(text));
    expect(claims).toHaveLength(80 / 40 + 1);
    // One for the subject and one for the entry; the others are the client's, with some more at the start.
    const own = sent.filter((text) => /history_turns|from "?users"?/.test(text));
    expect(own.length).toBeLessThanOrEqual(2 * 80 + claims.length + 10);
  });

  it('400 without useful scopes: one statement for 40 of them, no request', async () => {
    await addGrants(app, 400, [SKILLS]);
    const sent = await statementsOf(app, () => collect('wallet'));
    expect(sent.length).toBe(['put off', 'count'].length + 400 / 40 + 1);
    expect(asked()).toEqual([]);
  });
});

describe('a failing character does not hold up others', () => {
  it('a 403 is retried after 5, 10, 20 minutes, at most a day, until it succeeds', async () => {
    const ids = await addGrants(app, 6, [WALLET]);
    await sql`update history_turns set due_on = 'epoch' where character_id = ${ADA}`.execute(app.db);
    const refused = app.provider.faults.add(`/characters/${ADA}/wallet`, { kind: 'odd 403' });
    await collect('wallet');
    expect(await whose('wallet')).toEqual(ids.slice(1));
    const strikes = [];
    for (let minute = 5; minute <= 40; minute += 5) {
      app.clock.advance(5 * MINUTE);
      await collect('wallet');
      strikes.push(refused.strikes);
    }
    expect(strikes).toEqual([2, 2, 3, 3, 3, 3, 4, 4]);
    await sql`update history_turns set failures = 300, due_on = ${app.clock.now()}
      where character_id = ${ADA}`.execute(app.db);
    await collect('wallet');
    const [turn] = await turns('wallet');
    expect((turn?.due_on.getTime() ?? 0) - app.clock.now().getTime()).toBeLessThanOrEqual(24 * HOUR);
    app.provider.faults.clear();
    app.clock.advance(24 * HOUR);
    await collect('wallet');
    expect(await whose('wallet')).toContain(ADA);
    expect((await turns('wallet'))[0]).toMatchObject({ failures: 0 });
  });

  describe('texts of mails that the provider does not give (D36b)', () => {
    const held = () => mailbox(app.provider.world, app.provider.world.character(ADA) as Character);
    const withoutText = async () =>
      (await app.db.selectFrom('mails').select('mail_id').where('body', 'is', null).execute()).map(
        ({ mail_id }) => mail_id,
      );
    const mailsOf = async (characterId: number) =>
      app.db.selectFrom('mailbox_mails').select('mail_id').where('character_id', '=', characterId).execute();
    const letter = {
      from: ADA,
      recipients: [{ recipient_id: ADA + 1, recipient_type: 'character' as const }],
      subject: 'A letter',
      body: 'Its text',
    };
    const kinds: readonly Fault[] = [{ kind: 'odd 403' }, { kind: 'status', status: 500 }];

    it.each(kinds)('%o: one keeps neither the others nor new mails waiting', async (fault) => {
      await addGrant(app, ADA, ALL);
      const [newest] = held();
      const odd = app.provider.faults.add(`/characters/${ADA}/mail/${newest?.id}`, fault);
      await collect('mail');
      expect(await withoutText()).toEqual([newest?.id]);
      expect(await turns('mail')).toMatchObject([{ failures: 0 }]);
      for (let run = 1; run <= 3; run += 1) {
        expect(odd.strikes).toBe(run);
        app.clock.advance(HOUR);
        await sql`update history_turns set failures = 300, due_on = ${app.clock.now()}`.execute(app.db);
        await collect('mail');
        const [turn] = await turns('mail');
        expect(turn?.due_on).toEqual(new Date(app.clock.now().getTime() + HOUR));
      }
      app.clock.advance(HOUR);
      const known = held().length;
      app.provider.world.sendMail(letter);
      expect(held()).toHaveLength(known + 1);
      await collect('mail');
      expect(await mailsOf(ADA)).toHaveLength(known + 1);
      expect(await withoutText()).toEqual([newest?.id]);
    });

    it.each(kinds)('%o: all of them are two errors, which put the turn off', async (fault) => {
      await addGrant(app, ADA, ALL);
      for (let sent = 0; sent < 6; sent += 1) app.provider.world.sendMail(letter);
      const sick = app.provider.faults.add('/characters/*/mail/*', fault);
      for (const [run, minutes] of [5, 10, 20, 40, 60, 60].entries()) {
        await collect('mail');
        expect(sick.strikes).toBe(2 * (run + 1));
        const [turn] = await turns('mail');
        expect(turn).toMatchObject({ failures: run + 1 });
        expect(turn?.due_on.getTime()).toBe(app.clock.now().getTime() + minutes * MINUTE);
        app.clock.advance(minutes * MINUTE);
      }
      expect(await withoutText()).toHaveLength(held().length);
    });

    it.each(kinds)('%o: one that many hold is no reason to leave their mailboxes', async (fault) => {
      const held = Array.from({ length: 24 }, (_, n) => ADA + n);
      await addGrants(app, held.length, ALL);
      const recipients = held.map((recipient_id) => ({ recipient_id, recipient_type: 'character' as const }));
      app.provider.world.sendMail({ ...letter, recipients });
      const id = Math.max(
        ...mailbox(app.provider.world, app.provider.world.character(ADA) as Character).map((mail) => mail.id),
      );
      const sick = app.provider.faults.add(`/characters/*/mail/${id}`, fault);
      await collect('mail');
      expect(sick.strikes).toBe(2);
      expect(await withoutText()).toEqual([id]);
      expect((await turns('mail')).filter(({ failures }) => failures > 0).length).toBeLessThanOrEqual(2);
    });

    it.each(kinds)('%o: all of them, of many characters, end the run', async (fault) => {
      await addGrants(app, 24, ALL);
      const sick = app.provider.faults.add('/characters/*/mail/*', fault);
      const run = collect('mail');
      await (fault.kind === 'status' ? run : expect(run).rejects.toThrow('in a row were refused'));
      // Those under way, too.
      expect(sick.strikes).toBeLessThanOrEqual(2 * (5 + 8));
      app.provider.faults.clear();
      await forgetProvider(app);
      for (let runs = 0; runs < 3; runs += 1) {
        app.clock.advance(5 * MINUTE);
        await collect('mail');
      }
      expect(await withoutText()).toEqual([]);
    });
  });

  it('D63: texts that the provider fails to give, with successes in between, are no refusals of their characters', async () => {
    await addGrants(app, 24, [MAIL]);
    const works = new Map<string, boolean>();
    const client: ProviderClient = {
      async ask({ path, query }) {
        const [, id = '', text] = /^\/characters\/(\d+)\/mail(\/\d+)?$/.exec(path) ?? [];
        // Every other mailbox, in the order in which they are read.
        if (!works.has(id)) works.set(id, works.size % 2 === 1);
        if (text !== undefined && works.get(id)) return madeAnswer(200, { body: 'text' });
        if (text !== undefined) throw new ProviderError('unusable', "the game's API answered 500");
        if (new Map(query).has('last_mail_id')) return madeAnswer(200, []);
        return madeAnswer(
          200,
          Array.from({ length: 40 }, (_, n) => ({ mail_id: Number(id) * 100 - n, from: ADA })),
        );
      },
    };
    await collect('mail', { services: { ...app.app.services, client } });
    expect((await turns('mail')).some(({ failures }) => failures > 0)).toBe(true);
  });

  it('D36: a mailbox with more nameless senders than a run can find is kept, after attempts hourly at least', async () => {
    await empty(app.db, 'names');
    const nameless = new Set(Array.from({ length: 30 }, (_, n) => 90_000_001 + n));
    const headers = [...nameless, ADA].map((from, n) => ({ mail_id: 380_000_100 - n, from }));
    const client: ProviderClient = {
      async ask({ path, query, body = [] }) {
        if (path.endsWith('/mail')) return madeAnswer(200, new Map(query).has('last_mail_id') ? [] : headers);
        if (path !== '/universe/names') return madeAnswer(200, { body: 'text' });
        if (body.some((id) => nameless.has(id))) return madeAnswer(404, { error: 'not valid' });
        return madeAnswer(
          200,
          body.map((id) => ({ id, name: `Name of ${id}`, category: 'character' })),
        );
      },
    };
    await addGrant(app, ADA, [MAIL]);
    for (let run = 0; run < nameless.size && (await mailboxes()).length === 0; run += 1) {
      await collect('mail', { services: { ...app.app.services, client } });
      const [turn] = await turns('mail');
      const pause = (turn?.due_on.getTime() ?? 0) - app.clock.now().getTime();
      expect(pause).toBeLessThanOrEqual(HOUR);
      app.clock.advance(pause);
    }
    const kept = await app.db.selectFrom('mails').select('from_name').orderBy('mail_id', 'desc').execute();
    expect(kept.map(({ from_name }) => from_name)).toEqual([
      ...[...nameless].map((id) => `#${id}`),
      `Name of ${ADA}`,
    ]);
  });

  it('D33: mailboxes with many nameless senders cause 20 errors in a run, and each of them is kept in the end', async () => {
    const [count, bad] = [8, 15];
    await empty(app.db, 'names');
    const ids = await addGrants(app, count, [MAIL]);
    const client: ProviderClient = {
      async ask(request) {
        const [, id] = /^\/characters\/(\d+)\/mail$/.exec(request.path) ?? [];
        if (id === undefined && request.path !== '/universe/names') return madeAnswer(200, { body: 'text' });
        if (id === undefined) return app.app.services.client.ask(request);
        if (new Map(request.query).has('last_mail_id')) return madeAnswer(200, []);
        const first = 90_000_000 + (Number(id) - ADA) * bad;
        return madeAnswer(
          200,
          Array.from({ length: bad }, (_, n) => ({ mail_id: Number(id) * 100 - n, from: first + n })),
        );
      },
    };
    const run = () => collect('mail', { services: { ...app.app.services, client } });
    await run();
    expect(app.logged.some((line) => line.includes('too many errors'))).toBe(true);
    expect(failed().length).toBeLessThanOrEqual(20);
    for (let runs = 1; runs < count * bad && (await mailboxes()).length < count; runs += 1) {
      app.clock.advance(5 * MINUTE);
      await forgetProvider(app);
      await run();
    }
    expect((await mailboxes()).sort()).toEqual(ids);
  });

  it('D33: a used-up rate limit of some characters puts off theirs alone; of five in a row, it ends the run', async () => {
    const ids = await addGrants(app, 24, [WALLET]);
    const busy = ids.slice(0, 4);
    await sql`update history_turns set due_on = 'epoch' where character_id = any(${busy}::bigint[])`.execute(
      app.db,
    );
    const limits = busy.map((id) =>
      app.provider.faults.add(`/characters/${id}/wallet`, { kind: 'status', status: 429, retryAfter: 600 }),
    );
    await collect('wallet');
    expect(await whose('wallet')).toEqual(ids.slice(4));
    app.clock.advance(9 * MINUTE);
    await collect('wallet');
    expect(limits.map(({ strikes }) => strikes)).toEqual([1, 1, 1, 1]);
    app.provider.faults.clear();
    app.clock.advance(2 * MINUTE);
    await collect('wallet');
    expect(await whose('wallet')).toEqual(ids);
    app.clock.advance(13 * HOUR);
    const all = app.provider.faults.add('/characters/*/wallet', { kind: 'status', status: 429 });
    await expect(collect('wallet')).rejects.toThrow('in a row were refused');
    expect(all.strikes).toBeLessThanOrEqual(5 + 8);
  });

  it('403s to all of them, as from a faulty sign-on, end the run; those refused come last in the next one', async () => {
    await addGrants(app, 24, [WALLET]);
    const sick = app.provider.faults.add('/characters/*/wallet', { kind: 'odd 403' });
    await expect(collect('wallet')).rejects.toThrow('in a row were refused');
    expect(sick.strikes).toBeLessThanOrEqual(5 + 8);
    app.provider.faults.clear();
    await collect('wallet');
    expect(await whose('wallet')).toHaveLength(24 - sick.strikes);
    app.clock.advance(5 * MINUTE);
    await collect('wallet');
    expect(await whose('wallet')).toHaveLength(24);
  });

  it('refresh tokens that turn out dead are left to the check of grants, however many (D63)', async () => {
    const ids = await addGrants(app, 20, [WALLET]);
    for (const id of ids) app.provider.world.handOver(id);
    await collect('wallet');
    expect(asked()).toEqual([]);
    const { rows } = await sql`select from grants where not valid`.execute(app.db);
    expect(rows).toEqual([]);
    app.clock.advance(5 * MINUTE);
    const before = app.provider.requests.length;
    await collect('wallet');
    expect(app.provider.requests).toHaveLength(before);
  });
});

describe('D63: the daily downtime', () => {
  const away: readonly Fault[] = [
    { kind: 'status', status: 503, as: 'html' },
    { kind: 'status', status: 504 },
    { kind: 'reset' },
    { kind: 'status', status: 420 },
  ];
  it.each(names.flatMap((name) => away.map((fault) => [name, fault] as const)))(
    '%s, from the start, %o: one error for each run, none of which fails; all caught up in the first one after it',
    async (name, fault) => {
      const ids = await addGrants(app, 5, ALL);
      const down = app.provider.faults.add('api', fault);
      const before = stops();
      for (let run = 0; run < 3; run += 1) {
        await collect(name);
        expect(stops()).toBe(before + run + 1);
        app.clock.advance(5 * MINUTE);
      }
      expect(down.strikes).toBe(3);
      expect(await done(name)).toEqual([]);
      app.provider.faults.clear();
      await forgetProvider(app);
      app.clock.advance(5 * MINUTE);
      await collect(name);
      expect(await done(name)).toEqual(ids);
    },
  );

  it.each(
    names.flatMap((name) => (name === 'mail' ? [1, 9] : [1, 45]).map((after) => [name, after] as const)),
  )('%s, after %i characters: no run fails, at most 12 errors; one cycle catches up', async (name, after) => {
    // Twice as many as may be under way, so that most runs meet the downtime.
    const ids = await addGrants(app, after + 16, ALL);
    const progress = (step: number) => {
      if (step === after) app.provider.faults.downtime = true;
    };
    await collect(name, { progress });
    const before = stops();
    for (let minute = 0; minute < 15; minute += 5) {
      await collect(name);
      app.clock.advance(5 * MINUTE);
    }
    expect(stops()).toBe(before + 3);
    expect(failed().length).toBeGreaterThan(0);
    expect(failed().length).toBeLessThanOrEqual(9 + 3);
    app.provider.faults.downtime = false;
    for (let run = 0; run < 3; run += 1) {
      await collect(name);
      app.clock.advance(5 * MINUTE);
    }
    expect(await done(name)).toEqual(ids);
  });

  it('an unavailable sign-on ends the run too, without requests to the game’s API', async () => {
    await addGrants(app, 30, ALL);
    app.provider.faults.add('/v2/oauth/token', { kind: 'status', status: 503 });
    const before = stops();
    for (const name of names) await collect(name);
    expect(stops()).toBe(before + names.length);
    expect(asked()).toEqual([]);
    const { rows } = await sql`select from grants where not valid`.execute(app.db);
    expect(rows).toEqual([]);
  });
});

describe('a run that is aborted', () => {
  it.each(names)(
    '%s: ends at once, even while the provider hangs; characters that were not done stay due',
    async (name) => {
      const ids = await addGrants(app, 18, ALL);
      const end = new AbortController();
      let told = 0;
      const progress = (step: number) => {
        if (step !== 8) return;
        app.provider.faults.add('api', { kind: 'hang' });
        void expect
          .poll(() => asked().some(({ fault }) => fault === 'hang'))
          .toBe(true)
          .then(() => {
            told = performance.now();
            end.abort();
          });
      };
      await expect(collect(name, { signal: end.signal, progress })).rejects.toThrow('told to end');
      // Much less than the timeout of a request, 10 s.
      expect(performance.now() - told).toBeLessThan(8_000);
      const first = await done(name);
      expect(first.length).toBeLessThanOrEqual(8 + 8);
      app.provider.faults.clear();
      // As a new process, because the requests of this one still hang.
      const other = otherProcess(app);
      await other.document.current();
      await collect(name, { services: { ...app.app.services, ...other } });
      await other.stop();
      expect(await done(name)).toEqual(ids);
    },
  );

  it('sends no request when it is aborted before it began', async () => {
    await addGrants(app, 3, ALL);
    await expect(collect('wallet', { signal: AbortSignal.abort() })).rejects.toThrow('told to end');
    expect(app.provider.requests).toEqual([]);
  });
});
