import { randomUUID } from 'node:crypto';
import type { Provider } from 'oidc-provider';
import { inTransaction } from '../database/transaction.ts';
import { callOut, faultOf } from '../outbound/call.ts';
import { ForbiddenAddress, hostOf } from '../outbound/public-address.ts';
import type { Payload } from '../queue/job-catalogue.ts';
import type { Services } from '../services/services.ts';
import { forgetSignIn } from '../session/artifacts.queries.ts';
import { findClient } from './client.queries.ts';
import { algorithmOf } from './clients.ts';

type LogoutServices = Pick<Services, 'db' | 'clock' | 'keys' | 'settings' | 'log'>;

/** Lifetime of a logout token in seconds. */
const GOOD_FOR = 120;
/** Timeout of one attempt in milliseconds. */
const TIME_LIMIT = 10_000;
const EVENT = 'http://schemas.openid.net/event/backchannel-logout';

/**
 * Replaces the library's own back-channel logout, which calls the applications once, during the user's request: here a
 * job is enqueued, which retries (D84). Where that fails the logout does, and can be repeated: the library would end
 * the session all the same, and nobody would tell the application.
 */
export function tellLater(provider: Provider, { db, queue }: Pick<Services, 'db' | 'queue'>): void {
  Object.assign(provider.Client.prototype, {
    backchannelLogout(this: { clientId: string }, accountId: string, sid: string | undefined) {
      // The library also keeps a part of the session for an application that was asked about and got nothing.
      if (sid === undefined) return Promise.resolve();
      const payload = { client_id: this.clientId, character_id: Number(accountId), sid, attempt: 0 };
      const stored = inTransaction(db, async (tx) => {
        await forgetSignIn(tx, sid);
        await queue.send(tx, 'send-logout', payload);
      });
      return expected(stored);
    },
  });
  provider.on('backchannel.error', (_ctx, error) => {
    throw error;
  });
}

/**
 * A promise whose followers may fail before anybody waits for them. The library reads the next application first, and a
 * rejection that is unhandled meanwhile would end the process.
 */
function expected(promise: Promise<void>): PromiseLike<void> {
  return {
    // biome-ignore lint/suspicious/noThenProperty: the library calls it, and keeps what it returns.
    then: (done, failed) => {
      const follower = promise.then(done, failed);
      follower.catch(() => undefined);
      return follower;
    },
  };
}

/**
 * Sends one logout notification, with a token signed now. Returns `done` when it was delivered, refused for good or the
 * application no longer exists, `again` when a retry may succeed.
 */
export async function noticeLogout(
  { db, clock, keys, settings, log }: LogoutServices,
  { client_id, character_id, sid }: Omit<Payload<'send-logout'>, 'attempt'>,
): Promise<'done' | 'again'> {
  const client = await findClient(db, client_id);
  const uri = client?.backchannel_logout_uri;
  if (client === undefined || uri == null) return 'done';
  const now = Math.floor(clock.now().getTime() / 1000);
  const token = await keys.idTokens.sign(algorithmOf(client, { keys }), 'logout+jwt', {
    aud: client_id,
    sub: String(character_id),
    sid,
    jti: randomUUID(),
    iat: now,
    exp: now + GOOD_FOR,
    events: { [EVENT]: {} },
  });
  const told = { client_id, host: hostOf(uri) };
  try {
    const { status } = await callOut(uri, {
      allowPrivate: settings.callbackAllowPrivate,
      signal: AbortSignal.timeout(TIME_LIMIT),
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ logout_token: token }).toString(),
    });
    if (status === 200 || status === 204) return 'done';
    // 400 is final: the application does not know the session, or cannot process the token (OpenID Connect Back-Channel
    // Logout 2.8).
    const again = status !== 400;
    log.warn({ ...told, status, again }, 'an application refused a logout notification');
    return again ? 'again' : 'done';
  } catch (error) {
    const forbidden = error instanceof ForbiddenAddress;
    log.warn(
      { ...told, reason: faultOf(error), again: !forbidden },
      'a logout notification could not be delivered',
    );
    return forbidden ? 'done' : 'again';
  }
}
