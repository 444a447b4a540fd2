import type { Kysely } from 'kysely';
import { MOST_TURNS, TAKES_TURNS } from '../../contract/webhook.ts';
import type { Database } from '../database/tables.ts';
import { secondsUntilUse } from '../rate-limit/once.ts';
import { DomainError } from '../shared/domain-error.ts';
import type { LockedWebhook } from './webhook.queries.ts';

/**
 * Counts what makes deliveries due, which are requests to an address of the owner's choice: by the webhook and by its
 * owner, who could delete it and make another one.
 *
 * @throws DomainError 429 when fewer turns are left
 */
export async function requireTurns(
  db: Kysely<Database>,
  { webhook_id, app_token, owner_id }: Pick<LockedWebhook, 'webhook_id' | 'app_token' | 'owner_id'>,
  now: Date,
  turns = 1,
): Promise<void> {
  const counts = [
    { key: `webhook ${webhook_id}`, most: MOST_TURNS.each, whose: 'A webhook' },
    { key: `webhooks of ${app_token ?? owner_id}`, most: MOST_TURNS.all, whose: 'All webhooks of one owner' },
  ];
  for (const { key, most, whose } of counts) {
    const retryAfter = await secondsUntilUse(db, key, { most, uses: turns }, now);
    if (retryAfter === undefined) continue;
    throw new DomainError('rate_limited', `${whose} can have ${most} turns in a minute: ${TAKES_TURNS}.`, {
      retryAfter,
    });
  }
}
