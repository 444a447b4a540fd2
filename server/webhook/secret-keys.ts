import { inTransaction } from '../database/transaction.ts';
import type { Vault } from '../keys/vault.ts';
import type { Services } from '../services/services.ts';
import { disable } from './disable.ts';
import { secretBinding } from './secret.ts';
import { listSecrets, lockWebhook, type Reencrypted, replaceSecrets, setWebhook } from './webhook.queries.ts';

type Needs = Pick<Services, 'db' | 'vault'>;

/**
 * Encrypts the secrets of all webhooks with the current key, former ones too, so that former keys can be removed;
 * returns how many.
 */
export async function reencryptSecrets({ db, vault }: Needs): Promise<number> {
  const webhooks = await listSecrets(db);
  const present = webhooks.flatMap(({ webhook_id, secret }) => reencrypted(vault, webhook_id, secret));
  const former = webhooks.flatMap(({ webhook_id, former_secret }) =>
    former_secret === null ? [] : reencrypted(vault, webhook_id, former_secret),
  );
  return (await replaceSecrets(db, 'secret', present)) + (await replaceSecrets(db, 'former_secret', former));
}

/** The secret, encrypted with the current key; none when it is already, or cannot be decrypted. */
function reencrypted(vault: Vault, webhook_id: string, before: Buffer): Reencrypted[] {
  const binding = secretBinding(webhook_id);
  if (vault.isCurrent(before) || !vault.canDecrypt(before, binding)) return [];
  return [{ webhook_id, before, after: vault.encrypt(vault.decrypt(before, binding), binding) }];
}

/**
 * The enabled webhooks with a valid secret that no configured key can decrypt, so that their deliveries cannot be
 * signed, or not with the former secret as well.
 */
export async function findUnreadable({
  db,
  vault,
  clock,
}: Needs & Pick<Services, 'clock'>): Promise<string[]> {
  const now = clock.now();
  return (await listSecrets(db)).flatMap(
    ({ webhook_id, secret, former_secret, former_until, disabled_on }) => {
      const former = former_secret !== null && (former_until ?? now) > now ? [former_secret] : [];
      const readable = [secret, ...former].every((one) => vault.canDecrypt(one, secretBinding(webhook_id)));
      return disabled_on !== null || readable ? [] : [webhook_id];
    },
  );
}

/**
 * Gives up secrets that are lost: webhooks are disabled, and can be enabled again with a new secret; of one whose former
 * secret alone is lost, deliveries are signed with the present one.
 */
export async function giveUpSecrets(
  { db, clock, log, vault }: Pick<Services, 'db' | 'clock' | 'log' | 'vault'>,
  webhookIds: readonly string[],
): Promise<void> {
  await inTransaction(db, async (tx) => {
    for (const id of webhookIds) {
      const webhook = await lockWebhook(tx, id);
      if (webhook?.disabled_on !== null) continue;
      if (vault.canDecrypt(webhook.secret, secretBinding(id)))
        await setWebhook(tx, id, { former_secret: null });
      else await disable(tx, { log }, webhook, 'undeliverable', clock.now());
    }
  });
}
