import { type Kysely, sql } from 'kysely';
import type { ExtScope } from '../../contract/scopes.ts';
import type { Database } from '../database/tables.ts';

/** Whose data is used: the owner of the character, and whether a usable grant has the scope, if one is needed. */
export interface Used {
  readonly owner: string | null;
  readonly granted: boolean;
}

export async function findUsed(
  db: Kysely<Database>,
  characterId: number,
  scope: ExtScope | undefined,
): Promise<Used | undefined> {
  const granted =
    scope === undefined
      ? sql`true`
      : sql`exists (select from standing_grants g
          where g.character_id = u.character_id and g.usable and ${scope} = any(g.scopes))`;
  const { rows } = await sql<Used>`
    select u.owner_hash as owner, ${granted} as granted from users u where u.character_id = ${characterId}`.execute(
    db,
  );
  return rows[0];
}
