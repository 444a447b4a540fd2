import type { ServerResponse } from 'node:http';
import type { RequestHandler, Response } from 'express';
import { LRUCache } from 'lru-cache';
import type { Quota } from '../rate-limit/leases.ts';
import type { RateLimit } from '../rate-limit/rate-limit.ts';
import type { Services } from '../services/services.ts';
import { digestOf } from '../shared/digest.ts';
import { addressOf, settle, withinLimit } from './rate-limit.ts';

/** Credentials in memory that were accepted. */
const MOST_KNOWN = 50_000;

/** What an accepted credential is counted as: a client's secret like a dynamic token, an access token like a token. */
interface Credential {
  readonly by: 'client' | 'token';
  readonly counted: Parameters<RateLimit['takeFromToken']>[0];
}

/** What came of a request: the client that authenticated, or the access token that was accepted. */
interface Outcome {
  readonly status: number;
  readonly clientId: string | undefined;
  readonly accessToken: string | undefined;
}

interface Presented {
  readonly digest: string;
  readonly isBasic: boolean;
  readonly known: Credential | undefined;
  readonly quota: Quota;
}

/**
 * The rate limit of endpoints that programs call with credentials in the header `Authorization` (D60). A credential
 * that was accepted before is counted by itself, any other one against the address first, before it is looked up: made
 * up ones get neither lookups beyond the address's limit nor windows of their own.
 */
export function credentialLimit(services: Services): {
  readonly count: RequestHandler;
  readonly judge: (answered: ServerResponse, outcome: Outcome) => Promise<void>;
} {
  const { rateLimit } = services;
  const byAddress = withinLimit(services);
  if (rateLimit === undefined) return { count: byAddress, judge: async () => undefined };
  /** By the digest of the whole header, so that a wrong secret is not counted against its client. */
  const accepted = new LRUCache<string, Credential>({ max: MOST_KNOWN });

  const take = async (header: string, res: Response) => {
    const digest = digestOf(header);
    const known = accepted.get(digest);
    const quota = await (known === undefined
      ? rateLimit.takeFromAddress(addressOf(res))
      : rateLimit.takeFromToken(known.counted));
    settle(services, res, known?.by ?? 'address', quota);
    res.locals.presented = { digest, isBasic: /^basic /i.test(header), known, quota } satisfies Presented;
  };

  return {
    count(req, res, next) {
      const { authorization } = req.headers;
      if (authorization === undefined) return byAddress(req, res, next);
      take(authorization, res).then(() => next(), next);
    },
    async judge(answered: ServerResponse, { status, clientId, accessToken }) {
      const res = answered as Response;
      const presented: Presented | undefined = res.locals.presented;
      if (presented === undefined) return;
      const { digest, isBasic, known, quota } = presented;
      if (status === 401) {
        accepted.delete(digest);
        // Whoever was not known has been charged already.
        if (known !== undefined)
          settle(services, res, 'address', await rateLimit.takeFromAddress(addressOf(res)));
      } else if (status === 200 && known === undefined) {
        // Other answers prove nothing: some faults are found before the credential is looked at.
        const credential = isBasic ? ofClient(clientId) : ofToken(accessToken);
        if (credential === undefined) return;
        accepted.set(digest, credential);
        rateLimit.returnToAddress(addressOf(res), quota);
        // At once: written in another way, a credential is unknown each time.
        settle(services, res, credential.by, await rateLimit.takeFromToken(credential.counted));
      }
    },
  };
}

/** By the client's id, because one secret can be written in the header in many ways. */
function ofClient(clientId: string | undefined): Credential | undefined {
  return clientId === undefined
    ? undefined
    : { by: 'client', counted: { uuid: `oidc:${clientId}`, kind: 'dyn' } };
}

function ofToken(accessToken: string | undefined): Credential | undefined {
  return accessToken === undefined
    ? undefined
    : { by: 'token', counted: { uuid: `oidc:${digestOf(accessToken)}`, kind: 'use' } };
}
