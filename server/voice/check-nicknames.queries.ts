import { type Kysely, sql } from 'kysely';
import { isBuiltIn } from '../access/clearance-levels.queries.ts';
import { mayLogIn } from '../access/login-permission.queries.ts';
import type { Database } from '../database/tables.ts';
import { tickeredName } from '../user/user-record.queries.ts';

/** A user with the nickname that it should have. */
export interface Named {
  readonly character_id: number;
  readonly client_database_id: number;
  readonly tickered_name: string;
}

/**
 * Users of these identities who may get a message about their nickname: they may log in, got none since `before`, and
 * have no open challenge, which asks for another nickname.
 */
export async function findTellable(
  db: Kysely<Database>,
  clientDatabaseIds: readonly number[],
  toldBefore: Date,
  now: Date,
): Promise<Named[]> {
  const { rows } = await sql<Named>`
    select u.character_id, i.client_database_id,
      ${tickeredName} as tickered_name
    from voice_identities i
      join users u using (character_id)
      left join corporations c on c.corporation_id = u.corporation_id
      left join alliances a on a.alliance_id = c.alliance_id
    where i.client_database_id = any(${[...clientDatabaseIds]}::bigint[])
      and (i.told_on is null or i.told_on <= ${toldBefore})
      and not ${isBuiltIn}
      and not exists (select from voice_challenges v where v.character_id = u.character_id and v.expires_on > ${now})
      and ${mayLogIn}
    order by i.client_database_id`.execute(db);
  return rows;
}

export async function markTold(db: Kysely<Database>, clientDatabaseId: number, now: Date): Promise<void> {
  await db
    .updateTable('voice_identities')
    .set({ told_on: now })
    .where('client_database_id', '=', clientDatabaseId)
    .execute();
}
