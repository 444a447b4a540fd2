import { grantPlace } from '../grant/grant.queries.ts';
import { giveUpGrants, grantsByKey } from '../grant/grant-keys.queries.ts';
import type { Services } from '../services/services.ts';
import { CannotStart } from '../shared/cannot-start.ts';
import { tokensOfOtherKeys } from '../token/token.queries.ts';
import { countUnreadable } from '../webhook/secret-keys.ts';

/** Keys were taken away that unexpired tokens or stored grants still need (D20b, D61). */
class KeysRemoved extends CannotStart {
  override name = 'KeysRemoved';
}

type KeyParts = Pick<Services, 'db' | 'keys' | 'vault' | 'clock' | 'log' | 'settings'>;

/**
 * Refuses to start without a key that unexpired tokens were signed with, or valid grants encrypted with, unless
 * told to give them up.
 *
 * @throws KeysRemoved which lists all that would be lost
 */
export async function requireKeys(services: KeyParts): Promise<void> {
  const problems = [await removedSigningKeys(services), await removedEncryptionKeys(services)];
  const found = problems.filter((problem) => problem !== undefined);
  if (found.length > 0) throw new KeysRemoved(found.join('\n'));
}

async function removedSigningKeys({ db, keys, clock, settings }: KeyParts): Promise<string | undefined> {
  if (settings.forceKeyRemoval) return undefined;
  const orphans = await tokensOfOtherKeys(db, keys.kids, clock.now());
  if (orphans.length === 0) return undefined;
  return [
    'TOKEN_SIGNING_KEYS lacks keys that unexpired tokens were signed with:',
    ...orphans.map(({ uuid, token_type, kid }) => `  - ${token_type} ${uuid} (key ${kid})`),
    'Put the keys back (the public half is enough to verify), sign these tokens anew with ' +
      '`npm run token -- --reissue UUID`, or start with FORCE_KEY_REMOVAL=true to invalidate them.',
  ].join('\n');
}

async function removedEncryptionKeys(services: KeyParts): Promise<string | undefined> {
  const { db, vault, clock, log, settings } = services;
  const lost = (await grantsByKey(db)).filter(
    ({ grant_id, refresh_token }) => !vault.canOpen(refresh_token, grantPlace(grant_id, 'refresh_token')),
  );
  const webhooks = await countUnreadable({ db, vault });
  if (lost.length === 0 && webhooks === 0) return undefined;
  if (settings.forceGrantLoss) {
    const lostKeys = lost.map(({ key_id }) => key_id);
    const grants = await giveUpGrants(db, lostKeys, clock.now());
    log.warn({ keys: lostKeys, grants, webhooks }, 'gave up the grants of removed encryption keys');
    return undefined;
  }
  return [
    'ENCRYPTION_KEYS lacks keys that stored grants, or secrets of webhooks, were encrypted with:',
    ...lost.map(({ key_id, grants }) => {
      const other = vault.keyIds.includes(key_id) ? ', not the present one of that name' : '';
      return `  - key ${key_id}${other}: ${grants} grant(s)`;
    }),
    ...(webhooks > 0 ? [`  - ${webhooks} webhook(s)`] : []),
    'Put the keys back, behind the first one; or start once with FORCE_GRANT_LOSS=true to give these grants up: ' +
      'their users have to sign in again. Webhooks are disabled until they are given new secrets.',
  ].join('\n');
}
