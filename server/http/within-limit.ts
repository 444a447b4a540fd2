import type { Request, RequestHandler, Response } from 'express';
import { authenticate, readToken, recognise } from '../access/authenticate.ts';
import type { Caller } from '../access/caller.queries.ts';
import { usualForm } from '../rate-limit/address.ts';
import type { Quota } from '../rate-limit/leases.ts';
import type { Services } from '../services/services.ts';
import { DomainError } from '../shared/errors.ts';
import { HttpError, statusOf } from './http-error.ts';

/** What a 429 says, by whom the request is counted against. */
const TOO_MANY = {
  token: (limit: number) => `Too many requests: this token may make ${limit} a minute.`,
  address: (limit: number) =>
    `Too many requests without a usable token: this address may make ${limit} a minute.`,
} as const;

/**
 * The caller behind a request, within its limit (D60): a token whose signature is valid pays before the database is
 * asked, an address for whatever is refused with 401.
 *
 * @throws HttpError 429 instead of the 401 that an exhausted address would get
 */
export async function callerWithinLimit(services: Services, req: Request, res: Response): Promise<Caller> {
  const { rateLimit, keys } = services;
  if (rateLimit === undefined) return authenticate(services, req.headers.authorization);
  try {
    const claims = await readToken(keys, req.headers.authorization);
    const quota = rateLimit.takeFromToken(claims);
    if (!(quota instanceof Promise)) {
      settle(services, res, 'token', quota);
      return await recognise(services, claims);
    }
    // Side by side, so that a database that keeps silent is waited for once.
    const [late, caller] = await Promise.all([quota, recognise(services, claims)]);
    settle(services, res, 'token', late);
    return caller;
  } catch (error) {
    if (isNoToken(error)) settle(services, res, 'address', await rateLimit.takeFromAddress(addressOf(res)));
    throw error;
  }
}

/** Middleware for what needs no token: one that is there and valid pays, else the address. */
export function withinLimit(services: Services): RequestHandler {
  const { rateLimit, keys } = services;
  if (rateLimit === undefined) return (_req, _res, next) => next();
  return (req, res, next) => {
    readToken(keys, req.headers.authorization)
      .then(
        async (claims) => settle(services, res, 'token', await rateLimit.takeFromToken(claims)),
        async () => settle(services, res, 'address', await rateLimit.takeFromAddress(addressOf(res))),
      )
      .then(() => next(), next);
  };
}

function isNoToken(error: unknown): boolean {
  return error instanceof DomainError && statusOf(error.code) === 401;
}

/** Says in the answer's headers what is left (of the draft RateLimit header fields), and refuses when nothing is. */
function settle({ clock, metrics }: Services, res: Response, by: keyof typeof TOO_MANY, quota: Quota): void {
  const { allowed, limit, remaining, endsAt } = quota;
  const seconds = String(Math.max(1, Math.ceil((endsAt - clock.now().getTime()) / 1000)));
  res.setHeader('RateLimit-Policy', `${limit};w=60`);
  res.setHeader('RateLimit-Limit', limit);
  res.setHeader('RateLimit-Remaining', remaining);
  res.setHeader('RateLimit-Reset', seconds);
  if (allowed) return;
  metrics.rateLimited.inc({ counted_by: by });
  throw new HttpError('rate_limited', TOO_MANY[by](limit), { headers: { 'Retry-After': seconds } });
}

/** The client's address, taken through TRUSTED_PROXIES: what else a request claims about it is not believed. */
export function clientAddress(req: Request): string {
  return usualForm(req.ip) ?? usualForm(req.socket.remoteAddress) ?? 'unknown';
}

function addressOf(res: Response): string {
  return res.locals.address as string;
}
