import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { listPartitions } from '../../../server/database/partitions.ts';
import { deleteHistories } from '../../../server/history/history.queries.ts';
import { SNAPSHOT_TABLES } from '../../../server/history/kinds.ts';
import { listLocations, storeLocation } from '../../../server/history/location.ts';
import { dropExpired, ensurePartitions } from '../../../server/history/partitions.ts';
import { listSkillPoints, storeSkillPoints } from '../../../server/history/skill-points.ts';
import type { HistoryServices } from '../../../server/history/source.ts';
import { listBalances, storeWallet } from '../../../server/history/wallet.ts';
import { ProviderError } from '../../../server/provider/http.ts';
import { lockPeople } from '../../../server/registry/lock-snapshot.queries.ts';
import { addPerson, Game, partsOf } from '../../fixtures/game.ts';
import { createTestDatabase, empty, type TestDatabase } from '../../harness/database.ts';
import { meanwhile } from '../../harness/meanwhile.ts';

const ADA = 2_112_000_001;
const BEN = 2_112_000_002;
const DAY = 86_400_000;
/** A Wednesday. */
const NOW = new Date('2026-03-04T12:00:00.000Z');
const TABLES = ['character_locations', 'character_skill_points', 'character_wallets'] as const;

let database: TestDatabase;
let game: Game;
let services: HistoryServices;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  for (const name of await listPartitions(database.db, SNAPSHOT_TABLES))
    await database.pool.query(`drop table ${name}`);
  await empty(database.db, 'users');
  await addPerson(database, ADA);
  await addPerson(database, BEN);
  game = new Game();
  for (const id of [ADA, BEN]) {
    game.records
      .set(`/characters/${id}/location`, { solar_system_id: 30_000_142, station_id: 60_003_760 })
      .set(`/characters/${id}/online`, { online: true, logins: 3 })
      .set(`/characters/${id}/ship`, { ship_item_id: 1, ship_name: 'Second Thought', ship_type_id: 587 })
      .set(`/characters/${id}/skills`, { skills: [], total_sp: 48_200_000, unallocated_sp: 12_500 })
      .set(`/characters/${id}/wallet`, 1_250_000.25);
  }
  services = { ...partsOf(database, game), clock: { now: () => NOW } };
});

const hoursAgo = (hours: number) => new Date(NOW.getTime() - hours * 3_600_000);

