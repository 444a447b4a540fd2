import { type Kysely, type RawBuilder, sql } from 'kysely';
import { MAX_ID } from '../../contract/common.ts';
import type { Database } from '../database/tables.ts';

/**
 * SQL for the id of the user with this name, or else this id. When two users share a name, the one last seen (D38,
 * D70).
 */
export function idOf(name: unknown, id: unknown): RawBuilder<number> {
  return sql`coalesce(
    (select n.character_id from users n where n.character_name = ${name}
      order by n.seen_on desc, n.character_id desc limit 1),
    ${id})`;
}

/** SQL for the id of the user that a name or a decimal id refers to. */
export function idNamed(nameOrId: string): RawBuilder<number> {
  return idOf(nameOrId, idIn(nameOrId));
}

/** The id that a text of decimal digits stands for; null for any other text. */
export function idIn(text: string): number | null {
  const id = /^(0|[1-9][0-9]{0,15})$/.test(text) ? Number(text) : MAX_ID + 1;
  return id <= MAX_ID ? id : null;
}

/** The id of the user with this name or decimal id; undefined where there is none. */
export async function findIdNamed(db: Kysely<Database>, nameOrId: string): Promise<number | undefined> {
  const user = await db
    .selectFrom('users')
    .select('character_id')
    .where('character_id', '=', idNamed(nameOrId))
    .executeTakeFirst();
  return user?.character_id;
}
