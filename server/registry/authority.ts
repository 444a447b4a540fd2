import type { Kysely } from 'kysely';
import type { Authority } from '../../contract/access.ts';
import { hasAuthority } from '../access/authority.ts';
import { distanceToBody, distanceToUser } from '../access/distance.ts';
import type { Database } from '../database/tables.ts';
import { forbidden, notFound, revoked } from '../problem.ts';
import type { Caller } from '../token/token.queries.ts';
import { findBodyStandings, findStandings } from './standing.queries.ts';

/** 404 when there is no such record, 403 without authority over it (D6, D12, D13). */
export async function requireAuthority(
  db: Kysely<Database>,
  caller: Pick<Caller, 'owner_id' | 'level'>,
  authority: Authority,
  id: number,
): Promise<void> {
  const standing = await findStandings(db, caller.owner_id, authority.over, id);
  if (standing.caller === undefined) throw revoked();
  if (standing.target === undefined) throw notFound(authority.over, id);
  const distance =
    authority.over === 'user'
      ? distanceToUser(standing.caller, standing.target)
      : distanceToBody(standing.caller, standing.target);
  if (!hasAuthority(caller.level, distance, authority.mode)) throw forbidden();
}

/** Whoever may change somebody as far away as can be may change everybody. */
const FARTHEST = 7;

/** 403 without write authority over each of these bodies, all of which are registered (D14). */
export async function requireAuthorityOverAll(
  db: Kysely<Database>,
  caller: Pick<Caller, 'owner_id' | 'level'>,
  bodies: { readonly alliances: readonly number[]; readonly corporations: readonly number[] },
): Promise<void> {
  if (bodies.alliances.length + bodies.corporations.length === 0) return;
  if (hasAuthority(caller.level, FARTHEST, 'write')) return;
  const standing = await findBodyStandings(db, caller.owner_id, bodies);
  const { caller: from } = standing;
  if (from === undefined) throw revoked();
  if (standing.bodies.some((to) => !hasAuthority(caller.level, distanceToBody(from, to), 'write'))) {
    throw forbidden();
  }
}
