import { type Kysely, sql } from 'kysely';
import type { Database } from '../database/tables.ts';
import { type Touched, touchedUsers } from '../standing/standing.queries.ts';
import type { OrganizationIds } from './organizations.queries.ts';
import { owedMore } from './save-snapshot.queries.ts';

/**
 * Number of advisory locks for ids that are not registered yet and so have no row to lock; ids share a lock by their
 * remainder.
 */
const TURNSTILES = 256;

/**
 * Takes advisory locks, so that one transaction at a time registers each of these characters, and each of the
 * organizations that are not registered yet. They are taken in order, to avoid deadlocks.
 */
export async function lockNewcomers(
  db: Kysely<Database>,
  { alliances, corporations }: OrganizationIds,
  characters: readonly number[],
): Promise<void> {
  await sql`
    select pg_advisory_xact_lock(hashtext('registering'), turnstile) from (
      select distinct (id % ${sql.lit(TURNSTILES)})::int as turnstile from (
        select unnest(${[...characters]}::bigint[]) as id
        union all select id from unnest(${[...alliances]}::bigint[]) id
          where not exists (select from alliances where alliance_id = id)
        union all select id from unnest(${[...corporations]}::bigint[]) id
          where not exists (select from corporations where corporation_id = id)
      ) ids order by turnstile offset 0
    ) turnstiles`.execute(db);
}

/** A locked user, and whether its standing may change. */
interface LockedUser {
  readonly character_id: number;
  readonly touched: boolean;
}

/**
 * Locks users until the transaction ends, ordered by id.
 *
 * @param offices corporations whose leaders are locked, too, if they do not have the level of their office yet
 * @param bystanders ids of users who are locked without being touched
 */
export async function lockPeople(
  db: Kysely<Database>,
  people: Touched,
  offices: readonly number[],
  bystanders: readonly number[] = [],
): Promise<readonly LockedUser[]> {
  const { rows } = await sql<LockedUser>`
    select u.character_id, concerned.touched from users u join (
      select character_id, bool_or(touched) as touched from (
        select character_id, true as touched from (${touchedUsers(people)} union ${owedMore(offices)}) those
        union all select unnest(${[...bystanders]}::bigint[]), false
      ) everybody group by character_id
    ) concerned using (character_id)
    order by u.character_id for no key update of u`.execute(db);
  return rows;
}
