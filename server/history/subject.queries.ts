import { type Kysely, sql } from 'kysely';
import type { Database } from '../database/tables.ts';

/** The user whose history it is, as it was when the provider was asked. */
export interface Subject {
  readonly character_id: number;
  readonly character_name: string;
  readonly owner_hash: string | null;
}

export async function findSubject(db: Kysely<Database>, characterId: number): Promise<Subject | undefined> {
  return db
    .selectFrom('users')
    .select(['character_id', 'character_name', 'owner_hash'])
    .where('character_id', '=', characterId)
    .executeTakeFirst();
}

/**
 * Selects and locks the user's row if it still exists and has the same owner: data fetched with a former owner's grant
 * must not be stored after that owner's histories were deleted (D19b, D29b).
 */
export const stillThere = ({ character_id, owner_hash }: Subject) => sql`
  select character_id from users
  where character_id = ${character_id} and owner_hash is not distinct from ${owner_hash}
  for share`;
