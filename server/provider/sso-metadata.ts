import { z } from 'zod';
import { ProviderError } from './http.ts';

/** The fields of the metadata that are used. If it has no revocation endpoint, the documented one is used. */
const Metadata = z.object({
  issuer: z.string().min(1),
  authorization_endpoint: z.string().url(),
  token_endpoint: z.string().url(),
  revocation_endpoint: z.string().url().nullish(),
  jwks_uri: z.string().url(),
});
export type Metadata = z.infer<typeof Metadata> & { readonly revocation_endpoint: string };

const METADATA_LASTS = 3_600_000;

/** Reads the provider's metadata at most hourly; an old copy is used while the provider cannot be reached. */
export function rememberMetadata(ssoUrl: string, request: typeof fetch) {
  let known: { readonly value: Metadata; readonly until: number } | undefined;
  let asking: Promise<Metadata> | undefined;

  async function ask(): Promise<Metadata> {
    const response = await request(`${ssoUrl}/.well-known/oauth-authorization-server`);
    const parsed = Metadata.safeParse(await response.json().catch(() => undefined));
    if (!response.ok || !parsed.success) {
      throw new ProviderError(
        'unusable',
        `the sign-on provider's metadata cannot be used (${response.status})`,
      );
    }
    const value = {
      ...parsed.data,
      revocation_endpoint: parsed.data.revocation_endpoint ?? usual.revocation_endpoint,
    };
    known = { value, until: performance.now() + METADATA_LASTS };
    return value;
  }

  async function get(): Promise<Metadata> {
    if (known !== undefined && performance.now() < known.until) return known.value;
    asking ??= ask().finally(() => {
      asking = undefined;
    });
    const stale = known?.value;
    return stale === undefined ? asking : asking.catch(() => stale);
  }

  // The documented endpoints, so that login URLs can be made even while the provider cannot be reached.
  const usual: Metadata = {
    issuer: ssoUrl,
    authorization_endpoint: `${ssoUrl}/v2/oauth/authorize`,
    token_endpoint: `${ssoUrl}/v2/oauth/token`,
    revocation_endpoint: `${ssoUrl}/v2/oauth/revoke`,
    jwks_uri: `${ssoUrl}/oauth/jwks`,
  };
  return { get, orDefault: () => get().catch(() => usual) };
}
