import { callOut, faultOf } from '../outbound/call.ts';
import { ForbiddenAddress, hostOf } from '../outbound/public-address.ts';
import type { Services } from '../services/services.ts';
import { findToken } from '../token/token.queries.ts';

/** Adds `state_code` and `user_token` to the query of an application's callback URL (D26, D29). */
export function callbackUrl(callback: string, stateCode: string, userToken: string): string {
  // Appended as text, so that the application's own query stays byte for byte; only characters that a header cannot
  // hold are encoded.
  const base = /^[!-~]+$/.test(callback) ? callback : new URL(callback).href;
  const added = new URLSearchParams({ state_code: stateCode, user_token: userToken });
  return `${base}${base.includes('?') ? '&' : '?'}${added}`;
}

/** Timeout of one attempt in milliseconds, connecting included (D29). */
const TIME_LIMIT = 10_000;

/**
 * Calls the application's callback once with the user token, which is signed again because its text is not stored
 * (D29). Returns `done` when it was delivered, refused for good or the token no longer exists, `again` when a retry may
 * succeed.
 */
export async function deliverEvent(
  { db, keys, clock, settings, log }: Pick<Services, 'db' | 'keys' | 'clock' | 'settings' | 'log'>,
  uuid: string,
  stateCode: string,
  timeLimit = TIME_LIMIT,
): Promise<'done' | 'again'> {
  const token = await findToken(db, uuid);
  const app = token === undefined ? undefined : await findToken(db, token.app_token);
  if (token === undefined || !app?.callback || (token.expires_on ?? clock.now()) <= clock.now())
    return 'done';
  const url = callbackUrl(app.callback, stateCode, await keys.sign(token));
  const told = { token: uuid, app_token: app.uuid, callback_host: hostOf(app.callback) };
  try {
    const { status } = await callOut(url, {
      method: 'GET',
      headers: { 'Castellan-Event': 'sign-in' },
      allowPrivate: settings.callbackAllowPrivate,
      signal: AbortSignal.timeout(timeLimit),
    });
    if (status < 400) return 'done';
    const again = status >= 500 || status === 408 || status === 429;
    log.warn({ ...told, status, again }, 'an application refused its sign-in event');
    return again ? 'again' : 'done';
  } catch (error) {
    const forbidden = error instanceof ForbiddenAddress;
    log.warn(
      { ...told, reason: faultOf(error), again: !forbidden },
      'a sign-in event could not be delivered',
    );
    return forbidden ? 'done' : 'again';
  }
}
