import type { Kysely } from 'kysely';
import { DELIVERY_QUOTA, QUOTA_COSTS } from '../../contract/webhook.ts';
import type { Database } from '../database/tables.ts';
import { secondsUntilUse } from '../rate-limit/once.ts';
import { DomainError } from '../shared/domain-error.ts';
import type { LockedWebhook } from './webhook.queries.ts';

/**
 * Counts what makes deliveries due, which are requests to an address of the owner's choice: by the webhook and by its
 * owner, who could delete it and make another one.
 *
 * @throws DomainError 429 when less of the quota is left
 */
export async function requireQuota(
  db: Kysely<Database>,
  { webhook_id, app_token, owner_id }: Pick<LockedWebhook, 'webhook_id' | 'app_token' | 'owner_id'>,
  now: Date,
  cost = 1,
): Promise<void> {
  const counts = [
    { key: `webhook ${webhook_id}`, most: DELIVERY_QUOTA.each, whose: 'A webhook' },
    {
      key: `webhooks of ${app_token ?? owner_id}`,
      most: DELIVERY_QUOTA.all,
      whose: 'All webhooks of one owner',
    },
  ];
  for (const { key, most, whose } of counts) {
    const retryAfter = await secondsUntilUse(db, key, { most, uses: cost }, now);
    if (retryAfter === undefined) continue;
    throw new DomainError('rate_limited', `${whose} can have ${most} turns in a minute: ${QUOTA_COSTS}.`, {
      retryAfter,
    });
  }
}