describe('storing an entry of a history', () => {
  it('location: three requests as that character, each with its scope, and the names', async () => {
    const location = await storeLocation(services, ADA, NOW);
    expect(location).toEqual({
      online: true,
      ship_name: 'Second Thought',
      ship_type_id: 587,
      ship_type_name: 'Name of 587',
      solar_system_id: 30_000_142,
      solar_system_name: 'Name of 30000142',
      station_id: 60_003_760,
      station_name: 'Name of 60003760',
      structure_id: null,
      structure_name: null,
      timestamp: NOW.toISOString(),
      user: { character_id: ADA, character_name: `Character ${ADA}` },
    });
    expect(await listLocations(services, ADA, 1)).toEqual({ entries: [location], pages: 1 });
    expect(game.asked.map(({ path, as }) => [path, as?.characterId, as?.scope])).toEqual([
      [`/characters/${ADA}/location`, ADA, 'ext-location.read_location.v1'],
      [`/characters/${ADA}/online`, ADA, 'ext-location.read_online.v1'],
      [`/characters/${ADA}/ship`, ADA, 'ext-location.read_ship_type.v1'],
    ]);
    expect(game.asked.map(({ on }) => on)).toEqual(Array(3).fill('service'));
  });

  it('a structure by its name if the character may see it, otherwise #N (D36)', async () => {
    const structure = 1_030_000_000_001;
    game.records.set(`/characters/${ADA}/location`, { solar_system_id: 30_000_142, structure_id: structure });
    expect(await storeLocation(services, ADA, hoursAgo(1))).toMatchObject({
      station_id: null,
      station_name: null,
      structure_id: structure,
      structure_name: `#${structure}`,
    });
    game.records.set(`/universe/structures/${structure}`, { name: 'The Keep' });
    game.asked.length = 0;
    expect(await storeLocation(services, ADA, NOW)).toMatchObject({ structure_name: 'The Keep' });
    expect(game.asked.find(({ path }) => path.includes('structures'))?.as).toEqual({
      characterId: ADA,
      scope: 'ext-universe.read_structures.v1',
    });
  });

  it('in space neither station nor structure; unavailable names are #N, also when the provider fails (D36)', async () => {
    game.records.set(`/characters/${ADA}/location`, { solar_system_id: 30_000_113 });
    const failure = new ProviderError('timeout', 'no names today');
    const failing = {
      find: () => Promise.resolve({ names: new Map<number, string>(), unasked: 2, failure }),
    };
    const inSpace = { station_id: null, station_name: null, structure_id: null, structure_name: null };
    expect(await storeLocation(services, ADA, hoursAgo(1))).toMatchObject({
      ...inSpace,
      solar_system_name: '#30000113',
      ship_type_name: 'Name of 587',
    });
    expect(await storeLocation({ ...services, names: failing }, ADA, NOW)).toMatchObject({
      ...inSpace,
      solar_system_name: '#30000113',
      ship_type_name: '#587',
    });
  });

  it('provider.md §2: fields that the provider may omit may also be null', async () => {
    game.records
      .set(`/characters/${ADA}/location`, {
        solar_system_id: 30_000_142,
        station_id: null,
        structure_id: null,
      })
      .set(`/characters/${ADA}/skills`, { skills: [], total_sp: 5, unallocated_sp: null });
    expect(await storeLocation(services, ADA, NOW)).toMatchObject({ station_id: null, structure_id: null });
    await storeSkillPoints(services, ADA, NOW);
    expect((await listSkillPoints(services, ADA, 1)).entries).toMatchObject([
      { total_sp: 5, unallocated_sp: 0 },
    ]);
  });

  it.each(['location', 'online', 'ship'])('nothing when the %s is not available', async (what) => {
    game.records.set(`/characters/${ADA}/${what}`, { of: 'no use' });
    await expect(storeLocation(services, ADA, NOW)).rejects.toThrow(ProviderError);
    game.records.delete(`/characters/${ADA}/${what}`);
    await expect(storeLocation(services, ADA, NOW)).rejects.toThrow(ProviderError);
    expect(await listLocations(services, ADA, 1)).toEqual({ entries: [], pages: 1 });
  });

  it('skill points and balance', async () => {
    await storeSkillPoints(services, ADA, NOW);
    await storeWallet(services, ADA, NOW);
    game.records.set(`/characters/${BEN}/skills`, { skills: [], total_sp: 7 });
    game.records.set(`/characters/${BEN}/wallet`, -0.1);
    await storeSkillPoints(services, BEN, NOW);
    await storeWallet(services, BEN, NOW);
    const timestamp = NOW.toISOString();
    const skillPoints = async (id: number) => (await listSkillPoints(services, id, 1)).entries;
    const balances = async (id: number) => (await listBalances(services, id, 1)).entries;
    expect(await skillPoints(ADA)).toEqual([{ timestamp, total_sp: 48_200_000, unallocated_sp: 12_500 }]);
    expect(await balances(ADA)).toEqual([{ timestamp, balance: 1_250_000.25 }]);
    expect(await skillPoints(BEN)).toEqual([{ timestamp, total_sp: 7, unallocated_sp: 0 }]);
    expect(await balances(BEN)).toEqual([{ timestamp, balance: -0.1 }]);
    expect(game.asked.map(({ as, on }) => [as?.scope, on])).toEqual([
      ['ext-skills.read_skills.v1', 'service'],
      ['ext-wallet.read_character_wallet.v1', 'service'],
      ['ext-skills.read_skills.v1', 'service'],
      ['ext-wallet.read_character_wallet.v1', 'service'],
    ]);
  });

  it('a job that runs twice writes once', async () => {
    for (let run = 0; run < 2; run += 1) {
      await Promise.all([
        storeLocation(services, ADA, NOW),
        storeSkillPoints(services, ADA, NOW),
        storeWallet(services, ADA, NOW),
      ]);
    }
    for (const table of TABLES) {
      const { rows } = await database.pool.query(`select count(*)::int as entries from ${table}`);
      expect(rows).toEqual([{ entries: 1 }]);
    }
  });

  it('404 for a character that is not registered', async () => {
    for (const storing of [storeLocation, storeSkillPoints, storeWallet]) {
      await expect(storing(services, 5, NOW)).rejects.toMatchObject({ code: 'not_found' });
    }
  });

  it('nothing for a character that was handed over or deleted during the requests (D19b, D29b)', async () => {
    const count = async () =>
      (await database.pool.query('select count(*)::int as entries from character_wallets')).rows[0]?.entries;
    game.meanwhile = async () => {
      await services.db
        .updateTable('users')
        .set({ owner_hash: 'another' })
        .where('character_id', '=', ADA)
        .execute();
    };
    await storeWallet(services, ADA, NOW);
    expect(await count()).toBe(0);
    game.meanwhile = async () => {
      await services.db.deleteFrom('users').where('character_id', '=', BEN).execute();
    };
    await storeWallet(services, BEN, NOW);
    expect(await count()).toBe(0);
  });

  it('nor for one that is handed over at that moment: the entry waits for it (D29b)', async () => {
    await meanwhile(
      { databaseUrl: database.url },
      'select from users where character_id = $1 for update',
      [ADA],
      () => storeWallet(services, ADA, NOW),
      (other) => other.query(`update users set owner_hash = 'another' where character_id = ${ADA}`),
    );
    const { rows } = await database.pool.query('select character_id from character_wallets');
    expect(rows).toEqual([]);
  });

  it('at once while a run that moves many characters has locked this one', async () => {
    await ensurePartitions(services.db, NOW);
    await services.db.transaction().execute(async (run) => {
      await lockPeople(run, { users: [ADA] }, []);
      await services.db.transaction().execute(async (db) => {
        await sql`set local lock_timeout = '2s'`.execute(db);
        await storeWallet({ ...services, db }, ADA, NOW);
      });
    });
    const { rows } = await database.pool.query('select character_id from character_wallets');
    expect(rows).toEqual([{ character_id: ADA }]);
  });

  it('all entries are deleted with the user, and no others', async () => {
    for (const id of [ADA, BEN]) {
      await storeLocation(services, id, NOW);
      await storeSkillPoints(services, id, NOW);
      await storeWallet(services, id, NOW);
    }
    await deleteHistories(services.db, [ADA]);
    for (const table of TABLES) {
      const { rows } = await database.pool.query(`select character_id from ${table}`);
      expect(rows).toEqual([{ character_id: BEN }]);
    }
  });
});

