import type { AppRoute } from '@ts-rest/core';
import type { RequestHandler, Response } from 'express';
import { type AccessRule, type RouteMetadata, UNAUTHORIZED } from '../../contract/access.ts';
import { judge } from '../access/clearance.ts';
import type { Parts } from '../parts.ts';
import { forbidden, type Problem, unauthenticated } from '../problem.ts';
import { authenticate } from '../token/authenticate.ts';
import type { Caller } from '../token/token.queries.ts';

/** The rule of a route; a route without one does not start (D18). */
export function ruleOf(route: AppRoute): RouteMetadata['access'] {
  const access = (route.metadata as Partial<RouteMetadata> | undefined)?.access;
  if (access === undefined) throw new Error(`${route.method} ${route.path} carries no access rule`);
  return access;
}

/** Middleware before a route's body is read: who calls, and do kind and level let them in? (D3b, D6) */
export function admit(rule: RouteMetadata['access'], parts: Parts): RequestHandler {
  return (req, res, next) => {
    // Express forgets them on the way to the error handler, and a crash report wants them (D50).
    res.locals.params = req.params;
    if (rule === 'public') return next();
    authenticate(parts, req.headers.authorization).then((caller) => {
      res.locals.caller = caller;
      next(refusal(rule, caller));
    }, next);
  };
}

function refusal(rule: AccessRule, caller: Caller): Problem | undefined {
  const refused = judge(rule, caller.token_type, caller.level);
  if (refused === undefined) return undefined;
  return refused.status === 403 ? forbidden() : unauthenticated(refused.detail ?? UNAUTHORIZED);
}

/** The caller that {@link admit} found. */
export function callerOf(res: Response): Caller {
  return res.locals.caller as Caller;
}
