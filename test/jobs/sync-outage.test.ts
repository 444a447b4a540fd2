import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Fault } from '../../dev/provider/faults.ts';
import { ProviderError } from '../../server/provider/http.ts';
import type { Run } from '../../server/queue/run.ts';
import { syncUsers } from '../../server/registry/sync-users.ts';
import {
  atRequest,
  errorsIn,
  forget,
  populate,
  requestsOf,
  standings,
  untrue,
} from '../fixtures/population.ts';
import { makeToken, uuidOf } from '../fixtures/users.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { forgetProvider, stayInTheMinute } from '../harness/provider.ts';
import { testRun } from '../harness/run.ts';
import { userRow } from '../harness/sign-in.ts';

/** Three pages of at most a thousand, also without the alliance that is forgotten. */
const POPULATION = 2_200;
const PAGES = 3;
const CORPORATIONS = 30;
/** An alliance that is not registered, with its executor and CEO. */
const [FORGOTTEN, FORGOTTEN_EXECUTOR] = [99_000_007, 98_000_007];
const HOUR = 3_600_000;
/** Maximum number of errors that one run may cause within the provider's error limit. */
const MOST_ERRORS = 20;

/** Timeouts of one answer: short for a provider that hangs, otherwise long enough for a busy machine. */
const [SHORT, LONG] = [3_000, 15_000];
const LIMITS = { milliseconds: LONG, bytes: 8 * 1024 * 1024 };

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp({
    provider: { alliances: 8, corporations: CORPORATIONS, characters: POPULATION },
    providerLimits: LIMITS,
  });
  await populate(app);
});
afterAll(() => app.stop());
beforeEach(recover);
afterEach(async () => {
  await recover();
  await sync({ force: true });
  expect(await untrue(app)).toHaveLength(0);
});

/** Ends all faults of the provider and advances the clock. */
async function recover(): Promise<void> {
  app.provider.reset();
  app.clock.advance(2 * HOUR);
  stayInTheMinute(app);
  await forgetProvider(app);
}

const sync = (options: Partial<Omit<Run, 'job'>> = {}, services: Partial<TestApp['app']['services']> = {}) =>
  syncUsers({ ...app.app.services, ...services }, testRun('sync-users', options));

/** Every n-th character that is no CEO. */
function everyNth(n: number, from = 1): number[] {
  const ids: number[] = [];
  for (let index = CORPORATIONS + from; index < POPULATION; index += n) ids.push(2_112_000_001 + index);
  return ids;
}

/** Moves every n-th character that is no CEO into the next player corporation. */
function moveEvery(n: number, from = 1): number[] {
  const { world } = app.provider;
  const moved = everyNth(n, from);
  for (const id of moved) {
    const corporation = world.character(id)?.corporationId ?? 0;
    const to = corporation >= 98_000_001 + CORPORATIONS - 1 ? 98_000_001 : corporation + 1;
    world.moveCharacter(id, Math.max(to, 98_000_001));
  }
  return moved;
}

/** Warnings and errors that `work` logs. */
async function complaintsOf(work: () => Promise<unknown>): Promise<string[]> {
  const logged = app.logged.length;
  await work();
  return app.logged.slice(logged).flatMap((line) => {
    const { level, msg } = JSON.parse(line) as { level: string; msg: string };
    return level === 'warn' || level === 'error' ? [msg] : [];
  });
}

const STOPPED = 'the provider failed: users without an answer stay unchanged until the next run';
const HELD = 'a run would take something from too many users and changed nothing; approve it if it is right';

