import { describe, expect, it } from 'vitest';
import {
  FIRST_ALLIANCE_ID,
  FIRST_CHARACTER_ID,
  FIRST_CORPORATION_ID,
  GRAVEYARD_ID,
  NPC_CORPORATION_ID,
} from '../../../dev/world/world.ts';
import { bearer, get, LOCATION, postIds, useProvider, WALLET } from './client.ts';

const SOMEBODY = FIRST_CHARACTER_ID + 100;
const NEW_FORM = { 'x-compatibility-date': '2026-08-04' };
const SCOPES = {
  online: 'esi-location.read_online.v1',
  ship: 'esi-location.read_ship_type.v1',
  skills: 'esi-skills.read_skills.v1',
  assets: 'esi-assets.read_assets.v1',
  members: 'esi-corporations.read_corporation_membership.v1',
  structures: 'esi-universe.read_structures.v1',
};
const simulated = useProvider();

async function body(path: string, headers: Record<string, string> = {}): Promise<unknown> {
  return await (await get(simulated.provider, path, headers)).json();
}

describe('public operations (provider.md §2)', () => {
  it('GET /characters/{id}', async () => {
    const character = simulated.provider.world.character(FIRST_CHARACTER_ID);
    expect(await body(`/characters/${FIRST_CHARACTER_ID}`, NEW_FORM)).toMatchObject({
      name: character?.name,
      corporation_id: FIRST_CORPORATION_ID,
      alliance_id: FIRST_ALLIANCE_ID,
      birthday: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      gender: character?.gender,
      race_id: expect.any(Number),
      bloodline_id: expect.any(Number),
    });
  });

  it('GET /corporations/{id} has tax_rates from 2026-07-21 on, tax_rate before', async () => {
    const path = `/corporations/${FIRST_CORPORATION_ID}`;
    const common = { ceo_id: FIRST_CHARACTER_ID, alliance_id: FIRST_ALLIANCE_ID, ticker: expect.any(String) };
    expect(await body(path, NEW_FORM)).toMatchObject({
      ...common,
      tax_rates: { isk: expect.any(Number) },
      state: 'active',
    });
    const before = await body(path, { 'x-compatibility-date': '2026-07-20' });
    expect(before).toMatchObject({ ...common, tax_rate: expect.any(Number) });
    expect(before).not.toHaveProperty('tax_rates');
  });

  it('corporations of the game have no CEO: ceo_id 1, and url "None" in the old form', async () => {
    expect(await body(`/corporations/${NPC_CORPORATION_ID}`)).toMatchObject({ ceo_id: 1, url: 'None' });
    expect(await body(`/corporations/${NPC_CORPORATION_ID}`, NEW_FORM)).not.toHaveProperty('ceo_id');
  });

  it('GET /alliances/{id} and its corporations', async () => {
    const alliance = simulated.provider.world.alliance(FIRST_ALLIANCE_ID);
    expect(await body(`/alliances/${FIRST_ALLIANCE_ID}`)).toMatchObject({
      name: alliance?.name,
      ticker: alliance?.ticker,
      executor_corporation_id: FIRST_CORPORATION_ID,
      creator_corporation_id: FIRST_CORPORATION_ID,
    });
    expect(await body(`/alliances/${FIRST_ALLIANCE_ID}/corporations`)).toEqual(
      simulated.provider.world.corporationsOf(FIRST_ALLIANCE_ID),
    );
  });

  it.each([
    ['/universe/types/600', 'type_id'],
    ['/universe/systems/30000001', 'system_id'],
    ['/universe/stations/60000001', 'station_id'],
  ])('GET %s', async (path, key) => {
    expect(await body(path)).toMatchObject({ [key]: Number(path.split('/')[3]), name: expect.any(String) });
  });

  it('GET /status', async () => {
    expect(await body('/status')).toMatchObject({
      players: expect.any(Number),
      server_version: expect.any(String),
    });
  });

  it.each([
    '/characters/1',
    '/corporations/98999999',
    '/alliances/1',
    '/universe/types/1',
    '/nothing',
    '/characters/x',
  ])('GET %s: 404 {"error": …}', async (path) => {
    const answer = await get(simulated.provider, path);
    expect(answer.status).toBe(404);
    expect(await answer.json()).toEqual({ error: expect.any(String) });
  });

  it('old prefixes with a trailing slash still answer; unversioned paths have none', async () => {
    const plain = await body(`/characters/${SOMEBODY}`);
    expect(await body(`/latest/characters/${SOMEBODY}/`)).toEqual(plain);
    expect(await body(`/v5/characters/${SOMEBODY}/`)).toEqual(plain);
    expect((await get(simulated.provider, `/characters/${SOMEBODY}/`)).status).toBe(404);
  });

  it('another method: 405', async () => {
    expect((await get(simulated.provider, '/universe/names')).status).toBe(405);
  });

  it('echoes X-Compatibility-Date, refuses invalid dates', async () => {
    expect((await get(simulated.provider, '/status', NEW_FORM)).headers.get('x-compatibility-date')).toBe(
      '2026-08-04',
    );
    expect((await get(simulated.provider, '/status', { 'x-compatibility-date': 'today' })).status).toBe(400);
  });
});

