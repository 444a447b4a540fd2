import { type Kysely, sql } from 'kysely';
import type { Database } from '../database/tables.ts';

/** The user whose history it is, as it was when the provider was asked. */
export interface Subject {
  readonly character_id: number;
  readonly character_name: string;
  readonly owner_hash: string | null;
  readonly created_on: Date;
}

export async function findSubject(db: Kysely<Database>, characterId: number): Promise<Subject | undefined> {
  return db
    .selectFrom('users')
    .select(['character_id', 'character_name', 'owner_hash', 'created_on'])
    .where('character_id', '=', characterId)
    .executeTakeFirst();
}

/**
 * Selects and locks the user's row if it is still the same one and has the same owner: data fetched with a former grant
 * must not be stored after the histories were deleted with it (D19b, D29b). Whoever was deleted and came back has a new
 * row, and histories that begin anew. Deletions and hand-overs lock the row for update; for others, such as a run that
 * moves thousands of users, nobody has to wait.
 */
export const stillThere = ({ character_id, owner_hash, created_on }: Subject) => sql`
  select character_id from users
  where character_id = ${character_id} and created_on = ${created_on}
    and owner_hash is not distinct from ${owner_hash}
  for key share`;