describe('D63: a provider that fails takes nothing away', () => {
  const faults: [string, Fault][] = [
    ['5xx in HTML', { kind: 'status', status: 502, as: 'html' }],
    ['5xx', { kind: 'status', status: 504 }],
    ['404 for everything', { kind: 'status', status: 404 }],
    ['400 for everything', { kind: 'status', status: 400 }],
    ['empty lists', { kind: 'empty list' }],
    ['HTML that calls itself JSON', { kind: 'not json' }],
    ['a redirect', { kind: 'redirect' }],
    ['connections that break', { kind: 'reset' }],
    ['answers that break off', { kind: 'truncate' }],
    ['no answer at all', { kind: 'hang' }],
    ['its error limit used up', { kind: 'status', status: 420 }],
    ['a rate limit', { kind: 'status', status: 429 }],
  ];

  it.each(faults)('%s: the run stops, says why once, and changes nothing', async (_, fault) => {
    moveEvery(200);
    const kept = await standings(app);
    app.provider.faults.add('api', fault);
    if (fault.kind === 'hang') LIMITS.milliseconds = SHORT;
    const complaints = await complaintsOf(async () => expect(await sync()).toEqual([]));
    LIMITS.milliseconds = LONG;
    expect(complaints).toEqual([STOPPED]);
    expect(await standings(app)).toEqual(kept);
    expect(errorsIn(app.provider.requests)).toBeLessThanOrEqual(MOST_ERRORS);
    const resting = app.db.selectFrom('users').select('character_id').where('refused_on', 'is not', null);
    expect(await resting.execute()).toEqual([]);
  });

  /** A client of the provider whose answers leave out some characters. */
  const leavingOut = (left: ReadonlySet<number>): TestApp['app']['services']['client'] => ({
    async ask(request) {
      const answer = await app.app.services.client.ask(request);
      if (request.path !== '/characters/affiliation') return answer;
      const rows = answer.data as { character_id: number }[];
      return { ...answer, data: rows.filter(({ character_id }) => !left.has(character_id)) };
    },
  });

  const synced = async () =>
    (
      await app.db
        .selectFrom('schedules')
        .select('complete_on')
        .where('job_id', '=', 'sync-users')
        .executeTakeFirst()
    )?.complete_on;

  it('D63b: answers that leave out many characters: the others are followed, and the run is not complete', async () => {
    const moved = moveEvery(200);
    const others = new Set(everyNth(3).filter((id) => !moved.includes(id)));
    const before = await synced();
    const found: unknown[] = [];
    const client = leavingOut(others);
    const complaints = await complaintsOf(async () => found.push(...(await sync({}, { client }))));
    expect(found).toHaveLength(moved.length);
    expect(complaints).toEqual([STOPPED]);
    expect(app.logged.at(-1)).toContain(`left out ${others.size} of`);
    expect(await synced()).toEqual(before);
  });

  it('D63b: a few characters that the game no longer knows keep no run from being complete', async () => {
    const client = leavingOut(new Set(everyNth(10)));
    expect(await complaintsOf(() => sync({}, { client }))).toEqual([]);
    expect(await synced()).toEqual(app.clock.now());
  });

  it('every other request fails: at most 20 errors, retries included; what was answered is applied', async () => {
    moveEvery(200);
    app.provider.faults.add('api', { kind: 'status', status: 502 }, { probability: 0.5 });
    for (let run = 0; run < 5; run += 1) {
      const seen = app.provider.requests.length;
      await sync();
      expect(errorsIn(app.provider.requests.slice(seen))).toBeLessThanOrEqual(MOST_ERRORS);
      app.clock.advance(61_000);
    }
  });

  it('the next run continues where one stopped, and visits everybody once', async () => {
    const client = atRequest(app.app.services.client, 3, () => {
      app.provider.faults.downtime = true;
    });
    await sync({}, { client });
    app.provider.faults.downtime = false;
    app.clock.advance(61_000);
    const asked: number[] = [];
    const watched: typeof client = {
      ask(request) {
        asked.push(...(request.body ?? []));
        return app.app.services.client.ask(request);
      },
    };
    await sync({}, { client: watched });
    const users = app.db.selectFrom('users').select('character_id').where('character_id', '>', 0);
    const ids = (await users.orderBy('character_id', 'desc').execute()).map((row) => row.character_id);
    expect(asked.toSorted((a, b) => b - a)).toEqual(ids);
    // The first two thousand are done, so the others come first.
    expect(asked[0]).toBe(ids[2_000]);
  });
});

