import { createClient, type ExtScope, ok } from '../../sdk/src/index.ts';

/**
 * Signs in at a running service with its simulated provider as a browser would, granting all scopes.
 *
 * @param perToken a permanent token that may make application tokens
 * @param who by default the first character that the provider offers
 * @returns the address to which the service redirected the browser in the end
 */
export async function signInAt(
  baseUrl: string,
  perToken: string,
  callback: string,
  who: { readonly characterId?: number; readonly scopes?: ExtScope[] } = {},
): Promise<URL> {
  const per = createClient({ baseUrl, token: perToken });
  const { tkn } = await ok(per.token.createDynamic({ body: { callback } }));
  const app = createClient({ baseUrl, token: tkn });
  const { login_url } = await ok(
    app.token.startLogin({ body: who.scopes === undefined ? {} : { scopes: who.scopes } }),
  );
  const login = new URL(login_url);
  const page = await (await fetch(login)).text();
  const form = new URLSearchParams(login.search);
  form.set('character_id', String(who.characterId ?? /name="character_id" value="(\d+)"/.exec(page)?.[1]));
  for (const scope of form.get('scope')?.split(' ') ?? []) form.append('grant', scope);
  const decided = await redirectOf(login.origin + login.pathname, { method: 'POST', body: form });
  return new URL(await redirectOf(decided));
}

async function redirectOf(url: string, request: RequestInit = {}): Promise<string> {
  const answer = await fetch(url, { ...request, redirect: 'manual' });
  const location = answer.headers.get('location');
  if (location === null) throw new Error(`${answer.status} instead of a redirect: ${await answer.text()}`);
  return location;
}
