import type { Kysely } from 'kysely';
import type { Database } from '../database/tables.ts';
import { BY_ITSELF, onAccountOf } from '../event/origin.ts';
import { hostOf } from '../outbound/public-address.ts';
import type { Services } from '../services/services.ts';
import { recordWebhookUpdated } from './record-changes.ts';
import { type LockedWebhook, lockWebhooksOf, setWebhook } from './webhook.queries.ts';

type Reason = NonNullable<LockedWebhook['disabled_because']>;

/** Disables a webhook until somebody enables it again, with an event and a log line. */
export async function disable(
  tx: Kysely<Database>,
  services: Pick<Services, 'log'>,
  webhook: LockedWebhook,
  because: Reason,
  now: Date,
): Promise<void> {
  await onAccountOf(BY_ITSELF, () => disableBecause(tx, services, webhook, because, now));
}

/**
 * Disables the webhooks of a character that has a new owner: their receivers are the former one's (D29b). Those of its
 * tokens are deleted with these.
 */
export async function disableWebhooksOf(
  tx: Kysely<Database>,
  services: Pick<Services, 'log'>,
  characterId: number,
  now: Date,
): Promise<void> {
  for (const webhook of await lockWebhooksOf(tx, characterId)) {
    await disableBecause(tx, services, webhook, 'not_allowed', now);
  }
}

async function disableBecause(
  tx: Kysely<Database>,
  { log }: Pick<Services, 'log'>,
  webhook: LockedWebhook,
  disabled_because: Reason,
  now: Date,
): Promise<void> {
  const { webhook_id, url } = webhook;
  await setWebhook(tx, webhook_id, { disabled_on: now, disabled_because, updated_on: now });
  await recordWebhookUpdated(tx, webhook, { disabled_because }, now);
  log.warn({ webhook_id, host: hostOf(url), because: disabled_because }, 'a webhook was disabled');
}
