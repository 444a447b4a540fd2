import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ExtScope } from '../../contract/scopes.ts';
import type { Fault, OAuthFault } from '../../dev/provider/faults.ts';
import { FIRST_CHARACTER_ID } from '../../dev/world/world.ts';
import { checkGrants } from '../../server/grant/check-grants.ts';
import { giveUpGrantsOf } from '../../server/grant/give-up-grants.ts';
import { grantsByKey } from '../../server/grant/grant-keys.queries.ts';
import { createAccessTokens } from '../../server/grant/refresh-tokens.ts';
import { ProviderError } from '../../server/provider/http.ts';
import type { Run } from '../../server/queue/run.ts';
import { allEvents, eventsOf } from '../fixtures/events.ts';
import { addGrants, statementsOf } from '../fixtures/grants.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { empty } from '../harness/database.ts';
import { meanwhile } from '../harness/meanwhile.ts';
import {
  addGrant,
  expireAccessTokens,
  forgetProvider,
  LOCATION,
  otherProcess,
  outcomeOf,
  ownRecord,
  SKILLS,
  WALLET,
} from '../harness/provider.ts';
import { testRun } from '../harness/run.ts';

const TOKEN = '/v2/oauth/token';
const MINUTE = 60_000;
const ADA = FIRST_CHARACTER_ID;

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp({ provider: { corporations: 20, characters: 500 } });
  await app.app.services.document.current();
});
beforeEach(async () => {
  app.provider.reset();
  await forgetProvider(app);
  await empty(app.db, 'users', 'held_changes');
});
afterAll(() => app.stop());

const check = (options: Partial<Omit<Run, 'job'>> = {}, services = app.app.services) =>
  checkGrants(services, testRun('check-grants', options));
const asked = () => app.provider.requests.filter(({ path }) => path === TOKEN);
const grants = () => app.db.selectFrom('grants').selectAll().orderBy('character_id').execute();
const invalid = async () => (await grants()).filter(({ valid }) => !valid).map((grant) => grant.character_id);
/** The sign-on answers that the grants of a character are dead, because it has another owner. */
const kill = (ids: readonly number[]) => {
  for (const id of ids) app.provider.world.handOver(id);
};
/** In how many runs the guard has found what it holds back. */
const found = async () =>
  (await app.db.selectFrom('held_changes').select('runs').execute()).map(({ runs }) => runs);

