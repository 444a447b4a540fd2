import fc from 'fast-check';
import type { Ranked } from '../../../server/access/level-change.ts';

/** A small registry in which people are near each other often enough. */
export interface Registry {
  /** Alliance of each corporation, and the coalitions that each corporation reaches. */
  readonly corporations: readonly {
    readonly alliance: number | null;
    readonly coalitions: readonly string[];
  }[];
  readonly people: readonly Ranked[];
}

const alliances = [1, 2, null];

/** Corporations, some with an alliance, in coalitions through it or directly; people in them, some as guests. */
export const registry: fc.Arbitrary<Registry> = fc
  .record({
    allianceOf: fc.array(fc.constantFrom(...alliances), { minLength: 4, maxLength: 4 }),
    ofAlliance: fc.dictionary(fc.constantFrom('1', '2'), fc.subarray(['x', 'y'])),
    ofCorporation: fc.array(fc.subarray(['x', 'y', 'z']), { minLength: 4, maxLength: 4 }),
    homes: fc.array(
      fc.record({
        home: fc.constantFrom(0, 1, 2, 3, null),
        level: fc.integer({ min: -1, max: 10 }),
      }),
      { minLength: 2, maxLength: 8 },
    ),
  })
  .map(({ allianceOf, ofAlliance, ofCorporation, homes }) => {
    const corporations = allianceOf.map((alliance, index) => ({
      alliance,
      coalitions: [...new Set([...(ofAlliance[String(alliance)] ?? []), ...(ofCorporation[index] ?? [])])],
    }));
    const people = homes.map(({ home, level }, index): Ranked => {
      const corporation = home === null ? undefined : corporations[home];
      return {
        characterId: index + 1,
        corporationId: home,
        allianceId: corporation?.alliance ?? null,
        coalitionIds: corporation?.coalitions ?? [],
        // A guest needs a host.
        guest: level < 0 && home !== null,
        level: home === null ? Math.max(level, 0) : level,
      };
    });
    return { corporations, people };
  });

/** The same, and two of its people, who may be one. */
export const pair = registry.chain((world) =>
  fc.tuple(fc.constantFrom(...world.people), fc.constantFrom(...world.people)),
);
