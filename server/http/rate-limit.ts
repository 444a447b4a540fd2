import type { Request, RequestHandler, Response } from 'express';
import { readToken, recognise } from '../access/authenticate.ts';
import type { Caller } from '../access/caller.queries.ts';
import { isUnreachable } from '../database/errors.ts';
import type { TokenClaims } from '../keys/signing-keys.ts';
import { usualForm } from '../rate-limit/address.ts';
import type { Quota } from '../rate-limit/leases.ts';
import type { RateLimit } from '../rate-limit/rate-limit.ts';
import type { Services } from '../services/services.ts';
import { DomainError } from '../shared/domain-error.ts';
import { HttpError, statusOf } from './http-error.ts';

/** Message of the 429, by what the request was counted against. */
const TOO_MANY = {
  token: (limit: number) => `Too many requests: this token may make ${limit} a minute.`,
  client: (limit: number) => `Too many requests: this application may make ${limit} a minute.`,
  address: (limit: number) =>
    `Too many requests without a usable token: this address may make ${limit} a minute.`,
} as const;

/**
 * Authenticates the caller, in its turn, and applies the rate limit (D60): a token with a valid signature is counted
 * before the database is queried; any request that ends in a 401 is counted against the client's address.
 *
 * @throws HttpError 429 instead of the 401 when the address has used up its limit
 */
export async function callerWithinLimit(services: Services, req: Request, res: Response): Promise<Caller> {
  const { rateLimit, keys } = services;
  const lookUp = (claims: TokenClaims) => services.lookupTurns(claims, () => recognise(services, claims));
  if (rateLimit === undefined) return lookUp(await readToken(keys, req.headers.authorization));
  try {
    const claims = await readToken(keys, req.headers.authorization);
    res.locals.take = () => rateLimit.takeFromToken(claims);
    const quota = rateLimit.takeFromToken(claims);
    if (!(quota instanceof Promise)) {
      settle(services, res, 'token', quota);
      return await lookUp(claims);
    }
    // In parallel, so that the timeout of an unresponsive database is waited for once, not twice.
    const [late, caller] = await Promise.all([quota, lookUp(claims)]);
    settle(services, res, 'token', late);
    return caller;
  } catch (error) {
    if (isNoToken(error)) settle(services, res, 'address', await takeFromAddress(rateLimit, res));
    throw error;
  }
}

/**
 * Middleware for paths that need no token: the request is counted against its token if that is usable, else against the
 * client's address. A token is looked up here as well, as a revoked one must buy nothing.
 */
export function withinLimit(services: Services): RequestHandler {
  const { rateLimit } = services;
  if (rateLimit === undefined) return (_req, _res, next) => next();
  return (req, res, next) => {
    const count = async () => {
      if (req.headers.authorization !== undefined) return callerWithinLimit(services, req, res);
      return settle(services, res, 'address', await takeFromAddress(rateLimit, res));
    };
    count().then(
      () => next(),
      // These paths answer, whether or not the token is usable, and whether or not the database can say so.
      (error: unknown) => (isNoToken(error) || isUnreachable(error) ? next() : next(error)),
    );
  };
}

/**
 * Middleware for paths that browsers are sent to, which have no token of ours: the request, and what it costs besides,
 * is counted against the client's address. By a token that came along, whoever calls could do ten times as much.
 */
export function addressWithinLimit(services: Services): RequestHandler {
  const limited = withinLimit(services);
  return (req, res, next) => {
    delete req.headers.authorization;
    limited(req, res, next);
  };
}

/** Counts the request against the client's address. */
function takeFromAddress(rateLimit: RateLimit, res: Response): Quota | Promise<Quota> {
  const take = () => rateLimit.takeFromAddress(addressOf(res));
  res.locals.take = take;
  return take();
}

type Take = () => Quota | Promise<Quota>;

/**
 * Counts so many requests more against what this one was counted against, for what it cost others; as many as are left,
 * where these are fewer.
 */
export async function chargeMore(res: Response, requests: number): Promise<void> {
  const take: Take | undefined = res.locals.take;
  for (let n = 0; n < requests && (await take?.())?.allowed; n += 1);
}

/** Of its limit one request is charged a third at the most: what is valid is possible, however low the limit is. */
const LARGEST_PART = 3;

/** How many requests one request may count as. */
export function mostOfOne({ settings }: Pick<Services, 'settings'>): number {
  return Math.floor(settings.rateLimit / LARGEST_PART);
}

/**
 * Counts so many requests more against what this one was counted against, for what it is about to cost.
 *
 * @throws HttpError 429 when fewer are left
 */
export async function requireMore(
  services: Pick<Services, 'clock' | 'metrics' | 'settings'>,
  res: Response,
  by: keyof typeof TOO_MANY,
  requests: number,
): Promise<void> {
  const take: Take | undefined = res.locals.take;
  for (let n = 0; n < Math.min(requests, mostOfOne(services)); n += 1) {
    const quota = await take?.();
    if (quota !== undefined) settle(services, res, by, quota);
  }
}

function isNoToken(error: unknown): boolean {
  return error instanceof DomainError && statusOf(error.code) === 401;
}

/** Sets the headers of the RateLimit header fields draft; throws a 429 when the limit is used up. */
export function settle(
  { clock, metrics }: Pick<Services, 'clock' | 'metrics'>,
  res: Response,
  by: keyof typeof TOO_MANY,
  quota: Quota,
): void {
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

/** The client's address. `X-Forwarded-For` is believed only as far as it was set by TRUSTED_PROXIES. */
export function clientAddress(req: Request): string {
  return usualForm(req.ip) ?? usualForm(req.socket.remoteAddress) ?? 'unknown';
}

/** The client's address, as it was when the request arrived. */
export function addressOf(res: Response): string {
  return res.locals.address as string;
}
