import { type Kysely, sql } from 'kysely';
import { isAdministrator, isGuest, memberLevel } from '../access/clearance-levels.queries.ts';
import type { Database } from '../database/tables.ts';

/**
 * A user as the run read it. `signed_in` serves as the row's version: a sign-in since then has newer data, whatever the
 * clocks say.
 */
export interface Seen {
  readonly character_id: number;
  /** As text with milliseconds; `-infinity` for a user who never signed in. */
  readonly signed_in: string;
}

/** A user whose corporation at the provider differs from the stored one, or a guest that joined its host. */
export interface Move extends Seen {
  readonly from: number | null;
  readonly to: number | null;
  readonly guest: boolean;
}

/**
 * Moves users whose rows are unchanged since the run read them. Leaving a corporation resets the level, except 9 and 10
 * (D19); a guest becomes a member of its host (D28).
 */
export async function moveUsers(db: Kysely<Database>, moves: readonly Move[], now: Date): Promise<void> {
  if (moves.length === 0) return;
  await sql`
    update users u set corporation_id = f."to", updated_on = ${now},
      clearance_level = case when ${isAdministrator} then u.clearance_level else ${memberLevel} end
    from jsonb_to_recordset(${JSON.stringify(moves)}::jsonb)
      as f(character_id bigint, signed_in timestamptz, "from" bigint, "to" bigint, guest boolean)
    where u.character_id = f.character_id
      and u.corporation_id is not distinct from f."from"
      and (${isGuest}) = f.guest
      and coalesce(u.signed_in_on, '-infinity') = f.signed_in`.execute(db);
}

/** Locks the users that are still marked as deleted at the provider and have not signed in since. */
export async function lockDeleted(db: Kysely<Database>, deleted: readonly Seen[]): Promise<number[]> {
  if (deleted.length === 0) return [];
  const { rows } = await sql<{ character_id: number }>`
    select u.character_id from users u
      join jsonb_to_recordset(${JSON.stringify(deleted)}::jsonb)
        as f(character_id bigint, signed_in timestamptz) using (character_id)
    where u.graveyard_on is not null and coalesce(u.signed_in_on, '-infinity') = f.signed_in
    order by u.character_id for update of u`.execute(db);
  return rows.map((row) => row.character_id);
}

/**
 * Owners of all tokens that are deleted with these users: their own tokens and all descendants (D19b). What they descend
 * from are application tokens, which are few; of their user tokens there may be millions.
 */
export async function findTokenLosers(
  db: Kysely<Database>,
  characterIds: readonly number[],
): Promise<number[]> {
  if (characterIds.length === 0) return [];
  const own = sql`owner_id = any(${[...characterIds]}::bigint[])`;
  const { rows } = await sql<{ owner_id: number }>`
    with recursive applications as (
      select uuid from tokens where ${own} and token_type <> 'use'
      union
      select t.uuid from tokens t join applications a on t.parent = a.uuid where t.token_type <> 'use'
    )
    select owner_id from tokens where ${own}
    union
    select owner_id from tokens where parent in (select uuid from applications)`.execute(db);
  return rows.map((row) => row.owner_id);
}
