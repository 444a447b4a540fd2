import { hasAuthority, isGuest, leastLevel, type Mode } from '../access/clearance-levels.ts';
import { nearnessTo } from '../access/distance.ts';
import type { RankedPosition } from '../access/level-change.ts';
import { type Answered, type Fact, fact, listed, type Source, yesOrNo } from './reasons.ts';

interface Somebody {
  readonly name: string;
  readonly position: RankedPosition;
}

/** Explains why a user may read or change another one or not: their distance, and the level it needs (D11, D12). */
export function whyReach(
  mode: Mode,
  by: Somebody & { nameOf(type: string, id: string): string },
  to: Somebody,
): Answered {
  const { level } = by.position;
  const near = nearnessTo(by.position, to.position);
  const needed = leastLevel(near.distance, mode);
  const may = hasAuthority(level, near.distance, mode);
  const verb = mode === 'read' ? 'read' : 'change';
  const organizations = (near.by?.ids ?? []).map((id): Source => {
    const type = near.by?.type ?? 'corporation';
    return { type, id: String(id), name: by.nameOf(type, String(id)) };
  });
  const common = nearnessInWords(near.distance, organizations);
  const facts: Fact[] = [
    ...organizations.map((source) =>
      fact('D11', `Both belong to it: distance ${near.distance}.`, { source }),
    ),
    ...(organizations.length === 0 ? [fact('D11', `${common}: distance ${near.distance}.`)] : []),
    fact('D12', `To ${verb} at that distance needs level ${needed}; ${by.name} has ${level}.`),
  ];
  return {
    answer: yesOrNo(may),
    sentence: `${by.name} may ${may ? '' : 'not '}${verb} ${to.name}: that needs level ${needed} (${common}), and ${by.name} has ${level}.`,
    facts,
    // Nobody sets a guest's level (D16).
    fixes:
      may || isGuest(level)
        ? []
        : [
            {
              // Write authority over anybody else begins at level 2 (D12), and nobody sets their own level (D16).
              who: `level ${Math.max(needed, 2)} or more, with authority over ${by.name}`,
              text: `Give ${by.name} level ${needed}.`,
              operation: 'updateUser',
            },
          ],
  };
}

function nearnessInWords(distance: number, organizations: readonly Source[]): string {
  if (distance === 0) return 'oneself';
  return organizations.length === 0 ? 'nothing in common' : `both belong to ${listed(organizations)}`;
}
