import type { Settings } from '../config/settings.ts';
import { digestOf } from '../shared/digest.ts';
import { LIVES } from './start-login.ts';
import type { StateCode } from './state-code.queries.ts';

/** What a browser can be sent to do with an interaction of OpenID Connect. */
export type InteractionStep = 'login' | 'deny' | 'again' | 'consent';

type Base = Pick<Settings, 'baseUrl'>;

/** Where an interaction goes on (D82). */
export function interactionUrl({ baseUrl }: Base, uid: string, step: InteractionStep): string {
  return `${baseUrl}/oidc/interaction/${uid}/${step}`;
}

/** One for each sign-in, so that two windows of a browser do not disturb each other. */
function nameOf(stateCode: string): string {
  return `castellan_sign_in_${stateCode.slice(0, 8)}`;
}

/** The cookie by which the provider's callback knows the browser that a sign-in was begun in. */
export function bindingCookie({ baseUrl }: Base, stateCode: string, uid: string): string {
  const { pathname, protocol } = new URL(`${baseUrl}/callback/ext`);
  const secure = protocol === 'https:' ? '; Secure' : '';
  return `${nameOf(stateCode)}=${uid}; Path=${pathname}; Max-Age=${LIVES / 1000}; HttpOnly; SameSite=Lax${secure}`;
}

/**
 * The interaction that a sign-in goes on in, as the browser's cookie tells; `another`: it was begun in another browser.
 * Undefined for a sign-in of an application that uses the API.
 */
export function interactionOf(
  { state_code, destination }: StateCode,
  cookies: string | undefined,
): string | 'another' | undefined {
  if (destination.to === 'application') return undefined;
  const name = `${nameOf(state_code)}=`;
  const held = cookies
    ?.split(/; */)
    .find((cookie) => cookie.startsWith(name))
    ?.slice(name.length);
  return held !== undefined && digestOf(held) === destination.interaction_hash ? held : 'another';
}