describe('pages (interface "External data operations" rule 2, D36)', () => {
  it('of any history together contain all entries: newest first, 50 each, none twice, none missing', async () => {
    for (const days of [0, 30, 60, 90]) await ensurePartitions(services.db, hoursAgo(days * 24));
    const minute = fc.integer({ min: 0, max: 90 * 24 * 60 - 1 });
    const minutes = fc.oneof(
      fc.uniqueArray(minute, { maxLength: 120 }),
      // Exactly full pages, and one more.
      fc
        .constantFrom(0, 1, 49, 50, 51, 100, 101)
        .chain((length) => fc.uniqueArray(minute, { minLength: length, maxLength: length })),
    );
    await fc.assert(
      fc.asyncProperty(minutes, minutes, async (ada, ben) => {
        await empty(database.db, 'character_wallets');
        for (const [id, ago] of [
          [ADA, ada],
          [BEN, ben],
        ] as const) {
          await database.pool.query(
            `insert into character_wallets
             select ${id}, $1::timestamptz - ago * interval '1 minute', ago from unnest($2::int[]) ago`,
            [NOW, ago],
          );
        }
        const newestFirst = [...ada].sort((a, b) => a - b);
        const pages = Math.max(1, Math.ceil(ada.length / 50));
        const joined: number[] = [];
        for (let page = 1; page <= pages; page += 1) {
          const found = await listBalances(services, ADA, page);
          expect(found.pages).toBe(pages);
          expect(found.entries.length).toBe(Math.min(50, ada.length - (page - 1) * 50));
          joined.push(...found.entries.map(({ balance }) => balance));
        }
        expect(joined).toEqual(newestFirst);
        await expect(listBalances(services, ADA, pages + 1)).rejects.toMatchObject({
          code: 'invalid_request',
        });
      }),
      { numRuns: 20 },
    );
  });

  it('show the last 90 days and nothing older', async () => {
    const boundary = NOW.getTime() - 90 * DAY;
    for (const at of [boundary, boundary + 1, NOW.getTime()]) await storeWallet(services, ADA, new Date(at));
    const { entries } = await listBalances(services, ADA, 1);
    expect(entries.map(({ timestamp }) => Date.parse(timestamp))).toEqual([NOW.getTime(), boundary + 1]);
  });
});

