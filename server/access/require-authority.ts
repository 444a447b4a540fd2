import type { Kysely } from 'kysely';
import type { Authority } from '../../contract/access.ts';
import type { Database } from '../database/tables.ts';
import { forbidden, notFound, revoked, someOf } from '../shared/domain-error.ts';
import { hasAuthority } from './clearance-levels.ts';
import { distanceTo } from './distance.ts';
import {
  type Asker,
  findOrganizationPositions,
  findPositions,
  type Organizations,
} from './position.queries.ts';

/**
 * Throws when there is no such record, or no authority over it (D6, D12 to D14). Reads the caller's present level and
 * memberships, which may have changed since authentication.
 */
export async function requireAuthority(
  db: Kysely<Database>,
  asker: Asker,
  { over, mode }: Pick<Authority, 'over' | 'mode'>,
  id: number | string,
): Promise<void> {
  const { caller, target } = await findPositions(db, asker, over, id);
  if (caller === undefined) throw revoked();
  if (target === undefined) throw notFound(over, id);
  if (!hasAuthority(caller.level, distanceTo(caller, target), mode)) {
    throw forbidden({ authority: mode, over: `${over} ${id}` });
  }
}

/** The greatest distance: a caller with write authority at this distance has it over everybody. */
const FARTHEST = 7;

/** Throws unless the caller has write authority over each of these organizations; all must be registered (D14). */
export async function requireAuthorityOverAll(
  db: Kysely<Database>,
  asker: Asker & { readonly level: number },
  organizations: Organizations,
): Promise<void> {
  if (organizations.alliances.length + organizations.corporations.length === 0) return;
  if (hasAuthority(asker.level, FARTHEST, 'write')) return;
  const { caller, targets } = await findOrganizationPositions(db, asker, organizations);
  if (caller === undefined) throw revoked();
  const lacking = targets.filter((to) => !hasAuthority(caller.level, distanceTo(caller, to), 'write'));
  if (lacking.length === 0) return;
  const names = lacking.map(({ corporationId, allianceId }) =>
    corporationId === null ? `alliance ${allianceId}` : `corporation ${corporationId}`,
  );
  throw forbidden({ authority: 'write', over: someOf(names) });
}
