import type { Kysely } from 'kysely';
import type { Database } from '../database/tables.ts';
import { recordEvents, valueChanges } from '../event/record.ts';
import type { LockedWebhook } from './webhook.queries.ts';

/** What events tell of a webhook. */
type Values = Pick<
  LockedWebhook,
  'url' | 'types' | 'group_ids' | 'ordered' | 'position' | 'disabled_because'
>;

const FIELDS = ['url', 'types', 'group_ids', 'ordered', 'position', 'disabled_because'] as const;

/** Path and query of a URL may be what keeps it secret. */
function told({ url, ...values }: Values) {
  return { ...values, url: new URL(url).origin };
}

function targetsOf(id: string, url: string) {
  return [{ type: 'webhook' as const, id, name: new URL(url).origin }];
}

export async function recordWebhookCreated(
  db: Kysely<Database>,
  webhookId: string,
  values: Values,
  now: Date,
): Promise<void> {
  const changes = valueChanges({}, told(values), FIELDS);
  await recordEvents(
    db,
    [{ type: 'webhook.created', targets: targetsOf(webhookId, values.url), changes }],
    now,
  );
}

/** Says what is another way than before; `reason` for what no field shows. */
export async function recordWebhookUpdated(
  db: Kysely<Database>,
  before: Values & { readonly webhook_id: string },
  after: Partial<Values>,
  now: Date,
  reason?: string,
): Promise<void> {
  const values = { ...before, ...after };
  const changes = valueChanges(told(before), told(values), FIELDS);
  if (changes.length === 0 && reason === undefined) return;
  const targets = targetsOf(before.webhook_id, values.url);
  await recordEvents(db, [{ type: 'webhook.updated', targets, changes, reason: reason ?? null }], now);
}

export async function recordWebhookDeleted(
  db: Kysely<Database>,
  { webhook_id, url }: Pick<LockedWebhook, 'webhook_id' | 'url'>,
  now: Date,
): Promise<void> {
  await recordEvents(db, [{ type: 'webhook.deleted', targets: targetsOf(webhook_id, url) }], now);
}
