import { type Kysely, sql } from 'kysely';
import { isMember } from '../access/clearance-levels.queries.ts';
import type { Database } from '../database/tables.ts';
import type { SnapshotCharacter } from './provider-snapshot.ts';

/** Those of the characters who are members here, but of another corporation, or of none. */
export async function findMembersElsewhere(
  db: Kysely<Database>,
  characters: readonly SnapshotCharacter[],
): Promise<ReadonlySet<number>> {
  const { rows } = await sql<{ character_id: number }>`
    select character_id from users u
      join jsonb_to_recordset(${JSON.stringify(characters)}::jsonb)
        as found(character_id bigint, corporation_id bigint) using (character_id)
    where ${isMember} and u.corporation_id is distinct from found.corporation_id`.execute(db);
  return new Set(rows.map((row) => row.character_id));
}
