import { hkdfSync } from 'node:crypto';
import type { Configuration } from 'oidc-provider';
import type { CompleteSettings } from '../config/settings.ts';

/**
 * Cookie settings: HttpOnly and SameSite, signed by keys that all processes derive from ENCRYPTION_KEYS (the first
 * signs, all verify). Over https the session cookie has the prefix `__Host-`, so that no other host can set it (D82).
 */
export function cookiesOf({ baseUrl, encryptionKeys }: CompleteSettings): Configuration['cookies'] {
  const own = baseUrl.startsWith('https:') ? '__Host-' : '';
  const options = { httpOnly: true, sameSite: 'lax', signed: true, overwrite: true } as const;
  return {
    names: {
      session: `${own}castellan_session`,
      interaction: 'castellan_interaction',
      resume: 'castellan_resume',
    },
    long: options,
    short: options,
    keys: encryptionKeys.map(({ key }) =>
      Buffer.from(hkdfSync('sha256', key, '', 'castellan cookies of OpenID Connect', 32)).toString(
        'base64url',
      ),
    ),
  };
}