describe('the check of refresh tokens keeps tracking true within the hour', () => {
  it('refreshes once each grant that was not used for 45 minutes, and stores the access tokens', async () => {
    await addGrants(app, 3, [SKILLS]);
    await addGrant(app, ADA + 3, [SKILLS]);
    app.provider.reset();
    await check();
    expect(asked()).toHaveLength(3);
    await check();
    expect(asked()).toHaveLength(3);
    // Five minutes more, as a run takes what is due within those. Spread, so that they do not stay due at the same time.
    const next = (await grants()).map((grant) => grant.next_check_on.getTime() - app.clock.now().getTime());
    expect(Math.min(...next)).toBeGreaterThan(45 * MINUTE);
    expect(Math.max(...next)).toBeLessThanOrEqual(50 * MINUTE);
    expect(new Set(next).size).toBe(4);
    app.clock.advance(10 * MINUTE);
    expect(await outcomeOf(app.app.services.client.ask(ownRecord(ADA)))).toBe(200);
    expect(asked()).toHaveLength(3);
    app.clock.advance(36 * MINUTE);
    await check();
    expect(asked()).toHaveLength(7);
  });

  it('D52: a requested run refreshes every grant, once', async () => {
    await addGrants(app, 3, [SKILLS]);
    await check();
    kill([ADA]);
    await check();
    expect(await invalid()).toEqual([]);
    await check({ asked: true });
    expect(asked()).toHaveLength(6);
    expect(await invalid()).toEqual([ADA]);
  });

  it('D8: a check that fails on our side begins no others, which would go on beside the next attempt', async () => {
    await addGrants(app, 3, [SKILLS]);
    await sql`create function fails() returns trigger language plpgsql as
      $$begin raise exception 'not stored' using errcode = '57P01'; end$$`.execute(app.db);
    await sql`create trigger fails before update on grants for each row execute function fails()`.execute(
      app.db,
    );
    let begun = 0;
    const of = () => {
      begun += 1;
      throw new Error('its key is gone');
    };
    const failed = check({}, { ...app.app.services, access: { of } });
    await expect(failed).rejects.toThrow('not stored');
    await sql`drop function fails cascade`.execute(app.db);
    expect(begun).toBe(1);
  });

  it('D91: what is left of the scopes is told with each token that died', async () => {
    const [id = 0] = await addGrants(app, 1, [SKILLS]);
    await addGrant(app, id, [LOCATION, SKILLS]);
    kill([id]);
    await check({ asked: true });
    const told = (await allEvents(app.db)).filter(({ type }) => type === 'grant.invalidated').slice(-2);
    const scopes = told.map(({ changes: [change] }) => change);
    expect(scopes[0]).toMatchObject({ field: 'scopes', before: [LOCATION, SKILLS].sort() });
    expect(scopes[1]).toMatchObject({ field: 'scopes', after: [] });
    expect(told[0]?.changes[0]).toMatchObject({ after: (scopes[1] as { before: string[] }).before });
  });

  it.each([
    ['the check', () => check()],
    ['a call', (id: number) => outcomeOf(app.app.services.client.ask(ownRecord(id)))],
  ] as const)('D91: so it is where another one dies at the same moment, noticed by %s', async (_, notice) => {
    const [id = 0] = await addGrants(app, 1, [SKILLS]);
    await addGrant(app, id, [LOCATION]);
    kill([id]);
    const other = 'update grants set valid = false where character_id = $1 and $2 = any(scopes)';
    const events = await eventsOf(app.db, () =>
      meanwhile<unknown>(app, other, [id, LOCATION], () => notice(id)),
    );
    const told = events.filter(({ type }) => type === 'grant.invalidated');
    expect(told.map(({ changes }) => changes)).toEqual([[{ field: 'scopes', before: [SKILLS], after: [] }]]);
  });

  it('D91: so it is where one of another encryption key dies while those of a lost key are given up', async () => {
    const [id = 0] = await addGrants(app, 1, [SKILLS]);
    const lost = (await grantsByKey(app.db)).map(({ key_id }) => key_id);
    await addGrant(app, id, [LOCATION]);
    const otherKey = Buffer.from([1, 5, ...Buffer.from('other'), 0]);
    const at = app.db.updateTable('grants').where('scopes', '=', sql<ExtScope[]>`${[LOCATION]}::text[]`);
    await at.set({ refresh_token: otherKey }).execute();
    const other = 'update grants set valid = false where character_id = $1 and $2 = any(scopes)';
    const events = await eventsOf(app.db, () =>
      meanwhile(app, other, [id, LOCATION], () => giveUpGrantsOf(app.app.services, lost)),
    );
    expect(events.map(({ type, changes }) => [type, changes])).toEqual([
      ['grant.invalidated', [{ field: 'scopes', before: [SKILLS], after: [] }]],
    ]);
  });

  it.each([
    [
      'the check marks while a call waits',
      (id: number) => outcomeOf(app.app.services.client.ask(ownRecord(id))),
    ],
    ['a call marks while the check waits', () => check()],
  ] as const)('D91: a token that %s for the answer about it dies once', async (_, ask) => {
    const [id = 0] = await addGrants(app, 1, [SKILLS]);
    kill([id]);
    let answer = () => undefined as unknown;
    const until = new Promise((resolve) => {
      answer = () => resolve(undefined);
    });
    app.provider.faults.add(TOKEN, { kind: 'hold', until }, { times: 1 });
    const events = await eventsOf(app.db, async () => {
      const asking = ask(id);
      await expect.poll(async () => (await grants())[0]?.refresh_started_on).not.toBeNull();
      // The other one had asked before, and marks it now.
      await app.db.updateTable('grants').set({ valid: false }).execute();
      answer();
      await asking;
    });
    expect(events.filter(({ type }) => type === 'grant.invalidated')).toEqual([]);
  });

  it('a use that refreshes counts as a check', async () => {
    await addGrants(app, 2, [SKILLS]);
    await app.app.services.client.ask(ownRecord(ADA));
    await check();
    expect(asked()).toHaveLength(2);
  });

  it('a token that dies at any moment is known to be dead within the hour, with its cause; the others stay', async () => {
    await addGrants(app, 12, [SKILLS]);
    await check();
    const deaths = [0, 10, 20, 30, 40, 50].map((minute, n) => ({ minute, id: ADA + 2 * n }));
    const known = new Map<number, number>();
    for (let minute = 0; minute < 120; minute += 5) {
      kill(deaths.filter((death) => death.minute === minute).map(({ id }) => id));
      await check();
      for (const id of await invalid()) known.set(id, known.get(id) ?? minute);
      app.clock.advance(5 * MINUTE);
    }
    expect([...known.keys()].sort()).toEqual(deaths.map(({ id }) => id));
    for (const { minute, id } of deaths) expect((known.get(id) ?? 0) - minute).toBeLessThan(60);
    expect((await grants())[0]).toMatchObject({
      cause: expect.stringContaining('Character grant missing/expired'),
      access_token: null,
      refresh_started_on: null,
    });
  });

  it('a check that a clock which is ahead has put off takes place within the hour all the same', async () => {
    await addGrants(app, 1, [SKILLS]);
    const ahead = { now: () => new Date(app.clock.now().getTime() + 365 * 24 * 60 * MINUTE) };
    const services = { ...app.app.services, clock: { ...app.clock, ...ahead } };
    await check({}, { ...services, access: createAccessTokens(services) });
    kill([ADA]);
    app.clock.advance(50 * MINUTE);
    await check();
    expect(await invalid()).toEqual([ADA]);
  });

  it('a refresh that was cut off is cleared up', async () => {
    await addGrants(app, 1, [SKILLS]);
    await sql`update grants set refresh_started_on = now() - interval '10 minutes'`.execute(app.db);
    await check();
    expect(await grants()).toMatchObject([{ valid: true, refresh_started_on: null }]);
  });

  it('a valid access token is replaced too: only a refresh shows whether the grant is valid', async () => {
    await addGrant(app, ADA, [SKILLS]);
    await sql`update grants set next_check_on = ${app.clock.now()}`.execute(app.db);
    app.provider.reset();
    await check();
    expect(asked()).toHaveLength(1);
  });
});

