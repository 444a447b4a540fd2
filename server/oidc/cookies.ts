import { hkdfSync } from 'node:crypto';
import type { Configuration } from 'oidc-provider';
import type { CompleteSettings, Settings } from '../config/settings.ts';
import { ownCookie, readCookie, readOwnCookie, removalsBefore } from '../sign-in/interaction.ts';
import { LIFETIMES } from './lifetimes.ts';

const RESUME = 'castellan_resume';

/**
 * Cookie settings: HttpOnly and SameSite, signed by keys that all processes derive from ENCRYPTION_KEYS (the first
 * signs, all verify). Over https the session cookie has the prefix `__Host-`, so that no other host can set it (D82).
 */
export function cookiesOf({ baseUrl, encryptionKeys }: CompleteSettings): Configuration['cookies'] {
  const own = baseUrl.startsWith('https:') ? '__Host-' : '';
  const options = { httpOnly: true, sameSite: 'lax', signed: true, overwrite: true } as const;
  return {
    names: {
      session: `${own}castellan_session`,
      interaction: 'castellan_interaction',
      resume: RESUME,
    },
    long: options,
    short: options,
    keys: encryptionKeys.map(({ key }) =>
      Buffer.from(hkdfSync('sha256', key, '', 'castellan cookies of OpenID Connect', 32)).toString(
        'base64url',
      ),
    ),
  };
}

/**
 * Binds an interaction to the browser whose authorization request began it (D82). The library's own cookies for it have
 * a path, so they cannot have the prefix `__Host-`, and a sibling host can plant them.
 */
export function begunCookie(settings: Pick<Settings, 'baseUrl'>, uid: string): string {
  return ownCookie(settings, begun(uid), uid, LIFETIMES.interaction);
}

/**
 * {@link removalsBefore} another such cookie.
 *
 * @param ending uid of the interaction that the same answer ends
 */
export function begunRemovals(
  settings: Pick<Settings, 'baseUrl'>,
  cookies: string | undefined,
  ending: string | undefined,
): string[] {
  return removalsBefore(settings, BEGUN, cookies, ending && begun(ending));
}

/** Removes it, so that a browser that signs in often does not send more cookies than a request may hold. */
export function endedCookie(settings: Pick<Settings, 'baseUrl'>, uid: string): string {
  return ownCookie(settings, begun(uid), '', 0);
}

/**
 * Whether a request comes from the browser that began the interaction, and cannot go on with another one: the library
 * resumes that of its cookie, whatever the path says.
 */
export function hasBegun(
  settings: Pick<Settings, 'baseUrl'>,
  uid: string,
  cookies: string | undefined,
): boolean {
  const resumed = readCookie(RESUME, cookies);
  return readOwnCookie(settings, begun(uid), cookies) === uid && (resumed === undefined || resumed === uid);
}

/** Whether an answer to the end of an interaction removes the library's cookie for it, or has that of the next one. */
export function endsInteraction(setCookie: readonly string[]): boolean {
  return setCookie.some((cookie) => cookie.startsWith(`${RESUME}=`));
}

const BEGUN = 'begun_';

/** A name for each interaction, as for each sign-in. */
const begun = (uid: string) => `${BEGUN}${uid.slice(0, 8)}`;
