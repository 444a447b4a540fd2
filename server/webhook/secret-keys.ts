import { inTransaction } from '../database/transaction.ts';
import type { Services } from '../services/services.ts';
import { disable } from './disable.ts';
import { secretPlace } from './secret.ts';
import { listSecrets, lockWebhook, replaceSecrets } from './webhook.queries.ts';

type Needs = Pick<Services, 'db' | 'vault'>;

/** Encrypts the secrets of all webhooks with the current key, so that former keys can be removed; returns how many. */
export async function resealSecrets({ db, vault }: Needs): Promise<number> {
  const old = (await listSecrets(db)).filter(
    ({ webhook_id, secret }) => !vault.isCurrent(secret) && vault.canOpen(secret, secretPlace(webhook_id)),
  );
  if (old.length === 0) return 0;
  return replaceSecrets(
    db,
    old.map(({ webhook_id, secret }) => {
      const place = secretPlace(webhook_id);
      return { webhook_id, secret, sealed: vault.seal(vault.open(secret, place), place) };
    }),
  );
}

/** The enabled webhooks whose secret no configured key can decrypt, so that their deliveries cannot be signed. */
export async function findUnreadable({ db, vault }: Needs): Promise<string[]> {
  const enabled = (await listSecrets(db)).filter(({ disabled_on }) => disabled_on === null);
  return enabled
    .filter(({ webhook_id, secret }) => !vault.canOpen(secret, secretPlace(webhook_id)))
    .map(({ webhook_id }) => webhook_id);
}

/** Disables webhooks whose secret is lost; they can be enabled again with a new secret. */
export async function disableUnreadable(
  { db, clock, log }: Pick<Services, 'db' | 'clock' | 'log'>,
  webhookIds: readonly string[],
): Promise<void> {
  await inTransaction(db, async (tx) => {
    for (const id of webhookIds) {
      const webhook = await lockWebhook(tx, id);
      if (webhook?.disabled_on !== null) continue;
      await disable(tx, { log }, webhook, 'undeliverable', clock.now());
    }
  });
}
