import { z } from 'zod';
import { createRenewed } from '../shared/renewed.ts';
import { ProviderError } from './http.ts';

/** The fields of the metadata that are used. If it has no revocation endpoint, the documented one is used. */
export const Metadata = z.object({
  issuer: z.string().min(1),
  authorization_endpoint: z.string().url(),
  token_endpoint: z.string().url(),
  revocation_endpoint: z.string().url().nullish(),
  jwks_uri: z.string().url(),
});
export type Metadata = z.infer<typeof Metadata> & { readonly revocation_endpoint: string };

/** Milliseconds. */
const METADATA_LASTS = 3_600_000;

/** Reads the provider's metadata at most hourly; former ones are used while they cannot be read. */
export function rememberMetadata(ssoUrl: string, request: typeof fetch) {
  async function ask(): Promise<Metadata> {
    const response = await request(`${ssoUrl}/.well-known/oauth-authorization-server`);
    const parsed = Metadata.safeParse(await response.json().catch(() => undefined));
    if (!response.ok || !parsed.success) {
      throw new ProviderError(
        'unusable',
        `the sign-on provider's metadata cannot be used (${response.status})`,
      );
    }
    return {
      ...parsed.data,
      revocation_endpoint: parsed.data.revocation_endpoint ?? usual.revocation_endpoint,
    };
  }

  // The documented endpoints, so that login URLs can be made even while the provider cannot be reached.
  const usual: Metadata = {
    issuer: ssoUrl,
    authorization_endpoint: `${ssoUrl}/v2/oauth/authorize`,
    token_endpoint: `${ssoUrl}/v2/oauth/token`,
    revocation_endpoint: `${ssoUrl}/v2/oauth/revoke`,
    jwks_uri: `${ssoUrl}/oauth/jwks`,
  };
  const { get } = createRenewed(ask, METADATA_LASTS);
  return { get, orDefault: () => get().catch(() => usual) };
}
