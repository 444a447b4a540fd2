import { beforeEach, describe, expect, it } from 'vitest';
import type { AllianceFacts, CorporationFacts, GameApi } from '../../../server/provider/api.ts';
import {
  fetchAlliance,
  fetchCharacter,
  fetchCorporation,
} from '../../../server/registry/provider-snapshot.ts';

const ALLIANCE = 99_000_001;
const EXECUTOR = 98_000_001;
const MEMBER_CORPORATION = 98_000_002;
const LONELY = 98_000_003;
const NPC = 1_000_006;
const [EXECUTOR_CEO, CEO, LONELY_CEO, SOMEBODY] = [11, 12, 13, 14] as const;

/** The provider's answers, and the requests it received. */
let corporations: Map<number, CorporationFacts>;
let alliances: Map<number, AllianceFacts>;
let names: Map<number, string>;
let homes: Map<number, { corporation_id: number; alliance_id?: number }>;
let asked: string[];

const api: GameApi = {
  async affiliations(ids) {
    asked.push(`affiliations ${ids}`);
    return ids.flatMap((character_id) => {
      const home = homes.get(character_id);
      return home === undefined ? [] : [{ character_id, ...home }];
    });
  },
  async corporation(id) {
    asked.push(`corporation ${id}`);
    return corporations.get(id);
  },
  async alliance(id) {
    asked.push(`alliance ${id}`);
    return alliances.get(id);
  },
  async allianceCorporations() {
    throw new Error('nothing here asks for them');
  },
  async names(ids) {
    asked.push(`names ${ids}`);
    return ids.flatMap((id) => {
      const name = names.get(id);
      return name === undefined ? [] : [{ id, name, category: 'character' }];
    });
  },
};

beforeEach(() => {
  asked = [];
  corporations = new Map([
    [EXECUTOR, { name: 'Lead', ticker: 'LEAD', ceo_id: EXECUTOR_CEO, alliance_id: ALLIANCE }],
    [MEMBER_CORPORATION, { name: 'Follow', ticker: 'FOLL', ceo_id: CEO, alliance_id: ALLIANCE }],
    [LONELY, { name: 'Alone', ticker: 'ALON', ceo_id: LONELY_CEO }],
    [NPC, { name: 'Of the game', ticker: 'GAME', ceo_id: 3_000_001 }],
  ]);
  alliances = new Map([[ALLIANCE, { name: 'Together', ticker: 'TOGE', executor_corporation_id: EXECUTOR }]]);
  names = new Map([
    [EXECUTOR_CEO, 'Eve Lead'],
    [CEO, 'Ceo Follow'],
    [LONELY_CEO, 'Lone Ly'],
  ]);
  homes = new Map([
    [CEO, { corporation_id: MEMBER_CORPORATION, alliance_id: ALLIANCE }],
    [SOMEBODY, { corporation_id: LONELY }],
  ]);
});

const corporationFound = (id: number, alliance_id: number | null, ceo_id: number) => ({
  corporation_id: id,
  corporation_name: corporations.get(id)?.name,
  ticker: corporations.get(id)?.ticker,
  alliance_id,
  ceo_id,
  ceo_name: names.get(ceo_id) ?? null,
});
const characterFound = (character_id: number, corporation_id: number) => ({
  character_id,
  character_name: names.get(character_id),
  corporation_id,
});

describe('D39: a corporation', () => {
  it('is fetched with its CEO, its alliance, and the executor with its CEO, in four requests', async () => {
    expect(await fetchCorporation(api, MEMBER_CORPORATION)).toEqual({
      alliances: [
        {
          alliance_id: ALLIANCE,
          alliance_name: 'Together',
          ticker: 'TOGE',
          executor_corporation_id: EXECUTOR,
        },
      ],
      corporations: [
        corporationFound(MEMBER_CORPORATION, ALLIANCE, CEO),
        corporationFound(EXECUTOR, ALLIANCE, EXECUTOR_CEO),
      ],
      characters: [characterFound(CEO, MEMBER_CORPORATION), characterFound(EXECUTOR_CEO, EXECUTOR)],
    });
    expect(asked).toHaveLength(4);
  });

  it('that is the executor itself is requested once', async () => {
    const found = await fetchCorporation(api, EXECUTOR);
    expect(found?.corporations).toEqual([corporationFound(EXECUTOR, ALLIANCE, EXECUTOR_CEO)]);
    expect(asked).toEqual([`corporation ${EXECUTOR}`, `alliance ${ALLIANCE}`, `names ${EXECUTOR_CEO}`]);
  });

  it('without an alliance needs two requests', async () => {
    expect(await fetchCorporation(api, LONELY)).toEqual({
      alliances: [],
      corporations: [corporationFound(LONELY, null, LONELY_CEO)],
      characters: [characterFound(LONELY_CEO, LONELY)],
    });
    expect(asked).toHaveLength(2);
  });

  it('of the game itself is not registered, and not even requested', async () => {
    expect(await fetchCorporation(api, NPC)).toBeUndefined();
    expect(await fetchCorporation(api, 1_999_999)).toBeUndefined();
    expect(asked).toEqual([]);
  });

  it.each([
    ['unknown', () => corporations.delete(LONELY)],
    ['without a CEO', () => corporations.set(LONELY, { name: 'Alone', ticker: 'ALON' })],
    ['with the CEO 1', () => corporations.set(LONELY, { name: 'Alone', ticker: 'ALON', ceo_id: 1 })],
  ])('that is closed is none: %s', async (_, close) => {
    close();
    expect(await fetchCorporation(api, LONELY)).toBeUndefined();
  });

  it('belongs to the alliance in the affiliation, which is newer than its own record', async () => {
    const without = await fetchCorporation(api, MEMBER_CORPORATION, null);
    expect(without?.corporations).toEqual([corporationFound(MEMBER_CORPORATION, null, CEO)]);
    expect(asked).not.toContain(`alliance ${ALLIANCE}`);
    const within = await fetchCorporation(api, LONELY, ALLIANCE);
    expect(within?.corporations[0]).toEqual(corporationFound(LONELY, ALLIANCE, LONELY_CEO));
    expect(within?.alliances).toHaveLength(1);
  });

  it('whose CEO’s name is not available comes without it, and without a character', async () => {
    names.delete(LONELY_CEO);
    expect(await fetchCorporation(api, LONELY)).toEqual({
      alliances: [],
      corporations: [{ ...corporationFound(LONELY, null, LONELY_CEO), ceo_name: null }],
      characters: [],
    });
  });
});

