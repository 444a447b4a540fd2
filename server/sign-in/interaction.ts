import type { Settings } from '../config/settings.ts';
import { digestOf } from '../shared/digest.ts';
import { LIVES } from './start-login.ts';
import type { StateCode } from './state-code.queries.ts';

/** The steps of an OpenID Connect interaction that a browser can be redirected to. */
export type InteractionStep = 'login' | 'deny' | 'again' | 'consent';

type Base = Pick<Settings, 'baseUrl'>;

/** The URL of a step of an interaction (D82). */
export function interactionUrl({ baseUrl }: Base, uid: string, step: InteractionStep): string {
  return `${baseUrl}/oidc/interaction/${uid}/${step}`;
}

/**
 * A cookie name for each sign-in, so that two windows of a browser do not overwrite each other's. Over https it has the
 * prefix `__Host-`: no other host can set it, so nobody can have a player complete a sign-in that he began (D82).
 */
function nameOf({ baseUrl }: Base, stateCode: string): string {
  return `${isSecure(baseUrl) ? '__Host-' : ''}castellan_sign_in_${stateCode.slice(0, 8)}`;
}

function isSecure(baseUrl: string): boolean {
  return baseUrl.startsWith('https:');
}

/** The cookie that binds a sign-in to the browser that began it; the sign-in callback checks it. */
export function bindingCookie(base: Base, stateCode: string, uid: string): string {
  const secure = isSecure(base.baseUrl) ? '; Secure' : '';
  return `${nameOf(base, stateCode)}=${uid}; Path=/; Max-Age=${LIVES / 1000}; HttpOnly; SameSite=Lax${secure}`;
}

/**
 * The uid of the OpenID Connect interaction that a sign-in belongs to, from the browser's cookie. `another`: the
 * sign-in was begun in another browser. Undefined: the sign-in was begun by an application through the API.
 */
export function interactionOf(
  base: Base,
  { state_code, destination }: StateCode,
  cookies: string | undefined,
): string | 'another' | undefined {
  if (destination.to === 'application') return undefined;
  const name = `${nameOf(base, state_code)}=`;
  const held = cookies
    ?.split(/; */)
    .find((cookie) => cookie.startsWith(name))
    ?.slice(name.length);
  return held !== undefined && digestOf(held) === destination.interaction_hash ? held : 'another';
}