describe('a provider that is too slow for one run', () => {
  it('stops visiting users in time for the organizations; the next run continues there', async () => {
    const moved = moveEvery(400);
    const asked: number[] = [];
    const { client } = app.app.services;
    const watched: typeof client = {
      ask(request) {
        asked.push(...(request.body ?? []));
        return client.ask(request);
      },
    };
    let seen = 0;
    const slow: Partial<Run> = {
      progress: (done) => {
        seen = done;
      },
      timeLeft: () => 1 - seen / POPULATION,
    };
    const complaints = await complaintsOf(async () => {
      expect((await sync(slow, { client: watched })).length).toBeGreaterThan(0);
    });
    expect(complaints).toEqual([STOPPED]);
    expect(asked.length).toBeLessThan(POPULATION);
    expect(asked.length).toBeGreaterThanOrEqual(POPULATION / 2);
    await sync(slow, { client: watched });
    expect(new Set(asked).size).toBe(POPULATION);
    expect(await untrue(app)).toEqual([]);
    expect(moved.length).toBeGreaterThan(0);
  });
});

describe('a page that always fails', () => {
  it('does not keep others from being visited', async () => {
    const ids = await app.db
      .selectFrom('users')
      .select('character_id')
      .where('character_id', '>', 0)
      .execute();
    // Of the second page.
    const [poison = 0] = ids
      .map((row) => row.character_id)
      .toSorted((a, b) => a - b)
      .slice(600);
    const asked = new Set<number>();
    const { client } = app.app.services;
    const poisoned: typeof client = {
      async ask(request) {
        if (request.body?.includes(poison)) throw new ProviderError('unusable', 'this page fails');
        for (const id of request.body ?? []) asked.add(id);
        return client.ask(request);
      },
    };
    for (let run = 0; run < 2; run += 1) await sync({}, { client: poisoned });
    asked.clear();
    for (let run = 0; run < 2; run += 1) await sync({}, { client: poisoned });
    expect(asked.size).toBeGreaterThanOrEqual(POPULATION - 1_000);
  });
});

describe('what a run costs', () => {
  it('5,000 characters: 5 affiliation requests, latest sign-ins first', async () => {
    const first = 2_112_000_100;
    await app.db
      .updateTable('users')
      .set({ signed_in_on: new Date() })
      .where('character_id', '=', first)
      .execute();
    const asked: number[] = [];
    const client: TestApp['app']['services']['client'] = {
      ask(request) {
        asked.push(...(request.body ?? []));
        return app.app.services.client.ask(request);
      },
    };
    const requests = await requestsOf(app, () => sync({}, { client }));
    expect(Object.fromEntries(requests)).toEqual({ '/characters/affiliation': PAGES });
    expect(asked[0]).toBe(first);
  });

  it('as many statements for 5 moves as for 400, and as many for every page', async () => {
    const statementsOf = async (work: () => unknown) => {
      work();
      const seen = app.statements.length;
      await sync({ force: true });
      return app.statements.length - seen;
    };
    // The first ones to move cause the autogroups of their new corporations.
    await statementsOf(() => moveEvery(12, 2));
    const few = await statementsOf(() => moveEvery(990));
    const many = await statementsOf(() => moveEvery(12, 2));
    // Meanwhile expired rows are deleted and budgets are leased, in a time that depends on the machine.
    expect(Math.abs(many - few)).toBeLessThan(10);
    const idle = await statementsOf(() => undefined);
    expect(idle).toBeLessThan(20 + 5 * PAGES);
  });
});

