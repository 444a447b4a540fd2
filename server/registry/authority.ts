import type { Kysely } from 'kysely';
import type { Authority } from '../../contract/access.ts';
import { hasAuthority } from '../access/authority.ts';
import { distanceToBody, distanceToUser } from '../access/distance.ts';
import type { Database } from '../database/tables.ts';
import { forbidden, notFound, unauthenticated } from '../problem.ts';
import type { Caller } from '../token/token.queries.ts';
import { findStandings } from './standing.queries.ts';

/** 404 when there is no such record, 403 without authority over it (D6, D12, D13). */
export async function requireAuthority(
  db: Kysely<Database>,
  caller: Pick<Caller, 'owner_id' | 'level'>,
  authority: Authority,
  id: number,
): Promise<void> {
  const standing = await findStandings(db, caller.owner_id, authority.over, id);
  if (standing.caller === undefined) throw unauthenticated('The token was revoked or is unknown.');
  if (standing.target === undefined) throw notFound(authority.over, id);
  const distance =
    authority.over === 'user'
      ? distanceToUser(standing.caller, standing.target)
      : distanceToBody(standing.caller, standing.target);
  if (!hasAuthority(caller.level, distance, authority.mode)) throw forbidden();
}