describe('partitions', () => {
  const names = (...mondays: string[]) =>
    TABLES.flatMap((table) => mondays.map((day) => `${table}_${day}`)).sort();

  it('are created once for this week and four more, even concurrently', async () => {
    const made = await Promise.all([1, 2, 3].map(() => ensurePartitions(services.db, NOW)));
    const expected = names('20260302', '20260309', '20260316', '20260323', '20260330');
    expect(made.flat().sort()).toEqual(expected);
    expect(await listPartitions(services.db, SNAPSHOT_TABLES)).toEqual(expected);
    expect(await ensurePartitions(services.db, NOW)).toEqual([]);
    expect(await ensurePartitions(services.db, new Date(NOW.getTime() + 7 * DAY))).toEqual(names('20260406'));
  });

  it.each(['2026-03-01T23:59:59.999Z', '2026-03-02T00:00:00.000Z', '1969-07-20T20:17:40.000Z'])(
    'are made by an entry that has none: %s',
    async (moment) => {
      const at = new Date(moment);
      await storeWallet(services, ADA, at);
      const found = await listBalances({ db: services.db, clock: { now: () => at } }, ADA, 1);
      expect(found.entries).toEqual([{ balance: 1_250_000.25, timestamp: moment }]);
    },
  );

  it('are dropped exactly when their end is older than 90 days', async () => {
    await ensurePartitions(services.db, NOW);
    const end = Date.parse('2026-03-09T00:00:00.000Z');
    expect(await dropExpired(services.db, new Date(end + 90 * DAY - 1))).toEqual([]);
    expect((await dropExpired(services.db, new Date(end + 90 * DAY))).sort()).toEqual(names('20260302'));
    expect(await listPartitions(services.db, SNAPSHOT_TABLES)).toEqual(
      names('20260309', '20260316', '20260323', '20260330'),
    );
  });

  it('that were not created by the service are not dropped', async () => {
    await database.pool.query('create table kept_elsewhere partition of character_wallets default');
    expect(await dropExpired(services.db, NOW)).toEqual([]);
  });

  it('a page reads only those that can contain entries of the 90 days', async () => {
    await ensurePartitions(services.db, NOW);
    await ensurePartitions(services.db, hoursAgo(365 * 24));
    const { rows } = await database.pool.query(
      `explain select from character_wallets where character_id = ${ADA} and timestamp > '${hoursAgo(2160).toISOString()}'`,
    );
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).toContain('character_wallets_20260302');
    expect(plan).not.toContain('character_wallets_2025');
  });
});
