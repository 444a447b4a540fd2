import { compactVerify, createLocalJWKSet, decodeJwt, decodeProtectedHeader } from 'jose';
import type { Provider } from 'oidc-provider';
import type { Services } from '../services/services.ts';

/**
 * Makes every ID token of an application do as its `id_token_hint`. Applications keep ID tokens for as long as they keep
 * people signed in, and send them at the logout: after their key was replaced, of which the public half may be left, or
 * the application's algorithm. The library takes its private keys alone, and the present algorithm.
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
