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
/** Milliseconds between two attempts to renew an old copy. */
const ASK_AGAIN = 60_000;

/**
 * Reads the provider's metadata at most hourly; an old copy is used while the provider cannot be reached. After an
 * attempt that failed nobody waits for the next one, as an answer may be kept back until the time limit.
 */
export function rememberMetadata(ssoUrl: string, request: typeof fetch) {
  let known: { readonly value: Metadata; readonly until: number; readonly outdated: boolean } | undefined;
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
    known = { value, until: performance.now() + METADATA_LASTS, outdated: false };
    return value;
  }

  function useFormer(error: unknown): Metadata {
    if (known === undefined) throw error;
    known = { value: known.value, until: performance.now() + ASK_AGAIN, outdated: true };
    return known.value;
  }

  async function get(): Promise<Metadata> {
    if (known !== undefined && performance.now() < known.until) return known.value;
    asking ??= ask()
      .catch(useFormer)
      .finally(() => {
        asking = undefined;
      });
    return known?.outdated ? known.value : asking;
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
