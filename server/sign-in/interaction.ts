import type { Settings } from '../config/settings.ts';
import { digestOf } from '../shared/digest.ts';
import { STATE_CODE_LIFETIME } from './start-login.ts';
import type { StateCode } from './state-code.queries.ts';

/** The steps of an OpenID Connect interaction that a browser can be redirected to. */
export type InteractionStep = 'login' | 'deny' | 'again' | 'consent';

type Base = Pick<Settings, 'baseUrl'>;

/** The URL of a step of an interaction (D82). */
export function interactionUrl({ baseUrl }: Base, uid: string, step: InteractionStep): string {
  return `${baseUrl}/oidc/interaction/${uid}/${step}`;
}

/**
 * A cookie of this browser for this host alone. Over https its name has the prefix `__Host-`: no other host can set it,
 * so nobody can have a player complete, or end up in, a sign-in that he began (D82).
 */
export function ownCookie(base: Base, name: string, value: string, seconds: number): string {
  const secure = isSecure(base) ? '; Secure' : '';
  return `${prefixed(base, name)}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`;
}

/** The value of such a cookie in a request's cookies. */
export function readOwnCookie(base: Base, name: string, cookies: string | undefined): string | undefined {
  return readCookie(prefixed(base, name), cookies);
}

/** The value of the first cookie of this name in a request's cookies. */
export function readCookie(name: string, cookies: string | undefined): string | undefined {
  const begin = `${name}=`;
  return cookies
    ?.split(/; */)
    .find((cookie) => cookie.startsWith(begin))
    ?.slice(begin.length);
}

/** Sign-ins that a browser may have begun at once: reverse proxies refuse more than 8 KiB of headers. */
const MOST_OF_A_KIND = 20;

/**
 * Removes the oldest of a browser's cookies of a kind before it gets another one, if it has as many as it may. Browsers
 * send the oldest first of those that have the same path (RFC 6265, 5.4), as ours have.
 *
 * @param kind what their names begin with
 * @param ending name of one that the same answer ends
 * @returns values of `Set-Cookie`
 */
export function removalsBefore(
  base: Base,
  kind: string,
  cookies: string | undefined,
  ending?: string,
): string[] {
  const own = prefixed(base, '');
  const names = (cookies ?? '')
    .split(/; */)
    .map((cookie) => cookie.slice(0, Math.max(0, cookie.indexOf('='))))
    .filter((name) => name.startsWith(own + kind))
    .map((name) => name.slice(own.length))
    .filter((name) => name !== ending);
  return names
    .slice(0, Math.max(0, names.length - MOST_OF_A_KIND + 1))
    .map((name) => ownCookie(base, name, '', 0));
}

function prefixed(base: Base, name: string): string {
  return `${isSecure(base) ? '__Host-' : ''}castellan_${name}`;
}

function isSecure({ baseUrl }: Base): boolean {
  return baseUrl.startsWith('https:');
}

const BINDING = 'sign_in_';

/** A cookie name for each sign-in, so that two windows of a browser do not overwrite each other's. */
function nameOf(stateCode: string): string {
  return `${BINDING}${stateCode.slice(0, 8)}`;
}

/**
 * The cookie that binds a sign-in to the browser that began it; the sign-in callback checks it. It outlives the state
 * code, so that who returns late is told so, and not that the sign-in was begun in another browser.
 */
export function bindingCookie(base: Base, stateCode: string, uid: string): string {
  return ownCookie(base, nameOf(stateCode), uid, (6 * STATE_CODE_LIFETIME) / 1000);
}

/** {@link removalsBefore} another cookie that binds a sign-in. */
export function bindingRemovals(base: Base, cookies: string | undefined): string[] {
  return removalsBefore(base, BINDING, cookies);
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
  const held = readOwnCookie(base, nameOf(state_code), cookies);
  return held !== undefined && digestOf(held) === destination.interaction_hash ? held : 'another';
}