describe('a run visits each grant once, whatever happens', () => {
  it('400 grants: eight at a time, one statement for a page of 200, progress to the end', async () => {
    await addGrants(app, 400, [SKILLS]);
    app.provider.rotateRefreshTokens = true;
    const told: [number, number][] = [];
    const sent = await statementsOf(app, () => check({ progress: (...step) => told.push(step) }));
    expect(asked()).toHaveLength(400);
    expect(new Set(asked().map(({ status }) => status))).toEqual(new Set([200]));
    expect(Math.max(...asked().map(({ open }) => open))).toBeLessThanOrEqual(8);
    expect(told.at(-1)).toEqual([400, 400]);
    const pages = sent.filter((text) => /order by "next_check_on"/.test(text));
    // Only a page that is not full is the last: after two full pages follows an empty one.
    expect(pages).toHaveLength(3);
    // For each grant: reading its row, the claim, its refresh token, its access token.
    const once = ['put off', 'count', 'begin', 'brake', 'dead', 'commit'];
    expect(sent).toHaveLength(4 * 400 + pages.length + once.length);
  });

  it('grants that stay due, as 250 that the guard holds, are refreshed once in a run, too', async () => {
    kill(await addGrants(app, 250, [SKILLS]));
    await check();
    expect(asked()).toHaveLength(250);
    expect(await invalid()).toEqual([]);
  });

  it('two at once, in two processes: each refreshed once', async () => {
    await addGrants(app, 30, [SKILLS]);
    app.provider.rotateRefreshTokens = true;
    const other = otherProcess(app);
    await Promise.all([check(), check({}, { ...app.app.services, db: other.db, access: other.access })]);
    await other.stop();
    expect(asked()).toHaveLength(30);
    expect(await invalid()).toEqual([]);
  });

  it('a run that is aborted ends soon, and the next run does the rest', async () => {
    await addGrants(app, 40, [SKILLS]);
    const end = new AbortController();
    const progress = (done: number) => done === 20 && end.abort();
    await expect(check({ signal: end.signal, progress: (done) => void progress(done) })).rejects.toThrow(
      'told to end',
    );
    expect(asked().length).toBeLessThanOrEqual(20 + 8);
    await check();
    expect(asked()).toHaveLength(40);
  });

  it('a run that is aborted marks the grants it found dead, even if every run is too long', async () => {
    const ids = await addGrants(app, 40, [SKILLS]);
    kill(ids.slice(0, 5));
    await app.db
      .updateTable('grants')
      .set({ next_check_on: new Date(0) })
      .where('character_id', 'in', ids.slice(0, 5))
      .execute();
    const end = new AbortController();
    const progress = (done: number) => void (done === 20 && end.abort());
    await expect(check({ signal: end.signal, progress })).rejects.toThrow('told to end');
    expect(await invalid()).toEqual(ids.slice(0, 5));
  });

  it('a run that is aborted before it began sends no request', async () => {
    await addGrants(app, 3, [SKILLS]);
    await expect(check({ signal: AbortSignal.abort() })).rejects.toThrow('told to end');
    expect(asked()).toEqual([]);
  });

  it('a grant whose key is gone does not stop the run, and goes to the end of the queue', async () => {
    await addGrants(app, 30, [SKILLS]);
    // The first ones: as failures of the sign-on they would end the run.
    await sql`update grants set refresh_token = '\\x0103616263'::bytea, next_check_on = 'epoch'
      where character_id < ${ADA + 12}`.execute(app.db);
    await check();
    expect(asked()).toHaveLength(18);
    expect(await invalid()).toEqual([]);
    await check();
    expect(asked()).toHaveLength(18);
  });
});

