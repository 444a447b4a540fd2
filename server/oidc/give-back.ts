import type { KoaContextWithOIDC } from 'oidc-provider';
import { untilReachable } from '../database/until-reachable.ts';
import type { Services } from '../services/services.ts';
import { giveArtifactBack } from '../session/artifacts.queries.ts';
import { digestOf } from '../shared/digest.ts';
import { waitAtMost } from '../shared/wait-at-most.ts';

/** Milliseconds for which an answer waits for what is given back. */
const A_MOMENT = 250;

/**
 * Gives back the code or refresh token that a request had used up before it failed on our side. The client got no
 * tokens for it, and a retry, as `Retry-After` suggests, would count as a second use and end the whole grant (D84).
 */
export async function giveBackUsed(
  { db, clock, log, lastWork }: Pick<Services, 'db' | 'clock' | 'log' | 'lastWork'>,
  { route, entities }: KoaContextWithOIDC['oidc'],
): Promise<void> {
  // There the library names both only when this very request has used them up.
  const { RotatedRefreshToken: token, AuthorizationCode: code } = entities;
  const used = token ?? code;
  if (route !== 'token' || used === undefined) return;
  const at = {
    model: token === undefined ? 'AuthorizationCode' : 'RefreshToken',
    idHash: digestOf(used.jti),
  };
  const until = clock.now();
  const given = untilReachable(() => giveArtifactBack(db, at, until)).catch((error: unknown) =>
    log.warn({ err: error, client_id: used.clientId }, 'what a failed token request used up is lost'),
  );
  await waitAtMost(A_MOMENT, lastWork.add(given));
}
