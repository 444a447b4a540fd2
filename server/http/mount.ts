import type { AppRoute, AppRouter } from '@ts-rest/core';
import { type AppRouteImplementation, createExpressEndpoints } from '@ts-rest/express';
import { json, type RequestHandler, type Response, Router } from 'express';
import type { Authority } from '../../contract/access.ts';
import type { Parts } from '../parts.ts';
import { requireAuthority } from '../registry/authority.ts';
import type { Caller } from '../token/token.queries.ts';
import { admit, callerOf, ruleOf } from './admission.ts';

type Input<R extends AppRoute> = Parameters<AppRouteImplementation<R>>[0];

/** A route's implementation: what ts-rest hands over, and who calls. */
export type Handler<R extends AppRoute> = (
  input: Input<R> & { readonly caller: Caller },
) => ReturnType<AppRouteImplementation<R>>;

/** One handler per operation of a resource. */
export type Handlers<C extends AppRouter> = {
  readonly [K in keyof C]: C[K] extends AppRoute ? Handler<C[K]> : never;
};

/** Bodies that the contract does not ask for are not even read; the forwarding by GET takes one (D30). */
function takesBody(route: AppRoute): boolean {
  return route.method === 'GET' ? isForwarding(route) : 'body' in route && typeof route.body === 'object';
}

/** Request bodies may have 1 MiB (D3b); whatever the content type says, only JSON is understood. */
const readBody = json({ limit: '1mb', strict: false, type: () => true });

/**
 * Mounts one resource: each route gets its admission, then its body, then validation, then authority over the
 * record that the path names, then its handler: the order of D6.
 */
export function mount<C extends AppRouter>(contract: C, handlers: Handlers<C>, parts: Parts): Router {
  const router = Router({ caseSensitive: true });
  for (const [name, handler] of Object.entries(handlers)) {
    const route = contract[name] as AppRoute;
    const rule = ruleOf(route);
    const authority = rule === 'public' ? undefined : rule.authority;
    const implementation = guarded(handler as AnyHandler, authority, parts);
    // Which handler belongs to which route is checked where handlers are written; a loop cannot say it again.
    createExpressEndpoints({ route: served(route) }, { route: implementation as never }, router, {
      logInitialization: false,
      globalMiddleware: [
        ...(isForwarding(route) ? [leaveOurs] : []),
        admit(rule, parts),
        ...(takesBody(route) ? [readBody] : []),
      ],
      responseValidation: !parts.settings.production,
      requestValidationErrorHandler: (error, _req, _res, next) => next(error),
    });
  }
  return router;
}

interface AnyInput {
  readonly params: unknown;
  readonly res: Response;
}
type AnyHandler = (input: AnyInput & { readonly caller: Caller }) => Promise<unknown>;

/** Authority is judged once the path is known to be valid, and before the handler sees anything (D6). */
function guarded(
  handler: AnyHandler,
  authority: Authority | undefined,
  { db }: Parts,
): (input: AnyInput) => Promise<unknown> {
  return async (input) => {
    const caller = callerOf(input.res);
    if (authority !== undefined) {
      const id = (input.params as Record<string, number>)[authority.param] as number;
      await requireAuthority(db, caller, authority, id);
    }
    return handler({ ...input, caller });
  };
}

/** `/ext/{esi_path}` is the rest of the path, slashes included (decisions §1): Express wants that said. */
function served(route: AppRoute): AppRoute {
  return isForwarding(route) ? { ...route, path: `${route.path}(*)` } : route;
}

function isForwarding(route: AppRoute): boolean {
  return route.path.endsWith('/:esi_path');
}

/** What is below `/ext/history/` is ours and never forwarded (decisions §1). */
const leaveOurs: RequestHandler = (req, _res, next) =>
  req.path.startsWith('/ext/history/') || req.path === '/ext/history' ? next('route') : next();