describe('D34: invalid on the provider’s word alone', () => {
  it('the token of a sign-in meanwhile stays valid when the one that it replaced turns out dead', async () => {
    await addGrants(app, 2, [SKILLS]);
    await sql`update grants set next_check_on = 'epoch' where character_id = ${ADA}`.execute(app.db);
    kill([ADA]);
    let release = () => undefined as unknown;
    const until = new Promise((resolve) => {
      release = () => resolve(undefined);
    });
    const running = check({
      progress: (done) => void (done === 1 && app.provider.faults.add(TOKEN, { kind: 'hold', until })),
    });
    await expect.poll(() => app.provider.faults.active[0]?.strikes).toBe(1);
    app.provider.faults.clear();
    await addGrant(app, ADA, [SKILLS]);
    release();
    await running;
    expect(asked().map(({ status }) => status)).toEqual([400, 200, 200]);
    expect(await invalid()).toEqual([]);
  });
});

describe('D63: a faulty sign-on takes nothing away', () => {
  const sick: readonly Fault[] = [
    { kind: 'status', status: 503, as: 'text' },
    { kind: 'status', status: 502, as: 'html' },
    { kind: 'oauth', error: 'invalid client' },
    { kind: 'oauth', error: 'grant type not supported' },
    { kind: 'not json' },
    { kind: 'reset' },
  ];
  it.each(sick.map((fault) => [JSON.stringify(fault), fault] as const))(
    'from the start: %s ends the run after three, and the next one catches up',
    async (_, fault) => {
      await addGrants(app, 20, [SKILLS]);
      const before = await grants();
      const struck = app.provider.faults.add(TOKEN, fault);
      await expect(check()).rejects.toThrow('3 of 20');
      // After a broken connection it is retried once at once, as the answer may have been lost.
      expect(struck.strikes).toBe(fault.kind === 'reset' ? 6 : 3);
      const unchanged = ({ next_check_on: _next, ...row }: (typeof before)[number]) => row;
      expect((await grants()).map(unchanged)).toEqual(before.map(unchanged));
      app.provider.faults.clear();
      app.clock.advance(5 * MINUTE);
      await check();
      expect((await grants()).every((grant) => grant.valid && grant.access_token !== null)).toBe(true);
    },
  );

  it.each([1, 25, 40])(
    'after %i answers: the run ends, and what it heard of dead tokens waits',
    async (n) => {
      // Enough to be asked after the first failures, with eight answers under way.
      const ids = await addGrants(app, 80, [SKILLS]);
      await sql`update grants set next_check_on = 'epoch' where character_id = ${ADA}`.execute(app.db);
      kill([ADA]);
      const progress = (done: number) => {
        if (done === n) app.provider.faults.add(TOKEN, { kind: 'status', status: 503 });
      };
      await expect(check({ progress })).rejects.toThrow(/of 80: /);
      expect(asked().filter(({ status }) => status === 503).length).toBeLessThanOrEqual(10 + 8);
      expect(await invalid()).toEqual([]);
      app.provider.faults.clear();
      app.clock.advance(5 * MINUTE);
      await check();
      expect(await invalid()).toEqual([ADA]);
      const later = app.clock.now();
      expect((await grants()).filter((row) => row.valid && row.next_check_on > later)).toHaveLength(
        ids.length - 1,
      );
    },
  );

  it('a tenth of scattered failures ends it, too', async () => {
    await addGrants(app, 400, [SKILLS]);
    app.provider.faults.add(TOKEN, { kind: 'status', status: 500 }, { probability: 0.3 });
    await expect(check()).rejects.toThrow(/of 400: /);
    expect(asked().length).toBeLessThan(200);
  });

  const words: readonly OAuthFault[] = ['token missing', 'grant not found', 'other client'];
  it.each(words)('everybody’s token called dead at once (%s): not one becomes invalid', async (error) => {
    await addGrants(app, 20, [SKILLS]);
    const metric = async () => (await app.app.services.metrics.jobsHeld.get()).values[0]?.value ?? 0;
    const before = await metric();
    app.provider.faults.add(TOKEN, { kind: 'oauth', error });
    await check();
    expect(await invalid()).toEqual([]);
    expect(await metric()).toBe(before + 1);
    expect(app.logged.at(-1)).toContain('too many users');
    app.provider.faults.clear();
    await check();
    expect(await invalid()).toEqual([]);
    expect(asked()).toHaveLength(40);
  });

  it('20 of 200 are not more than a tenth, 21 are; 19 of 19 are too few to be held', async () => {
    const ids = await addGrants(app, 200, [SKILLS]);
    kill(ids.slice(0, 21));
    await check();
    expect(await invalid()).toEqual([]);
    await sql`delete from users where character_id = ${ADA}`.execute(app.db);
    await addGrants(app, 1, [SKILLS], 300);
    await sql`update grants set next_check_on = ${app.clock.now()}`.execute(app.db);
    await check();
    expect(await invalid()).toEqual(ids.slice(1, 21));
    const few = await addGrants(app, 19, [WALLET], 400);
    kill(few);
    await check();
    expect(await invalid()).toEqual([...ids.slice(1, 21), ...few]);
  });

  it('it passes when forced, or when three runs half an hour apart find the same set', async () => {
    const ids = await addGrants(app, 60, [SKILLS]);
    kill(ids.slice(0, 30));
    for (let run = 0; run < 2; run += 1) {
      await check();
      expect(await invalid()).toEqual([]);
      app.clock.advance(31 * MINUTE);
    }
    await check();
    expect(await invalid()).toEqual(ids.slice(0, 30));
    const more = await addGrants(app, 30, [WALLET], 100);
    kill(more);
    await check();
    expect(await invalid()).toHaveLength(30);
    await check({ force: true });
    expect(await invalid()).toHaveLength(60);
  });

  it('it passes, too, when meanwhile one user after the other signs in again', async () => {
    const ids = await addGrants(app, 60, [SKILLS]);
    kill(ids.slice(0, 30));
    for (const id of ids.slice(0, 2)) {
      await check();
      expect(await invalid()).toEqual([]);
      await addGrant(app, id, [SKILLS]);
      app.clock.advance(31 * MINUTE);
    }
    await check();
    expect(await invalid()).toEqual(ids.slice(2, 30));
  });

  it('runs in which the sign-on fails once do not count, though they find the same set', async () => {
    const ids = await addGrants(app, 60, [SKILLS]);
    kill(ids.slice(0, 30));
    for (let run = 0; run < 3; run += 1) {
      app.provider.faults.add(TOKEN, { kind: 'status', status: 503 }, { times: 1 });
      await check();
      expect(await found()).toEqual([]);
      app.clock.advance(31 * MINUTE);
    }
    expect(await invalid()).toEqual([]);
  });

  it('runs count beside a refresh token whose every check fails, as it is not in each of them', async () => {
    const ids = await addGrants(app, 61, [SKILLS]);
    kill(ids.slice(0, 30));
    const { access } = app.app.services;
    const of: typeof access.of = (grant, id, ...rest) =>
      id === ids.at(-1)
        ? Promise.reject(new ProviderError('unusable', 'the answer cannot be used'))
        : access.of(grant, id, ...rest);
    const runs: number[][] = [];
    while (runs.length < 7) {
      await check({}, { ...app.app.services, access: { of } });
      runs.push(await found());
      app.clock.advance(10 * MINUTE);
    }
    expect(runs).toEqual([[], [1], [1], [1], [2], [2], [2]]);
    expect(await invalid()).toEqual([]);
    await check({}, { ...app.app.services, access: { of } });
    expect(await invalid()).toEqual(ids.slice(0, 30));
  });

  it('what is held back stays so after an outage at the start of runs, however few are held', async () => {
    kill((await addGrants(app, 60, [SKILLS])).slice(0, 22));
    await check();
    for (let outage = 0; outage < 2; outage += 1) {
      app.clock.advance(10 * MINUTE);
      app.provider.faults.add(TOKEN, { kind: 'status', status: 503 });
      await expect(check()).rejects.toThrow(/^the check of refresh tokens ended after 3 of/);
      app.provider.faults.clear();
    }
    app.clock.advance(10 * MINUTE);
    await check();
    expect(await invalid()).toEqual([]);
    expect(await found()).toEqual([2]);
  });

  it('nor does the run lose it that repeats a failed one within seconds: what failed is in it, behind the others', async () => {
    const ids = await addGrants(app, 60, [SKILLS]);
    kill(ids.slice(0, 22));
    await check();
    app.clock.advance(10 * MINUTE);
    app.provider.faults.add(TOKEN, { kind: 'status', status: 503 });
    await expect(check()).rejects.toThrow('ended after 3 of');
    app.provider.faults.clear();
    app.clock.advance(5_000);
    const before = asked().length;
    await check();
    expect(asked().length - before).toBe(22);
    expect(await invalid()).toEqual([]);
    expect(await found()).toEqual([1]);
  });

  it('what is held back stays so where some of it cannot be checked, which leaves few', async () => {
    kill((await addGrants(app, 60, [SKILLS])).slice(0, 22));
    await check();
    app.clock.advance(10 * MINUTE);
    const progress = (done: number) => {
      if ([5, 10, 15].includes(done)) {
        app.provider.faults.add(TOKEN, { kind: 'status', status: 503 }, { times: 1 });
      }
    };
    await check({ progress });
    expect(await invalid()).toEqual([]);
    app.provider.faults.clear();
    app.clock.advance(10 * MINUTE);
    await check();
    expect(await invalid()).toEqual([]);
    expect(await found()).toEqual([1]);
  });

  it('of several checks that fail here and there each is in the next run, or that would find fewer dead', async () => {
    kill(await addGrants(app, 60, [SKILLS]));
    const progress = (done: number) => {
      if (done % 10 === 5) app.provider.faults.add(TOKEN, { kind: 'status', status: 503 }, { times: 1 });
    };
    await check({ progress });
    const now = app.clock.now().getTime();
    const ahead = (await grants()).map((row) => row.next_check_on.getTime() - now).filter((wait) => wait > 0);
    expect(new Set(ahead)).toEqual(new Set([5 * MINUTE]));
    expect(await invalid()).toEqual([]);
  });

  it('one that a call finds dead after its check failed stays the first of the next run', async () => {
    await addGrants(app, 2, [SKILLS]);
    const first = app.db
      .updateTable('grants')
      .set({ next_check_on: new Date(0) })
      .where('character_id', '=', ADA);
    await first.execute();
    const { access } = app.app.services;
    const of: typeof access.of = async (grant, id, ...rest) => {
      if (id === ADA) throw new ProviderError('unusable', 'the answer cannot be used');
      await first.execute();
      return access.of(grant, id, ...rest);
    };
    await check({}, { ...app.app.services, access: { of } });
    expect((await grants())[0]).toMatchObject({ character_id: ADA, next_check_on: new Date(0) });
  });

  it('a refresh token in use, whose every check and refresh fails, is not in each run either', async () => {
    await addGrants(app, 1, [SKILLS]);
    app.provider.faults.add(TOKEN, { kind: 'status', status: 503 });
    await check();
    const [before] = await grants();
    expect(before?.next_check_on).toEqual(new Date(app.clock.now().getTime() + 25 * MINUTE));
    expect(await outcomeOf(app.app.services.client.ask(ownRecord(ADA)))).toBe('unusable');
    expect(await grants()).toEqual([before]);
  });

  it('a run counts in which one check of hundreds fails', async () => {
    kill((await addGrants(app, 250, [SKILLS])).slice(0, 30));
    app.provider.faults.add(TOKEN, { kind: 'status', status: 503 }, { times: 1 });
    await check();
    expect(await found()).toEqual([1]);
    expect(await invalid()).toEqual([]);
  });

  it('a run that was told to end leaves held what was, as it has not seen everything', async () => {
    const ids = await addGrants(app, 60, [SKILLS]);
    kill(ids.slice(0, 30));
    await check();
    app.clock.advance(31 * MINUTE);
    await expect(check({ signal: AbortSignal.abort() })).rejects.toThrow('told to end');
    expect(await found()).toEqual([1]);
    await check();
    app.clock.advance(31 * MINUTE);
    await check();
    expect(await invalid()).toEqual(ids.slice(0, 30));
  });
});

describe('what another job finds', () => {
  it('a dead refresh token is left to the check, which visits it first; forwarding marks it at once', async () => {
    await addGrants(app, 2, [SKILLS]);
    await check();
    kill([ADA, ADA + 1]);
    await expireAccessTokens(app);
    const { client } = app.app.services;
    expect(await outcomeOf(client.ask({ ...ownRecord(ADA), patient: true }))).toBe('no-token');
    expect(await invalid()).toEqual([]);
    expect((await grants())[0]).toMatchObject({ next_check_on: new Date(0), refresh_started_on: null });
    expect(await outcomeOf(client.ask(ownRecord(ADA + 1, 'skills', { caller: '7' })))).toBe('no-token');
    expect(await invalid()).toEqual([ADA + 1]);
    await check();
    expect(await invalid()).toEqual([ADA, ADA + 1]);
  });
});
