import type { KoaContextWithOIDC, Provider } from 'oidc-provider';

/**
 * A logout ends at our own page where its redirect URI, or the application, was removed while its page was open (D81): the
 * library checks the URI only when the page is asked for.
 */
export function returnToRegistered(provider: Provider): void {
  provider.use(async (ctx, next) => {
    await next();
    const { oidc } = ctx as Partial<KoaContextWithOIDC>;
    const to: unknown = ctx.response.get('Location');
    if (oidc?.route !== 'end_session_confirm' || typeof to !== 'string') return;
    // In the form of a URL, as `to` is: BASE_URL may name its port, or have capitals.
    if (to.startsWith(new URL(`${oidc.issuer}/`).href)) return;
    const registered = oidc.entities.Client?.postLogoutRedirectUris ?? [];
    if (registered.some((uri) => withoutState(uri) === withoutState(to))) return;
    ctx.redirect(oidc.urlFor('end_session_success'));
  });
}

function withoutState(uri: string): string {
  const url = new URL(uri);
  url.searchParams.delete('state');
  return url.href;
}