describe('operations with a scope (provider.md §2)', () => {
  it('without a token 401, without the scope 403, of another character 403', async () => {
    const path = `/characters/${SOMEBODY}/wallet`;
    expect((await get(simulated.provider, path)).status).toBe(401);
    expect((await get(simulated.provider, path, { authorization: 'Bearer nonsense' })).status).toBe(401);
    expect(
      (await get(simulated.provider, path, await bearer(simulated.provider, SOMEBODY, LOCATION))).status,
    ).toBe(403);
    expect(
      (await get(simulated.provider, path, await bearer(simulated.provider, SOMEBODY + 1, WALLET))).status,
    ).toBe(403);
    expect(
      (await get(simulated.provider, path, await bearer(simulated.provider, SOMEBODY, WALLET))).status,
    ).toBe(200);
  });

  it('wallet is a bare JSON number, which differs in the next hour', async () => {
    const headers = await bearer(simulated.provider, SOMEBODY, WALLET);
    const balance = await body(`/characters/${SOMEBODY}/wallet`, headers);
    expect(balance).toEqual(expect.any(Number));
    simulated.provider.world.hour++;
    expect(await body(`/characters/${SOMEBODY}/wallet`, headers)).not.toBe(balance);
  });

  it('location, online, ship, skills', async () => {
    const headers = await bearer(
      simulated.provider,
      SOMEBODY,
      LOCATION,
      SCOPES.online,
      SCOPES.ship,
      SCOPES.skills,
    );
    const own = (what: string) => body(`/characters/${SOMEBODY}/${what}`, headers);
    expect(await own('location')).toMatchObject({ solar_system_id: expect.any(Number) });
    expect(await own('online')).toMatchObject({ online: expect.any(Boolean), logins: expect.any(Number) });
    expect(await own('ship')).toEqual({
      ship_item_id: expect.any(Number),
      ship_name: expect.any(String),
      ship_type_id: expect.any(Number),
    });
    const skills = (await own('skills')) as { total_sp: number; skills: { skillpoints_in_skill: number }[] };
    expect(skills.total_sp).toBe(skills.skills.reduce((sum, skill) => sum + skill.skillpoints_in_skill, 0));
  });

  it('every place in a location has a name', async () => {
    const named = new Set<string>();
    for (let hour = 0; hour < 12; hour++) {
      simulated.provider.world.hour = hour;
      const headers = await bearer(simulated.provider, SOMEBODY, LOCATION, SCOPES.structures);
      const location = (await body(`/characters/${SOMEBODY}/location`, headers)) as Record<string, number>;
      for (const [key, kind] of [
        ['solar_system_id', 'systems'],
        ['station_id', 'stations'],
        ['structure_id', 'structures'],
      ] as const) {
        if (location[key] === undefined) continue;
        expect(await body(`/universe/${kind}/${location[key]}`, headers)).toHaveProperty(
          'name',
          expect.any(String),
        );
        named.add(kind);
      }
    }
    expect([...named].sort()).toEqual(['stations', 'structures', 'systems']);
  });

  it('a structure is 403 when the character is not on its list', async () => {
    const { world } = simulated.provider;
    const outsider = world.membersOf(NPC_CORPORATION_ID)[0] ?? 0;
    const path = '/universe/structures/1030000000001';
    expect(
      (
        await get(
          simulated.provider,
          path,
          await bearer(simulated.provider, FIRST_CHARACTER_ID, SCOPES.structures),
        )
      ).status,
    ).toBe(200);
    expect(
      (await get(simulated.provider, path, await bearer(simulated.provider, outsider, SCOPES.structures)))
        .status,
    ).toBe(403);
  });

  it('members: the token’s character must be one', async () => {
    const path = `/corporations/${FIRST_CORPORATION_ID}/members`;
    const members = simulated.provider.world.membersOf(FIRST_CORPORATION_ID);
    expect(await body(path, await bearer(simulated.provider, FIRST_CHARACTER_ID, SCOPES.members))).toEqual(
      members,
    );
    expect(
      (
        await get(
          simulated.provider,
          path,
          await bearer(simulated.provider, FIRST_CHARACTER_ID + 1, SCOPES.members),
        )
      ).status,
    ).toBe(403);
  });
});

