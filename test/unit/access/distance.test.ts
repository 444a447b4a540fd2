import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { distanceTo, nearnessTo, type Position } from '../../../server/access/distance.ts';
import { pair } from '../../fixtures/positions.ts';

const nobody: Position = {
  characterId: 0,
  corporationId: null,
  allianceId: null,
  coalitionIds: [],
  guest: false,
};

/** A position; by default a member without organizations. */
const at = (characterId: number, where: Partial<Position> = {}): Position => ({
  ...nobody,
  characterId,
  ...where,
});

const ada = at(1, { corporationId: 10, allianceId: 100, coalitionIds: ['x', 'y'] });

describe('D11: distance from one user to another', () => {
  it.each([
    [0, 'the same user', ada],
    [1, 'the same corporation', at(2, { corporationId: 10, allianceId: 100 })],
    [1, 'the same corporation, alliance notwithstanding', at(2, { corporationId: 10, allianceId: 101 })],
    [3, 'the same alliance', at(2, { corporationId: 11, allianceId: 100 })],
    [5, 'a coalition in common', at(2, { corporationId: 11, allianceId: 101, coalitionIds: ['z', 'y'] })],
    [5, 'a coalition in common without alliances', at(2, { corporationId: 11, coalitionIds: ['x'] })],
    [7, 'nothing in common', at(2, { corporationId: 11, allianceId: 101, coalitionIds: ['z'] })],
    [7, 'no corporation', at(2)],
  ])('%i: %s', (distance, _, other) => {
    expect(distanceTo(ada, other)).toBe(distance);
  });

  it('says what is shared: the corporation, the alliance, every coalition', () => {
    const shared = (other: Position) => nearnessTo(ada, other).by;
    expect(shared(at(2, { corporationId: 10 }))).toEqual({ type: 'corporation', ids: [10] });
    expect(shared(at(2, { ...ada, characterId: 2, guest: true }))).toEqual({
      type: 'corporation',
      ids: [10],
    });
    expect(shared(at(2, { allianceId: 100 }))).toEqual({ type: 'alliance', ids: [100] });
    expect(shared(at(2, { coalitionIds: ['z', 'y', 'x'] }))).toEqual({ type: 'coalition', ids: ['x', 'y'] });
    for (const other of [ada, at(2)]) expect(shared(other)).toBeUndefined();
  });

  it('members of the game’s own corporations do not share them', () => {
    expect(distanceTo(at(1), at(2))).toBe(7);
  });

  it('from a member of the inviting corporation to its guest 1, from everybody else 7', () => {
    const guest = at(2, { ...ada, characterId: 2, guest: true });
    expect(distanceTo(ada, guest)).toBe(1);
    const sister = at(3, { corporationId: 11, allianceId: 100, coalitionIds: ['x', 'y'] });
    expect(distanceTo(sister, guest)).toBe(7);
    expect(distanceTo(at(4), at(5, { guest: true }))).toBe(7);
  });

  it('a guest is at 7 from everybody but itself, its host and other guests included', () => {
    const guest = at(2, { ...ada, characterId: 2, guest: true });
    for (const other of [ada, { ...guest, characterId: 3 }]) expect(distanceTo(guest, other)).toBe(7);
    expect(distanceTo(guest, guest)).toBe(0);
  });

  it('is symmetric, except for guests', () => {
    fc.assert(
      fc.property(pair, ([one, other]) => {
        fc.pre(!one.guest && !other.guest);
        expect(distanceTo(one, other)).toBe(distanceTo(other, one));
      }),
    );
  });

  it('is 0 only to oneself, and always 0, 1, 3, 5 or 7', () => {
    fc.assert(
      fc.property(pair, ([one, other]) => {
        const distance = distanceTo(one, other);
        expect([0, 1, 3, 5, 7]).toContain(distance);
        expect(distance === 0).toBe(one.characterId === other.characterId);
      }),
    );
  });

  it('to another member is the distance to the corporation of that member', () => {
    fc.assert(
      fc.property(pair, ([one, other]) => {
        fc.pre(one.characterId !== other.characterId && !other.guest && other.corporationId !== null);
        const { characterId: _, guest: __, ...corporation } = other;
        expect(distanceTo(one, other)).toBe(distanceTo(one, corporation));
      }),
    );
  });
});

describe('D13: distance to a corporation or alliance', () => {
  const corporation = (corporationId: number, allianceId: number | null, coalitionIds: string[] = []) => ({
    corporationId,
    allianceId,
    coalitionIds,
  });
  const alliance = (allianceId: number, coalitionIds: string[] = []) => ({
    corporationId: null,
    allianceId,
    coalitionIds,
  });

  it.each([
    [1, 'own corporation', corporation(10, 100)],
    [3, 'corporation of the same alliance', corporation(11, 100)],
    [5, 'corporation with a coalition in common', corporation(11, 101, ['y'])],
    [7, 'any other corporation', corporation(11, null)],
    [3, 'own alliance', alliance(100)],
    [5, 'alliance with a coalition in common', alliance(101, ['x'])],
    [7, 'any other alliance', alliance(101, ['z'])],
  ])('%i: %s', (distance, _, body) => {
    expect(distanceTo(ada, body)).toBe(distance);
    expect(distanceTo({ ...ada, guest: true }, body)).toBe(7);
  });

  it('a user without a corporation is in no alliance either', () => {
    expect(distanceTo(at(1), corporation(10, null))).toBe(7);
    expect(distanceTo(at(1), alliance(100))).toBe(7);
  });
});
