import type { AppRoute } from '@ts-rest/core';
import type { Request, RequestHandler, Response } from 'express';
import type { RouteMetadata } from '../../contract/access.ts';
import type { Parts } from '../parts.ts';
import { forbidden, type Problem, unauthenticated } from '../problem.ts';
import type { Caller } from '../token/token.queries.ts';
import { callerWithinLimit, withinLimit } from './within-limit.ts';

/** The rule of a route; a route without one does not start (D18). */
export function ruleOf(route: AppRoute): RouteMetadata['access'] {
  const access = (route.metadata as Partial<RouteMetadata> | undefined)?.access;
  if (access === undefined) throw new Error(`${route.method} ${route.path} carries no access rule`);
  return access;
}

/** Middleware before a route's body is read: who calls, and do kind and level let them in? (D3b, D6) */
export function admit(rule: RouteMetadata['access'], parts: Parts): RequestHandler {
  const limited = withinLimit(parts);
  return (req, res, next) => {
    // Express forgets them on the way to the error handler, and a crash report wants them (D50).
    res.locals.params = req.params;
    if (rule === 'public') return limited(req, res, next);
    callerWithinLimit(parts, req, res).then((caller) => {
      res.locals.caller = caller;
      next(refusal(rule, caller));
    }, next);
  };
}

/** After the body: whoever was let in while it was on its way is asked again, so that sending slowly gains no time. */
export function admitLate(rule: RouteMetadata['access'], parts: Parts): RequestHandler {
  return (req, res, next) => {
    if (res.locals.bodyIsLate === false) return next();
    letIn(rule, parts, req, res).then(() => next(), next);
  };
}

async function letIn(
  rule: RouteMetadata['access'],
  parts: Parts,
  req: Request,
  res: Response,
): Promise<void> {
  if (rule === 'public') return;
  const caller = await authenticate(parts, req.headers.authorization);
  res.locals.caller = caller;
  requireClearance(rule, caller);
}

/** The caller that {@link admit} found. */
export function callerOf(res: Response): Caller {
  return res.locals.caller as Caller;
}
