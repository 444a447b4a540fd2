import { sql, type Transaction } from 'kysely';
import { PLANNED_EACH_TIME } from '../database/statements.ts';
import type { Database } from '../database/tables.ts';

/**
 * Deliveries that one statement deletes. A webhook may have millions after a month; deleted by a cascade, those of all
 * webhooks of an application could take longer than a statement may.
 */
const AT_ONCE = 50_000;

/** Deletes a webhook, which is locked, with its deliveries. */
export async function deleteWebhook(
  tx: Transaction<Database>,
  webhookId: string,
  atOnce = AT_ONCE,
): Promise<void> {
  let after: string | undefined;
  do {
    // Begins where the one before ended: it would read again all that those before have deleted.
    const beyond = after === undefined ? sql`true` : sql`delivery_id > ${after}::uuid`;
    const { rows } = await sql<{ delivery_id: string }>`${sql.raw(PLANNED_EACH_TIME)}
      with piece as materialized (
        select ctid, delivery_id from webhook_deliveries where webhook_id = ${webhookId} and ${beyond}
        order by delivery_id limit ${atOnce}
      ), gone as (delete from webhook_deliveries where ctid = any(array(select ctid from piece)))
      select delivery_id from piece order by delivery_id offset ${atOnce - 1}`.execute(tx);
    after = rows[0]?.delivery_id;
  } while (after !== undefined);
  await tx.deleteFrom('webhooks').where('webhook_id', '=', webhookId).execute();
}

/** Deletes the webhooks of these applications, whose tokens are locked, or of these users. */
export async function deleteWebhooksOf(
  tx: Transaction<Database>,
  of: { readonly appTokens: readonly string[] } | { readonly ownerIds: readonly number[] },
): Promise<void> {
  const own =
    'appTokens' in of
      ? sql<boolean>`app_token = any(${[...of.appTokens]}::uuid[])`
      : sql<boolean>`owner_id = any(${[...of.ownerIds]}::bigint[])`;
  const those = tx.selectFrom('webhooks').select('webhook_id').where(own);
  const rows = await those.orderBy('webhook_id').forUpdate().execute();
  for (const { webhook_id } of rows) await deleteWebhook(tx, webhook_id);
}
