import type { Kysely } from 'kysely';
import type { Database } from '../database/tables.ts';
import { BY_ITSELF, onAccountOf } from '../event/origin.ts';
import { hostOf } from '../outbound/public-address.ts';
import type { Services } from '../services/services.ts';
import { recordWebhookUpdated } from './record-changes.ts';
import { type LockedWebhook, setWebhook } from './webhook.queries.ts';

/** Disables a webhook until somebody enables it again, with an event and a log line. */
export async function disable(
  tx: Kysely<Database>,
  { log }: Pick<Services, 'log'>,
  webhook: LockedWebhook,
  disabled_because: NonNullable<LockedWebhook['disabled_because']>,
  now: Date,
): Promise<void> {
  const { webhook_id, url } = webhook;
  await setWebhook(tx, webhook_id, { disabled_on: now, disabled_because, updated_on: now });
  await onAccountOf(BY_ITSELF, () => recordWebhookUpdated(tx, webhook, { disabled_because }, now));
  log.warn({ webhook_id, host: hostOf(url), because: disabled_because }, 'a webhook was disabled');
}
