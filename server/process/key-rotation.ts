import { giveUpGrantsOf } from '../grant/give-up-grants.ts';
import { grantBinding } from '../grant/grant.queries.ts';
import { grantsByKey } from '../grant/grant-keys.queries.ts';
import type { Services } from '../services/services.ts';
import { CannotStart } from '../shared/cannot-start.ts';
import { giveUpTokens } from '../token/give-up-tokens.ts';
import { tokensOfOtherKeys } from '../token/token.queries.ts';
import { findUnreadable, giveUpSecrets } from '../webhook/secret-keys.ts';

/** Keys were removed that unexpired tokens, stored grants or webhooks still need (D20b, D61). */
class KeysRemoved extends CannotStart {
  override name = 'KeysRemoved';
}

type KeyServices = Pick<Services, 'db' | 'keys' | 'vault' | 'clock' | 'log' | 'settings'>;

/**
 * Refuses to start when a key is missing that signed unexpired tokens or encrypted valid grants or secrets of webhooks.
 * If the settings force the start, what needs the missing keys is given up permanently, so later starts need no force.
 *
 * @throws KeysRemoved which lists everything that would be lost
 */
export async function requireKeys(services: KeyServices): Promise<void> {
  const lacks = [await removedSigningKeys(services), await removedEncryptionKeys(services)];
  const found = lacks.flatMap((lack) => (lack !== undefined && !lack.forced ? lack.problem : []));
  if (found.length > 0) throw new KeysRemoved(found.join('\n'));
  // Only now: a start that is refused has given up nothing.
  for (const lack of lacks) await lack?.giveUp();
}

/** What depends on missing keys. */
interface Lack {
  readonly forced: boolean;
  readonly problem: string;
  giveUp(): Promise<void>;
}

async function removedSigningKeys(services: KeyServices): Promise<Lack | undefined> {
  const { db, keys, clock, settings } = services;
  const orphans = await tokensOfOtherKeys(db, keys.kids, clock.now());
  if (orphans.length === 0) return undefined;
  const problem = [
    'TOKEN_SIGNING_KEYS lacks keys that unexpired tokens were signed with:',
    ...orphans.map(({ uuid, token_type, kid }) => `  - ${token_type} ${uuid} (key ${kid})`),
    'Put the keys back (the public half is enough to verify), sign these tokens anew with ' +
      '`npm run token -- --reissue UUID`, or start once with FORCE_KEY_REMOVAL=true to delete them.',
  ].join('\n');
  return { forced: settings.forceKeyRemoval, problem, giveUp: () => giveUpTokens(services) };
}

async function removedEncryptionKeys(services: KeyServices): Promise<Lack | undefined> {
  const { db, vault, clock, log, settings } = services;
  const lost = (await grantsByKey(db)).filter(
    ({ grant_id, refresh_token }) =>
      !vault.canDecrypt(refresh_token, grantBinding(grant_id, 'refresh_token')),
  );
  const unreadable = await findUnreadable({ db, vault, clock });
  const webhooks = unreadable.length;
  if (lost.length === 0 && webhooks === 0) return undefined;
  const problem = [
    'ENCRYPTION_KEYS lacks keys that stored grants, or secrets of webhooks, were encrypted with:',
    ...lost.map(({ key_id, grants }) => {
      const other = vault.keyIds.includes(key_id) ? ', not the present one of that name' : '';
      return `  - key ${key_id}${other}: ${grants} grant(s)`;
    }),
    ...(webhooks > 0 ? [`  - ${webhooks} webhook(s)`] : []),
    'Put the keys back, behind the first one; or start once with FORCE_GRANT_LOSS=true to give these grants up: ' +
      'their users have to sign in again. Webhooks are disabled; they can be enabled when they have new secrets.',
  ].join('\n');
  const giveUp = async () => {
    const lostKeys = lost.map(({ key_id }) => key_id);
    const grants = await giveUpGrantsOf(services, lostKeys);
    await giveUpSecrets(services, unreadable);
    log.warn({ keys: lostKeys, grants, webhooks }, 'gave up the grants of removed encryption keys');
  };
  return { forced: settings.forceGrantLoss, problem, giveUp };
}
