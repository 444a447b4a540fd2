import type { AppRoute } from '@ts-rest/core';
import type { RequestHandler, Response } from 'express';
import type { AccessRule, RouteMetadata } from '../../contract/access.ts';
import { type Admission, requireClearance } from '../access/admission.ts';
import { authenticate } from '../access/authenticate.ts';
import type { Caller } from '../access/caller.queries.ts';
import type { Services } from '../services/services.ts';
import { addressWithinLimit, callerWithinLimit } from './rate-limit.ts';

/**
 * The access rule that a route declares in its metadata. Throws where it declares none, so that the service does not
 * start (D18).
 */
export function ruleOf(route: AppRoute): RouteMetadata['access'] {
  const access = (route.metadata as Partial<RouteMetadata> | undefined)?.access;
  if (access === undefined) throw new Error(`${route.method} ${route.path} carries no access rule`);
  return access;
}

/** Whether a route supports `dry_run` (D121). */
export function previews(route: AppRoute): boolean {
  return (route.metadata as Partial<RouteMetadata> | undefined)?.previews === true;
}

/**
 * Middleware that runs before the body is read: authenticates the caller, then checks token kind and level (D3b, D6).
 */
export function admit({ path }: AppRoute, rule: RouteMetadata['access'], services: Services): RequestHandler {
  const limited = addressWithinLimit(services);
  return (req, res, next) => {
    // The request metrics use the route's template as a label, not the actual path.
    res.locals.route = path;
    // Express resets `req.params` before the error handler runs, but a crash report includes them (D50).
    res.locals.params = req.params;
    if (rule === 'public') return limited(req, res, next);
    res.locals.judgedAt = performance.now();
    callerWithinLimit(services, req, res)
      .then((caller) => {
        letIn(rule, caller, res);
        res.locals.bodyIsLate = !req.complete;
      })
      .then(() => next(), next);
  };
}

/**
 * Middleware that runs after the body was read: authenticates and checks again, because the token may have been revoked
 * or its owner demoted while a slow client was still sending.
 */
export function admitLate(rule: RouteMetadata['access'], services: Services): RequestHandler {
  return (req, res, next) => {
    if (rule === 'public' || res.locals.bodyIsLate === false) return next();
    res.locals.judgedAt = performance.now();
    authenticate(services, req.headers.authorization)
      .then((caller) => letIn(rule, caller, res))
      .then(() => next(), next);
  };
}

function letIn(rule: AccessRule, caller: Caller, res: Response): void {
  res.locals.caller = caller;
  requireClearance(rule, caller);
}

/** The caller that {@link admit} found, and when it was looked up. */
export function judgedIn(res: Response): Required<Pick<Admission, 'caller' | 'judgedAt'>> {
  const { caller, judgedAt } = res.locals;
  return { caller: caller as Caller, judgedAt: judgedAt as number };
}
