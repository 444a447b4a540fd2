import { compactVerify, createLocalJWKSet, decodeJwt, decodeProtectedHeader } from 'jose';
import type { Provider } from 'oidc-provider';
import type { Services } from '../services/services.ts';

/**
 * Accepts every ID token of an application as `id_token_hint`. Applications keep the ID token while somebody is signed
 * in, and send it at the logout. By then its key may have been replaced (only the public half is left), or the
 * application's algorithm. The library by itself accepts only tokens of its private keys and of the present algorithm.
 */
export function takeFormerHints(
  provider: Provider,
  { keys, settings }: Pick<Services, 'keys' | 'settings'>,
): void {
  const findKey = createLocalJWKSet(keys.jwks);
  Object.assign(provider.IdToken, {
    async validate(jwt: string, { clientId }: { readonly clientId: string }) {
      await compactVerify(jwt, findKey, { algorithms: ['RS256', 'EdDSA'] });
      const payload = decodeJwt(jwt);
      const { iss, aud, sub } = payload;
      if (iss !== settings.baseUrl || aud !== clientId || sub === undefined) {
        throw new Error('not an ID token for this application');
      }
      return { header: decodeProtectedHeader(jwt), payload };
    },
  });
}
