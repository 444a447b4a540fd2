import { type Kysely, sql } from 'kysely';
import type { Database } from '../database/tables.ts';
import { type Touched, touchedUsers } from '../standing/standing.queries.ts';
import type { OrganizationIds } from './organizations.queries.ts';
import { owedMore } from './save-snapshot.queries.ts';

/** What is not there yet has no row to lock: those who register wait for each other by so many numbers. */
const TURNSTILES = 256;

/**
 * Lets one transaction at a time register, or find, each of these characters, and each of the bodies that are not
 * registered yet; in the order of their turnstiles, so that nobody locks another out.
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

/**
 * Keeps users as they are until the transaction ends, in the order of their ids.
 *
 * @param offices corporations whose leaders are kept, too, where they do not have yet what comes with their office
 */
export async function lockPeople(
  db: Kysely<Database>,
  people: Touched,
  offices: readonly number[],
): Promise<void> {
  await sql`
    select from users u
    where u.character_id in (${touchedUsers(people)} union ${owedMore(offices)})
    order by u.character_id for no key update`.execute(db);
}
