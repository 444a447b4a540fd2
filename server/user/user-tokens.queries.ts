import { sql, type Transaction } from 'kysely';
import type { Database } from '../database/tables.ts';
import { deleteWebhooksOf } from '../webhook/delete-webhooks.queries.ts';

/**
 * User tokens that one statement deletes. A token of 600 a minute has millions after two days; deleted by the cascade of
 * its own row, they would take longer than a statement may (D21).
 */
const AT_ONCE = 100_000;

type Of = { readonly ownerIds: readonly number[] } | { readonly appToken: string };

/**
 * Deletes, before the tokens of these users or an app token, what would go by their cascade but may be millions of rows:
 * user tokens, and the deliveries of the webhooks of app tokens, in any generation (D21).
 */
export async function deleteBelowTokens(tx: Transaction<Database>, of: Of): Promise<void> {
  // In the order in which requests lock them: token, webhook, deliveries.
  const appTokens = await lockAppTokens(tx, of);
  await deleteUserTokens(tx, of);
  if (appTokens.length > 0) await deleteWebhooksOf(tx, { appTokens });
}

/** Locks an app token or those of these users, and all that descend from them, so that nothing new refers to them. */
async function lockAppTokens(tx: Transaction<Database>, of: Of): Promise<string[]> {
  const isFirst =
    'appToken' in of ? sql`uuid = ${of.appToken}` : sql`owner_id = any(${[...of.ownerIds]}::bigint[])`;
  const { rows } = await sql<{ uuid: string }>`
    with recursive applications (uuid) as (
      select uuid from tokens where ${isFirst} and token_type <> 'use'
      union select t.uuid from applications a join tokens t on t.parent = a.uuid where t.token_type <> 'use'
    )
    select uuid from tokens where uuid in (select uuid from applications) order by uuid for update`.execute(
    tx,
  );
  return rows.map(({ uuid }) => uuid);
}

/** Deletes the user tokens of these users, or those that descend from an app token, in any generation (D21). */
export async function deleteUserTokens(tx: Transaction<Database>, of: Of, atOnce = AT_ONCE): Promise<void> {
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
