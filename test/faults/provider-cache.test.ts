import { randomBytes } from 'node:crypto';
import { type KyselyPlugin, sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { FIRST_ALLIANCE_ID, FIRST_CHARACTER_ID, FIRST_CORPORATION_ID } from '../../dev/world/world.ts';
import { beginGeneration } from '../../server/provider/cache.queries.ts';
import { createCachedAnswers } from '../../server/provider/cached-answers.ts';
import type { ProviderRequest } from '../../server/provider/client.ts';
import { toStored } from '../../server/provider/stored-body.ts';
import { bodyOf, LARGE, textOf } from '../../server/shared/json-body.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { isClockFaked } from '../harness/faked-clock.ts';
import { addGrant, forgetProvider, ownRecord, SKILLS } from '../harness/provider.ts';

const MIB = 1024 * 1024;
const MOST = MIB;
/** A market with 30 pages of a few hundred kB each, and more such markets. */
const FIRST_MARKET = 11_000_001;

let app: TestApp;
let market = FIRST_MARKET;

beforeAll(async () => {
  app = await startTestApp({ providerCacheBytes: MOST });
  await app.app.services.document.current();
  app.provider.setRateLimit('market-order', 1_000_000);
  await addGrant(app, FIRST_CHARACTER_ID, [SKILLS]);
});
beforeEach(async () => {
  await forgetProvider(app);
  // The space of a deleted row is still counted.
  await sql`truncate provider_cache, provider_cache_state`.execute(app.db);
});
afterAll(() => app.stop());

const ask = (request: ProviderRequest) => app.app.services.client.ask(request);
const page = (region: number, n: number): ProviderRequest => ({
  path: `/markets/${region}/orders`,
  query: [['page', String(n)]],
  on: 'service',
});
const ALLIANCE: ProviderRequest = { path: `/alliances/${FIRST_ALLIANCE_ID}`, on: 'service' };
const CORPORATION: ProviderRequest = { path: `/corporations/${FIRST_CORPORATION_ID}`, on: 'service' };
const SHEET = ownRecord(FIRST_CHARACTER_ID);

async function bytesOnDisk(): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select sum(pg_total_relation_size(relid))::bigint as bytes
    from pg_partition_tree('provider_cache') where isleaf`.execute(app.db);
  return Number(rows[0]?.bytes);
}

/** The requests to one of these paths that reach the provider. */
const asked = ({ path }: ProviderRequest) =>
  app.provider.requests.filter((request) => request.path === `/api${path}`).length;

describe('D33: what was cached while the clock was ahead', () => {
  it('is asked for anew once the clock is right again', async () => {
    const ahead = 8 * 3_600_000;
    app.clock.advance(ahead);
    const id = FIRST_CORPORATION_ID + 1;
    const request: ProviderRequest = { path: `/corporations/${id}`, on: 'service' };
    await ask(request);
    app.clock.advance(-ahead);
    app.provider.world.renameCorporation(id, 'Named Meanwhile');
    expect((await ask(request)).data).toMatchObject({ name: 'Named Meanwhile' });
    expect((await ask(request)).kept).toBe(true);
  });
});

describe('D30: the size of cached answers is bounded', () => {
  it('on disk, whatever is requested, and used answers stay', async () => {
    await ask(ALLIANCE);
    await ask(SHEET);
    await ask(CORPORATION);
    let most = 0;
    for (let n = 1; n <= 60; n += 1) {
      await ask(page(market + Math.floor(n / 30), (n % 30) + 1));
      await ask(ALLIANCE);
      await ask(SHEET);
      if (n % 5 === 0) most = Math.max(most, await bytesOnDisk());
    }
    market += 3;
    expect(most).toBeGreaterThan(MOST / 4);
    expect(most).toBeLessThan(1.5 * MOST);
    expect([asked(ALLIANCE), asked(SHEET), asked(CORPORATION)]).toEqual([1, 1, 1]);
    await ask(CORPORATION);
    expect(asked(CORPORATION)).toBe(2);
  });

  it('answers that contain nothing count, too', async () => {
    const nothing = (id: number): ProviderRequest => ({
      path: `/markets/${market}/orders`,
      query: [['type_id', String(id)]],
      on: 'service',
    });
    expect((await ask(nothing(900_000))).data).toEqual([]);
    const aboveHalf = Buffer.alloc(MOST / 2 + 1);
    await sql`
      insert into provider_cache (generation, key, status, headers, packed, fresh_until, kept_until)
      values (0, 'full', 200, '{}', ${aboveHalf}, 'infinity', 'infinity')`.execute(app.db);
    // These are more than the 64th part of the maximum, after which it is looked at.
    for (let id = 900_001; id < 900_020; id += 1) await ask(nothing(id));
    market += 1;
    const { rows } = await sql`select generation from provider_cache_state`.execute(app.db);
    expect(rows).toEqual([{ generation: 1 }]);
  });

  it('dead rows count, so an answer that is renewed again and again does not exceed it', async () => {
    let most = 0;
    for (let n = 1; n <= 60; n += 1) {
      await ask({ ...page(market, 1), anew: true });
      if (n % 5 === 0) most = Math.max(most, await bytesOnDisk());
    }
    expect(most).toBeGreaterThan(MOST / 4);
    expect(most).toBeLessThan(1.5 * MOST);
  });

  it('a newer answer is not hidden by one of the former generation', async () => {
    await ask(CORPORATION);
    expect(await beginGeneration(app.db, 0)).toBe(true);
    app.clock.advance(3_601_000);
    app.provider.world.renameCorporation(FIRST_CORPORATION_ID, 'Named Anew');
    const before = asked(CORPORATION);
    for (const _ of [1, 2]) expect((await ask(CORPORATION)).data).toMatchObject({ name: 'Named Anew' });
    expect(asked(CORPORATION)).toBe(before + 1);
  });

  it('an answer that is used is moved to the next generation, and still belongs to its grant', async () => {
    await ask(SHEET);
    const before = asked(SHEET);
    for (let generation = 0; generation < 3; generation += 1) {
      await beginGeneration(app.db, 0);
      await ask(SHEET);
    }
    expect(asked(SHEET)).toBe(before);
    const { rows } = await sql<{ character_id: number }>`
      select character_id from provider_cache join grants using (grant_id)`.execute(app.db);
    expect(new Set(rows.map(({ character_id: id }) => id))).toEqual(new Set([FIRST_CHARACTER_ID]));
    await beginGeneration(app.db, 0);
    await beginGeneration(app.db, 0);
    expect((await sql`select from provider_cache`.execute(app.db)).rows).toEqual([]);
  });

  it('large answers that wait to be stored do not use up the connections', async () => {
    const writer = new pg.Client({ connectionString: app.databaseUrl });
    await writer.connect();
    await writer.query('begin; lock provider_cache in exclusive mode');
    const region = FIRST_MARKET + 500;
    const asking = Array.from({ length: 12 }, (_, n) => ask(page(region, n + 1)));
    try {
      const inTime = { timeout: 60_000 };
      await vi.waitFor(() => expect(asked(page(region, 1))).toBeGreaterThan(8), inTime);
      const waiting = () =>
        sql`select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`.execute(app.db);
      await vi.waitFor(async () => expect((await waiting()).rows).toHaveLength(1), inTime);
      expect((await app.client(app.root).token.current()).status).toBe(200);
    } finally {
      await writer.query('rollback');
      await writer.end();
    }
    for (const answer of await Promise.all(asking)) expect(answer.status).toBe(200);
  });

  describe('large answers that are read from the cache', () => {
    const PAGES = 6;
    let keys: string[];
    beforeEach(async () => {
      for (let n = 1; n <= PAGES; n += 1) await ask(page(market, n));
      market += 1;
      const { rows } = await sql<{ key: string }>`
        select key from provider_cache where packed is not null`.execute(app.db);
      keys = rows.map(({ key }) => key);
      expect(keys).toHaveLength(PAGES);
    });

    /** Answers through statements that are noted: how many at once, and with which bodies. */
    function noted(afterFirst: () => Promise<unknown> = () => Promise.resolve()) {
      const running = new Map<unknown, 'small' | 'all'>();
      const most = { small: 0, all: 0 };
      const plugin: KyselyPlugin = {
        transformQuery({ node, queryId }) {
          const bodies = JSON.stringify(node).includes('octet_length') ? 'small' : 'all';
          running.set(queryId, bodies);
          most[bodies] = Math.max(most[bodies], [...running.values()].filter((one) => one === bodies).length);
          return node;
        },
        async transformResult({ result, queryId }) {
          if (running.get(queryId) === 'small') await afterFirst();
          running.delete(queryId);
          return result;
        },
      };
      return { most, cached: createCachedAnswers(app.db.withPlugin(plugin)) };
    }

    /** Makes the cached answers so large that they are large even packed. */
    async function enlarge(): Promise<string> {
      const body = JSON.stringify(randomBytes(2 * LARGE).toString('base64'));
      const { packed } = await toStored(bodyOf(Buffer.from(body)));
      await sql`update provider_cache set body = null, packed = ${packed}::bytea`.execute(app.db);
      return body;
    }

    it('are small when they are packed: one statement reads each', async () => {
      const { most, cached } = noted();
      const found = await Promise.all(keys.map((key) => cached.findPublic(key)));
      for (const answer of found) expect(JSON.parse(textOf(answer?.body ?? ''))).toHaveLength(1_000);
      expect(most.all).toBe(0);
    });

    it('come one at a time where they are large all the same, however many are wanted at once', async () => {
      const body = await enlarge();
      const { most, cached } = noted();
      const found = await Promise.all(keys.map((key) => cached.findPublic(key)));
      expect(new Set(found.map((answer) => textOf(answer?.body ?? '')))).toEqual(new Set([body]));
      expect(most).toEqual({ small: PAGES, all: 1 });
    });

    it('are not there when they are dropped before their turn comes', async () => {
      await enlarge();
      const { cached } = noted(() => sql`truncate provider_cache`.execute(app.db));
      expect(await cached.findPublic(keys[0] ?? '')).toBeUndefined();
    });

    it('of a user come with their grant', async () => {
      await ask(SHEET);
      const body = await enlarge();
      const before = asked(SHEET);
      expect(textOf((await ask(SHEET)).body) === body).toBe(true);
      expect(asked(SHEET)).toBe(before);
    });
  });

  it.skipIf(isClockFaked)(
    'a long read holds up nobody: the next call starts the new generation',
    async () => {
      await ask(CORPORATION);
      const reader = new pg.Client({ connectionString: app.databaseUrl });
      await reader.connect();
      await reader.query('begin; select from provider_cache');
      expect(await beginGeneration(app.db, 0)).toBe(false);
      expect((await ask(CORPORATION)).data).toMatchObject({ name: expect.any(String) });
      await reader.query('rollback');
      await reader.end();
      expect(await beginGeneration(app.db, 0)).toBe(true);
    },
  );
});
