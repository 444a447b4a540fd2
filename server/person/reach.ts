import type { Kysely } from 'kysely';
import { hasAuthority } from '../access/clearance-levels.ts';
import { distanceTo } from '../access/distance.ts';
import { type Asker, findUserPositions } from '../access/position.queries.ts';
import type { Database } from '../database/tables.ts';
import { revoked } from '../shared/domain-error.ts';

/** Those of the users whom the caller may read (D12). */
export async function withinReach(
  db: Kysely<Database>,
  asker: Asker,
  characterIds: readonly number[],
): Promise<ReadonlySet<number>> {
  const { caller, targets } = await findUserPositions(db, asker, characterIds);
  if (caller === undefined) throw revoked();
  const reached = targets.filter((to) => hasAuthority(caller.level, distanceTo(caller, to), 'read'));
  return new Set(reached.map(({ characterId }) => characterId));
}
