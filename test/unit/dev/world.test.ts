import { describe, expect, it } from 'vitest';
import {
  FIRST_CHARACTER_ID,
  FIRST_CORPORATION_ID,
  NPC_CORPORATION_ID,
  World,
} from '../../../dev/world/world.ts';

const SMALL = { seed: 1, alliances: 3, corporations: 12, characters: 300, mailRounds: 48 };

function everybody(world: World): unknown {
  const { characters } = world.search('', world.population);
  return { characters, corporations: world.corporations, alliances: world.alliances };
}

describe('world', () => {
  it('is the same for the same seed, and different for another', () => {
    expect(everybody(new World(SMALL))).toEqual(everybody(new World(SMALL)));
    expect(everybody(new World({ ...SMALL, seed: 2 }))).not.toEqual(everybody(new World(SMALL)));
  });

  it('has the provider’s id ranges, and executors and CEOs from within', () => {
    const world = new World(SMALL);
    expect(world.alliances).toHaveLength(3);
    for (const alliance of world.alliances) {
      expect(alliance.id).toBeGreaterThanOrEqual(99_000_000);
      expect(world.corporationsOf(alliance.id)).toContain(alliance.executorCorporationId);
    }
    const corporations = world.corporations.filter(({ npc }) => !npc);
    expect(corporations).toHaveLength(12);
    expect(corporations.some(({ allianceId }) => allianceId === null)).toBe(true);
    for (const { id, ceoId } of corporations) {
      expect(id).toBeGreaterThanOrEqual(98_000_000);
      expect(world.membersOf(id)).toContain(ceoId);
    }
    expect(world.membersOf(NPC_CORPORATION_ID).length).toBeGreaterThanOrEqual(3);
  });

  it('generates 200,000 characters with unique names, each in a corporation that exists', () => {
    const world = new World({
      seed: 7,
      alliances: 10,
      corporations: 400,
      characters: 200_000,
      mailRounds: 48,
    });
    const names = new Set<string>();
    const members = new Map<number, number>();
    for (let i = 0; i < world.population; i++) {
      const { name = '', corporationId = 0 } = world.character(FIRST_CHARACTER_ID + i) ?? {};
      names.add(name);
      members.set(corporationId, (members.get(corporationId) ?? 0) + 1);
    }
    for (const id of members.keys()) expect(world.corporation(id)).toBeDefined();
    // Listing the members of one looks at everybody.
    for (const [id, count] of [...members].slice(0, 20)) expect(world.membersOf(id)).toHaveLength(count);
    expect(names.size).toBe(200_000);
    expect(new Set(world.corporations.map(({ ticker }) => ticker)).size).toBe(world.corporations.length);
    expect([...names].every((name) => /^[A-Z][a-z]+ [A-Z][A-Za-z']+$/.test(name))).toBe(true);
  });

  it('refuses impossible sizes', () => {
    expect(() => new World({ ...SMALL, corporations: 3 })).toThrow(RangeError);
    expect(() => new World({ ...SMALL, characters: 12 })).toThrow(RangeError);
    expect(() => new World({ ...SMALL, characters: 1_000_000 })).toThrow(RangeError);
  });

  it('lets characters move, corporations change alliance and CEOs change', () => {
    const world = new World(SMALL);
    const [from, to] = [FIRST_CORPORATION_ID, FIRST_CORPORATION_ID + 11];
    const mover = world.membersOf(from)[1] ?? 0;
    expect(() => world.moveCharacter(FIRST_CHARACTER_ID, to)).toThrow('leads its corporation');
    world.setCeo(from, mover);
    world.moveCharacter(FIRST_CHARACTER_ID, to);
    expect(world.character(FIRST_CHARACTER_ID)).toMatchObject({
      corporationId: to,
      allianceId: null,
      isCeo: false,
    });
    expect(world.character(mover)?.isCeo).toBe(true);
    const left = world.corporation(from)?.allianceId ?? 0;
    world.moveCorporation(from, null);
    expect(world.alliance(left)?.executorCorporationId).toBeNull();
    expect(world.character(mover)?.allianceId).toBeNull();
  });

  it('a closed corporation has no members and no CEO, a closed alliance no corporations and no executor', () => {
    const world = new World(SMALL);
    const [alliance] = world.alliances;
    world.closeCorporation(FIRST_CORPORATION_ID + 5);
    expect(world.membersOf(FIRST_CORPORATION_ID + 5)).toEqual([]);
    expect(world.corporation(FIRST_CORPORATION_ID + 5)).toMatchObject({
      ceoId: null,
      closed: true,
      allianceId: null,
    });
    world.closeAlliance(alliance?.id ?? 0);
    expect(world.corporationsOf(alliance?.id ?? 0)).toEqual([]);
    expect(world.alliance(alliance?.id ?? 0)?.executorCorporationId).toBeNull();
  });
});
