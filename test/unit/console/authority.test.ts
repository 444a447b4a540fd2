import fc from 'fast-check';
import { expect, it } from 'vitest';
import { hasAuthority, levelsToGive, mayReach } from '../../../console/src/shared/authority.ts';
import { ALL_LEVELS } from '../../../console/src/shared/level-thresholds.ts';
import { LEVELS } from '../../../contract/access.ts';
import { hasAuthority as suffices } from '../../../server/access/clearance-levels.ts';
import { distanceTo, type Position } from '../../../server/access/distance.ts';
import { lackToSetLevel } from '../../../server/access/level-change.ts';

const CORPORATION = fc.constantFrom(null, 98_000_001, 98_000_002);
const ALLIANCE = fc.constantFrom(null, 99_000_001, 99_000_002);
const COALITIONS = fc.uniqueArray(fc.constantFrom('a', 'b'));

/** Somebody as the service compares it, and as it shows it; guests are shown with the corporation that invited them. */
const somebody = (levels: fc.Arbitrary<number>) =>
  fc
    .record({
      characterId: fc.constantFrom(0, 2_112_000_001, 2_112_000_002, 2_112_000_003),
      corporationId: CORPORATION,
      allianceId: ALLIANCE,
      coalitionIds: COALITIONS,
      level: levels,
    })
    .map((given) => {
      const position: Position & { readonly level: number } = { ...given, guest: given.level < 0 };
      const shown = {
        character_id: given.characterId,
        clearance_level: given.level,
        corporation: given.corporationId === null ? null : String(given.corporationId),
        alliance: given.allianceId,
        coalitions: given.coalitionIds,
      };
      return { position, shown };
    });
const ME = somebody(fc.integer({ min: 0, max: 10 }));
const OTHER = somebody(fc.integer({ min: -1, max: 10 }));
const MODES = ['read', 'write'] as const;

it('D12: the console offers what needs authority over a user exactly where the service grants it', () => {
  const same = fc.property(ME, OTHER, fc.constantFrom(...MODES), (me, other, mode) => {
    const granted = suffices(me.position.level, distanceTo(me.position, other.position), mode);
    expect(hasAuthority(mode, me.shown, other.shown)).toBe(granted);
  });
  fc.assert(same, { numRuns: 2000 });
});

it('D16: the console offers the levels that the service would set', () => {
  const same = fc.property(ME, OTHER, (me, other) => {
    const levels = Array.from({ length: 11 }, (_, level) => level);
    const set = levels.filter((level) => lackToSetLevel(me.position, other.position, level) === undefined);
    const changes = set.some((level) => level !== other.position.level);
    expect(levelsToGive(me.shown, other.shown)).toEqual(changes ? set : []);
  });
  fc.assert(same, { numRuns: 2000 });
});

it('D13, D14: what the service allows over an organization is offered; nothing of others is without a coalition', () => {
  const organization = fc.record({
    corporationId: CORPORATION,
    allianceId: ALLIANCE,
    coalitionIds: COALITIONS,
  });
  const offered = fc.property(ME, organization, fc.constantFrom(...MODES), (me, to, mode) => {
    const allowed = suffices(me.position.level, distanceTo(me.position, to), mode);
    const { corporationId, allianceId, coalitionIds } = to;
    const [coalition] = coalitionIds;
    const shown =
      corporationId !== null
        ? { corporation: corporationId, alliance: allianceId }
        : allianceId !== null || coalition === undefined
          ? { alliance: allianceId }
          : { coalition };
    const found = mayReach(mode, me.shown, shown);
    if (allowed && (!('coalition' in shown) || coalitionIds.length === 1)) expect(found).toBe(true);
    if (me.shown.coalitions.length === 0) expect(found).toBe(allowed);
  });
  fc.assert(offered, { numRuns: 2000 });
});

it('D16: the console offers every level that there is', () => {
  expect(ALL_LEVELS).toEqual(LEVELS);
});