describe('D63: the mass-change guard', () => {
  it('changes nothing when more than 10 % would lose something, logs an error and counts a metric; force lets it pass', async () => {
    moveEvery(8);
    const kept = await standings(app);
    const complaints = await complaintsOf(() => sync());
    expect(complaints).toEqual([HELD]);
    expect(await standings(app)).toEqual(kept);
    await sync({ force: true });
    expect(await untrue(app)).toHaveLength(0);
  });

  it('the same set of changes passes when three runs 30 minutes apart find it', async () => {
    moveEvery(8, 2);
    expect(await complaintsOf(() => sync())).toEqual([HELD]);
    app.clock.advance(31 * 60_000);
    expect(await complaintsOf(() => sync())).toEqual([HELD]);
    app.clock.advance(10 * 60_000);
    expect(await complaintsOf(() => sync())).toEqual([HELD]);
    expect(await untrue(app)).not.toHaveLength(0);
    app.clock.advance(21 * 60_000);
    expect(await complaintsOf(() => sync())).toEqual([]);
    expect(await untrue(app)).toHaveLength(0);
  });

  it('a run in between that finds nothing to change discards the set, so the count starts again', async () => {
    const { world } = app.provider;
    const homeOf = (id: number) => world.character(id)?.corporationId as number;
    const users = await app.db.selectFrom('users').select('character_id').execute();
    const former = new Map(users.map(({ character_id: id }) => [id, homeOf(id)]));
    const glitched = new Map(moveEvery(8, 4).map((id) => [id, homeOf(id)]));
    for (let glitch = 0; glitch < 3; glitch += 1) {
      for (const [id, home] of glitched) world.moveCharacter(id, home);
      expect(await complaintsOf(() => sync())).toEqual([HELD]);
      for (const id of glitched.keys()) world.moveCharacter(id, former.get(id) as number);
      app.clock.advance(31 * 60_000);
      expect(await complaintsOf(async () => expect(await sync()).toEqual([]))).toEqual([]);
      app.clock.advance(31 * 60_000);
    }
  });

  it('indirect losses count: an alliance that loses a corporation with a tenth of all users', async () => {
    const { world } = app.provider;
    const alliance = world.alliances.find(({ id }) => {
      const members = world.corporationsOf(id).flatMap((corporation) => world.membersOf(corporation));
      return members.length > POPULATION / 10;
    });
    const kept = await standings(app);
    world.closeAlliance(alliance?.id ?? 0);
    expect(await complaintsOf(() => sync())).toEqual([HELD]);
    expect(await standings(app)).toEqual(kept);
  });

  it('indirect losses count: with a deleted character go all tokens that descend from its own', async () => {
    const { world } = app.provider;
    const [deleted = 0, ...holders] = everyNth(8, 3);
    const permanent = await makeToken(app, 'per', deleted, uuidOf(app.root));
    await sql`
      insert into tokens (uuid, token_type, owner_id, parent, app_token, kid, created_on, expires_on)
      select gen_random_uuid(), 'use', holder, uuid, uuid, kid, created_on, created_on + interval '1 day'
      from tokens, unnest(${holders}::bigint[]) holder where uuid = ${permanent.uuid}`.execute(app.db);
    world.deleteCharacter(deleted);
    expect(await complaintsOf(() => sync())).toEqual([]);
    app.clock.advance(30 * 60_000);
    expect(await complaintsOf(() => sync())).toEqual([HELD]);
    expect(await userRow(app, deleted)).toBeDefined();
    await sync({ force: true });
    expect(await userRow(app, deleted)).toBeUndefined();
  });
});

describe('D63: downtime in every phase of a run', () => {
  /** A user that is no CEO. */
  async function somebody(): Promise<number> {
    const users = app.db.selectFrom('users').select('character_id');
    const { character_id } = await users
      .where('character_id', '>', 2_112_000_000 + CORPORATIONS)
      .orderBy('character_id')
      .executeTakeFirstOrThrow();
    return character_id;
  }

  // Three pages, then a corporation that is new, its alliance, the executor of that, and the names of two CEOs.
  it.each([1, 3, 4, 7])(
    '15 minutes of downtime from request %s on: one cycle later all is true',
    async (nth) => {
      const { world } = app.provider;
      moveEvery(200, nth);
      await forget(app, { alliance_id: FORGOTTEN });
      const [joined = 0] = world.corporationsOf(FORGOTTEN).filter((id) => id !== FORGOTTEN_EXECUTOR);
      const newcomer = await somebody();
      world.moveCharacter(newcomer, joined);
      const client = atRequest(app.app.services.client, nth, () => {
        app.provider.faults.downtime = true;
      });
      const kept = await standings(app);
      const changes = await sync({}, { client });
      expect(app.provider.faults.downtime).toBe(true);
      if (nth === 1) expect(changes).toEqual([]);
      expect(changes.filter((change) => 'level' in change || 'alliance' in change)).toEqual([]);
      const during = await standings(app);
      app.clock.advance(14 * 60_000);
      expect(await sync()).toEqual([]);
      expect(await standings(app)).toEqual(during);
      expect(errorsIn(app.provider.requests)).toBeLessThanOrEqual(MOST_ERRORS);
      app.provider.faults.downtime = false;
      app.clock.advance(60_000);
      await sync();
      expect(await untrue(app)).toHaveLength(0);
      expect(await userRow(app, newcomer)).toMatchObject({ corporation_id: joined });
      expect(await standings(app)).not.toEqual(kept);
    },
  );
});
