import { sql, type Transaction } from 'kysely';
import type { Database } from '../database/tables.ts';

/**
 * User tokens that one statement deletes. A token of 600 a minute has millions after two days; deleted by the cascade of
 * its own row, they would take longer than a statement may (D21).
 */
const AT_ONCE = 100_000;

/** Deletes the user tokens of these users, or those that descend from an app token, in any generation (D21). */
export async function deleteUserTokens(
  tx: Transaction<Database>,
  of: { readonly ownerIds: readonly number[] } | { readonly appToken: string },
  atOnce = AT_ONCE,
): Promise<void> {
  const isFirst =
    'appToken' in of ? sql`parent = ${of.appToken}` : sql`owner_id = any(${[...of.ownerIds]}::bigint[])`;
  let deleted: bigint | undefined;
  do {
    ({ numAffectedRows: deleted } = await sql`
      with recursive below (uuid, token_type) as (
        select uuid, token_type from tokens where ${isFirst}
        union all select t.uuid, t.token_type from below b join tokens t on t.parent = b.uuid
      )
      delete from tokens
      where uuid in (select uuid from below where token_type = 'use' limit ${atOnce})`.execute(tx));
  } while (deleted === BigInt(atOnce));
}
