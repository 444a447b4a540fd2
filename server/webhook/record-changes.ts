import type { Kysely } from 'kysely';
import type { Database } from '../database/tables.ts';
import { recordEvents, valueChanges } from '../event/record.ts';
import type { LockedWebhook } from './webhook.queries.ts';

/** The fields of a webhook that its events contain. */
type Values = Pick<
  LockedWebhook,
  'url' | 'types' | 'group_ids' | 'ordered' | 'position' | 'disabled_because'
>;

const FIELDS = ['url', 'types', 'group_ids', 'ordered', 'position', 'disabled_because'] as const;

/** Reduces the URL to its origin, because path and query may contain a secret. */
function withoutPath({ url, ...values }: Values) {
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
  const changes = valueChanges({}, withoutPath(values), FIELDS);
  await recordEvents(
    db,
    [{ type: 'webhook.created', targets: targetsOf(webhookId, values.url), changes }],
    now,
  );
}

/** Records the fields that changed, and with a `reason` changes that no field of the event shows. */
export async function recordWebhookUpdated(
  db: Kysely<Database>,
  before: Values & { readonly webhook_id: string },
  after: Partial<Values>,
  now: Date,
  reason?: string,
): Promise<void> {
  const values = { ...before, ...after };
  const changes = valueChanges(withoutPath(before), withoutPath(values), FIELDS);
  if (changes.length === 0 && reason === undefined) return;
  const targets = targetsOf(before.webhook_id, values.url);
  await recordEvents(db, [{ type: 'webhook.updated', targets, changes, reason: reason ?? null }], now);
}

export async function recordWebhookDeleted(
  db: Kysely<Database>,
  before: Values & { readonly webhook_id: string },
  now: Date,
): Promise<void> {
  const targets = targetsOf(before.webhook_id, before.url);
  const changes = valueChanges<Partial<Values>>(withoutPath(before), {}, FIELDS);
  await recordEvents(db, [{ type: 'webhook.deleted', targets, changes }], now);
}
