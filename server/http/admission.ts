import type { AppRoute } from '@ts-rest/core';
import type { RequestHandler, Response } from 'express';
import type { AccessRule, RouteMetadata } from '../../contract/access.ts';
import { requireClearance } from '../access/admission.ts';
import { authenticate } from '../access/authenticate.ts';
import type { Caller } from '../access/caller.queries.ts';
import type { Services } from '../services/services.ts';
import { callerWithinLimit, withinLimit } from './within-limit.ts';

/** The rule of a route; a route without one does not start (D18). */
export function ruleOf(route: AppRoute): RouteMetadata['access'] {
  const access = (route.metadata as Partial<RouteMetadata> | undefined)?.access;
  if (access === undefined) throw new Error(`${route.method} ${route.path} carries no access rule`);
  return access;
}

/** Whether a route can be tried beforehand (D121). */
export function previews(route: AppRoute): boolean {
  return (route.metadata as Partial<RouteMetadata> | undefined)?.previews === true;
}

/** Middleware before a route's body is read: who calls, and do kind and level let them in? (D3b, D6) */
export function admit(rule: RouteMetadata['access'], services: Services): RequestHandler {
  const limited = withinLimit(services);
  return (req, res, next) => {
    // Express forgets them on the way to the error handler, and a crash report wants them (D50).
    res.locals.params = req.params;
    if (rule === 'public') return limited(req, res, next);
    callerWithinLimit(services, req, res)
      .then((caller) => {
        letIn(rule, caller, res);
        res.locals.bodyIsLate = !req.complete;
      })
      .then(() => next(), next);
  };
}

/** After the body: whoever was let in while it was on its way is asked again, so that sending slowly gains no time. */
export function admitLate(rule: RouteMetadata['access'], services: Services): RequestHandler {
  return (req, res, next) => {
    if (rule === 'public' || res.locals.bodyIsLate === false) return next();
    authenticate(services, req.headers.authorization)
      .then((caller) => letIn(rule, caller, res))
      .then(() => next(), next);
  };
}

function letIn(rule: AccessRule, caller: Caller, res: Response): void {
  res.locals.caller = caller;
  requireClearance(rule, caller);
}

/** The caller that {@link admit} found. */
export function callerOf(res: Response): Caller {
  return res.locals.caller as Caller;
}
