import type { Services } from '../services/services.ts';
import { secretPlace } from './secret.ts';
import { listSecrets, replaceSecrets } from './webhook.queries.ts';

type Needs = Pick<Services, 'db' | 'vault'>;

/** Seals the secrets of all webhooks with the present key, so that former ones can be removed; returns how many. */
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

/** How many webhooks have a secret that none of the keys opens: they cannot sign what they deliver. */
export async function countUnreadable({ db, vault }: Needs): Promise<number> {
  const all = await listSecrets(db);
  return all.filter(({ webhook_id, secret }) => !vault.canOpen(secret, secretPlace(webhook_id))).length;
}