describe('D39: an alliance', () => {
  it('is fetched with its executor and the executor’s CEO', async () => {
    const found = await fetchAlliance(api, ALLIANCE);
    expect(found?.alliances).toHaveLength(1);
    expect(found?.corporations).toEqual([corporationFound(EXECUTOR, ALLIANCE, EXECUTOR_CEO)]);
    expect(found?.characters).toEqual([characterFound(EXECUTOR_CEO, EXECUTOR)]);
  });

  it('D19: the executor is presumed to belong to it where its own record, maybe an older one, names none', async () => {
    corporations.set(EXECUTOR, { name: 'Lead', ticker: 'LEAD', ceo_id: EXECUTOR_CEO });
    const found = await fetchAlliance(api, ALLIANCE);
    expect(found?.corporations[0]).toMatchObject({ alliance_id: ALLIANCE, presumed: true });
  });

  it.each([
    ['unknown', () => alliances.delete(ALLIANCE)],
    ['without an executor', () => alliances.set(ALLIANCE, { name: 'Together', ticker: 'TOGE' })],
    ['with an executor that closed', () => corporations.delete(EXECUTOR)],
  ])('that is closed is none: %s', async (_, close) => {
    close();
    expect(await fetchAlliance(api, ALLIANCE)).toBeUndefined();
  });
});

describe('D39: a character', () => {
  const unknown = async () => undefined;
  const find = (id: number, known: Parameters<typeof fetchCharacter>[2] = unknown) =>
    fetchCharacter(api, { id, name: names.get(id) ?? 'Some Body' }, known);

  it('of a known corporation in the same alliance costs one request', async () => {
    expect(await find(CEO, async () => ({ alliance_id: ALLIANCE }))).toEqual({
      alliances: [],
      corporations: [],
      characters: [characterFound(CEO, MEMBER_CORPORATION)],
    });
    await find(SOMEBODY, async () => ({ alliance_id: null }));
    expect(asked).toEqual([`affiliations ${CEO}`, `affiliations ${SOMEBODY}`]);
  });

  it('is not that of another character in the answer', async () => {
    const confused: GameApi = { ...api, affiliations: () => api.affiliations([CEO, SOMEBODY]) };
    const unregistered = async () => undefined;
    const found = await fetchCharacter(confused, { id: SOMEBODY, name: 'Some Body' }, unregistered);
    expect(found?.characters.at(-1)).toMatchObject({ character_id: SOMEBODY, corporation_id: LONELY });
    const stranger = { id: 15, name: 'Stranger' };
    expect(await fetchCharacter(confused, stranger, unregistered)).toBeUndefined();
  });

  it('of a known corporation in another alliance: everything is requested', async () => {
    expect((await find(CEO, async () => ({ alliance_id: null })))?.corporations).toHaveLength(2);
    expect(asked).toHaveLength(5);
  });

  it('that is the CEO of its corporation is in the snapshot once', async () => {
    const found = await find(CEO);
    expect(found?.characters).toEqual([
      characterFound(EXECUTOR_CEO, EXECUTOR),
      characterFound(CEO, MEMBER_CORPORATION),
    ]);
  });

  it('of the game’s own corporation has no corporation', async () => {
    homes.set(SOMEBODY, { corporation_id: NPC });
    expect(await find(SOMEBODY)).toEqual({
      alliances: [],
      corporations: [],
      characters: [{ character_id: SOMEBODY, character_name: 'Some Body', corporation_id: null }],
    });
    expect(asked).toHaveLength(1);
  });

  it('of a closed corporation has no corporation, unless that is registered', async () => {
    corporations.delete(LONELY);
    expect((await find(SOMEBODY))?.characters[0]?.corporation_id).toBeNull();
    const found = await find(SOMEBODY, async () => ({ alliance_id: ALLIANCE }));
    expect(found?.characters[0]?.corporation_id).toBe(LONELY);
  });

  it('that the provider does not know is not found', async () => {
    expect(await find(99)).toBeUndefined();
  });
});