describe('bulk operations fail as a whole (provider.md §2)', () => {
  it('POST /universe/names names every kind', async () => {
    const ids = [FIRST_CHARACTER_ID, FIRST_CORPORATION_ID, FIRST_ALLIANCE_ID, 600, 30_000_001, 60_000_001];
    const answer = (await (await postIds(simulated.provider, '/universe/names', ids)).json()) as {
      category: string;
    }[];
    expect(answer.map(({ category }) => category)).toEqual([
      'character',
      'corporation',
      'alliance',
      'inventory_type',
      'solar_system',
      'station',
    ]);
  });

  it.each([
    ['/universe/names', 404],
    ['/characters/affiliation', 400],
  ])('POST %s: one unknown id among good ones: %i', async (path, status) => {
    expect((await postIds(simulated.provider, path, [SOMEBODY])).status).toBe(200);
    expect((await postIds(simulated.provider, path, [SOMEBODY, 5])).status).toBe(status);
  });

  it.each(['/universe/names', '/characters/affiliation'])(
    'POST %s: 1 to 1000 unique ids, else 400',
    async (path) => {
      const thousand = Array.from({ length: 1_001 }, (_, i) => i + 1);
      for (const ids of [[], [SOMEBODY, SOMEBODY], thousand, ['x'], { ids: [1] }]) {
        expect((await postIds(simulated.provider, path, ids)).status).toBe(400);
      }
    },
  );

  it('deleted characters: 404 "Character has been deleted!", affiliation 1000001, no member any more', async () => {
    const { world } = simulated.provider;
    const deleted = world.membersOf(NPC_CORPORATION_ID)[1] ?? 0;
    world.deleteCharacter(deleted);
    const answer = await get(simulated.provider, `/characters/${deleted}`);
    expect([answer.status, await answer.json()]).toEqual([404, { error: 'Character has been deleted!' }]);
    const affiliation = await postIds(simulated.provider, '/characters/affiliation', [
      deleted,
      FIRST_CHARACTER_ID,
    ]);
    expect(await affiliation.json()).toEqual([
      { character_id: deleted, corporation_id: GRAVEYARD_ID },
      {
        character_id: FIRST_CHARACTER_ID,
        corporation_id: FIRST_CORPORATION_ID,
        alliance_id: FIRST_ALLIANCE_ID,
      },
    ]);
    expect(world.membersOf(NPC_CORPORATION_ID)).not.toContain(deleted);
  });
});

describe('pages and caching (provider.md §2)', () => {
  it.each(['/universe/types', '/markets/10000001/orders'])(
    'GET %s: X-Pages, a page beyond the last is 404',
    async (path) => {
      const first = await get(simulated.provider, path);
      const pages = Number(first.headers.get('x-pages'));
      const last = (await body(`${path}?page=${pages}`)) as unknown[];
      expect(pages).toBeGreaterThan(1);
      expect(await first.json()).toHaveLength(1_000);
      expect(last.length).toBeGreaterThan(0);
      expect((await get(simulated.provider, `${path}?page=${pages + 1}`)).status).toBe(404);
      expect((await get(simulated.provider, `${path}?page=0`)).status).toBe(400);
    },
  );

  it('GET /characters/{id}/assets: pages of the token’s character without overlap', async () => {
    const headers = await bearer(simulated.provider, SOMEBODY, SCOPES.assets);
    const path = `/characters/${SOMEBODY}/assets`;
    const pages = Number((await get(simulated.provider, path, headers)).headers.get('x-pages'));
    const items: { item_id: number }[] = [];
    for (let page = 1; page <= pages; page++)
      items.push(...((await body(`${path}?page=${page}`, headers)) as typeof items));
    expect(new Set(items.map(({ item_id: id }) => id)).size).toBe(items.length);
    expect((await get(simulated.provider, `${path}?page=${pages + 1}`, headers)).status).toBe(404);
  });

  it('ETag and If-None-Match: 304 without a body until the answer changes', async () => {
    const path = `/characters/${SOMEBODY}`;
    const etag = (await get(simulated.provider, path)).headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[0-9a-f]{40}"$/);
    const again = await get(simulated.provider, path, { 'if-none-match': `"other", W/${etag}` });
    expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag]);
    simulated.provider.world.renameCharacter(SOMEBODY, 'Somebody Else');
    expect((await get(simulated.provider, path, { 'if-none-match': etag })).status).toBe(200);
  });

  it('Cache-Control max-age and Expires, private for scoped answers', async () => {
    const open = (await get(simulated.provider, `/characters/${SOMEBODY}`)).headers;
    expect(open.get('cache-control')).toBe('public, max-age=86400');
    expect(open.get('expires')).toBe('Wed, 02 Sep 2026 12:00:00 GMT');
    expect(open.get('date')).toBe('Tue, 01 Sep 2026 12:00:00 GMT');
    const headers = await bearer(simulated.provider, SOMEBODY, LOCATION);
    const scoped = await get(simulated.provider, `/characters/${SOMEBODY}/location`, headers);
    expect(scoped.headers.get('cache-control')).toBe('private, max-age=5');
  });

  it('daily lists have no max-age: Expires is after the next downtime', async () => {
    const { headers } = await get(simulated.provider, '/universe/types/600');
    expect(headers.get('cache-control')).toBe('public');
    expect(headers.get('expires')).toBe('Wed, 02 Sep 2026 11:05:00 GMT');
  });
});
