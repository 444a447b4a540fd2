import type { AppRoute, AppRouter } from '@ts-rest/core';
import { type AppRouteImplementation, createExpressEndpoints } from '@ts-rest/express';
import { type Request, type RequestHandler, type Response, Router } from 'express';
import { z } from 'zod';
import type { RouteMetadata } from '../../contract/access.ts';
import { c, FlagInQuery } from '../../contract/common.ts';
import { PREVIEW_TYPE, Preview, contract as whole } from '../../contract/index.ts';
import { answersFor } from '../access/account.ts';
import { type Admission, rejudge, rejudgeLate, requireRights } from '../access/admission.ts';
import type { Caller } from '../access/caller.queries.ts';
import { isAdministrator } from '../access/clearance-levels.ts';
import { onAccountOf } from '../event/origin.ts';
import type { Services } from '../services/services.ts';
import { rehearse } from '../standing/rehearse.ts';
import { admit, admitLate, judgedIn, previews, ruleOf } from './admission.ts';
import { goneWith } from './client-gone.ts';
import { readBody } from './input/body.ts';
import { requireEncodedQuery } from './input/query.ts';
import { validated } from './input/validated.ts';
import { originOf } from './origin.ts';
import { preferringReplica } from './prefer-replica.ts';
import { inLineOfWrites } from './slow-writes.ts';

type Input<R extends AppRoute> = Parameters<AppRouteImplementation<R>>[0];

/** The caller, and the admission that writes judge again within their transaction (`readmit`). */
interface Admitted {
  readonly caller: Caller;
  readonly admission: Admission;
}

const inputOf = (admission: Admission): Admitted => ({ caller: admission.caller, admission });

/** A route's handler: gets the input of ts-rest and the caller. */
export type Handler<R extends AppRoute> = (
  input: Input<R> & Admitted,
) => ReturnType<AppRouteImplementation<R>>;

/** One handler per operation of a resource. */
export type Handlers<C extends AppRouter> = {
  readonly [K in keyof C]: C[K] extends AppRoute ? Handler<C[K]> : never;
};

/** Maximum size of a body in bytes (D3b), and of a body that is forwarded to the provider (D3c). */
const MOST_BYTES = 1024 * 1024;
const MOST_BYTES_FORWARDED = 32 * 1024;

/** The body of operations that take none: like any other it must be JSON without unknown fields (D3). */
const NO_FIELDS = z.object({}).strict();

/**
 * The body that a route reads; undefined where it ignores one. A forwarded GET takes the body of the POST (D30).
 */
function bodyOf(route: AppRoute): { readonly schema: z.ZodTypeAny; readonly mostBytes: number } | undefined {
  if (isForwarding(route)) return { schema: whole.ext.forward.body, mostBytes: MOST_BYTES_FORWARDED };
  // An option that a DELETE ignored, like a `dry_run` in the body, would be lost silently.
  if (!('body' in route) && route.method !== 'DELETE') return undefined;
  return {
    schema: 'body' in route && route.body instanceof z.ZodType ? route.body : NO_FIELDS,
    mostBytes: MOST_BYTES,
  };
}

/** A check before a dry run waits for its turn: whoever may not even try it holds nobody up (D3c). */
export type BeforeTrial = (admission: Admission) => Promise<void>;

/**
 * Mounts the routes of one resource. Each request passes, in the order of D6: admission, reading the body, validation,
 * authority over the record in the path, handler.
 */
export function mount<C extends AppRouter>(
  contract: C,
  handlersOf: (services: Services) => Handlers<C>,
  services: Services,
  beforeTrial?: BeforeTrial,
): Router {
  const router = Router({ caseSensitive: true });
  for (const [name, handler] of Object.entries(handlersOf(services))) {
    const route = contract[name] as AppRoute;
    const handlerOf = (its: Services) => handlersOf(its)[name] as unknown as AnyHandler;
    if (previews(route)) {
      mountOne(router, previewed(route), rehearsed(handlerOf, services), services, { before: beforeTrial });
    }
    mountOne(router, route, preferringReplica(route, handler as AnyHandler, handlerOf, services), services);
  }
  return router;
}

function mountOne(
  router: Router,
  route: AppRoute,
  handler: AnyHandler,
  services: Services,
  trial?: { readonly before: BeforeTrial | undefined },
): void {
  const rule = ruleOf(route);
  const body = bodyOf(route);
  const implementation = guarded(handler, route, services, trial?.before);
  // The type `Handlers` checks that routes and handlers match; within this loop TypeScript cannot.
  createExpressEndpoints(
    { route: served(validated(route, rule, body?.schema)) },
    { route: implementation as never },
    router,
    {
      logInitialization: false,
      globalMiddleware: [
        ...(trial === undefined ? [] : [unlessPreview]),
        admit(route, rule, services),
        // To the sign-in callback the provider may add whatever it likes.
        ...(rule === 'public' ? [] : [requireEncodedQuery]),
        ...(body === undefined ? [] : [...readBody(body.schema, body.mostBytes), admitLate(rule, services)]),
      ],
      responseValidation: !services.settings.production,
      requestValidationErrorHandler: (error, _req, _res, next) => next(error),
    },
  );
}

interface AnyInput {
  readonly params: Admission['params'];
  readonly body?: unknown;
  readonly req: Request;
  readonly res: Response;
}
type AnyHandler = (input: AnyInput & Admitted) => Promise<unknown>;
type PublicHandler = (input: AnyInput) => Promise<unknown>;

/** Checks the levels that fields need and authority over the record, after validation and before the handler (D6). */
function guarded(
  handler: AnyHandler,
  route: AppRoute,
  services: Services,
  beforeTrial?: BeforeTrial,
): (input: AnyInput) => Promise<unknown> {
  const { db, clock, events } = services;
  const rule = ruleOf(route);
  const { positioned } = route.metadata as RouteMetadata;
  if (rule === 'public') {
    const answer = handler as PublicHandler;
    return (input) => onAccountOf(originOf(input.req, input.res), () => answer(input));
  }
  return async (input) => {
    const { params, body, req, res } = input;
    const gone = () => goneWith(res);
    const admission = { ...judgedIn(res), rule, params, body, clock, gone };
    await requireRights(db, admission);
    await beforeTrial?.(admission);
    // Set before the handler reads: a change in between is then in the feed after this position, so the client cannot
    // miss it (D92).
    if (positioned) res.setHeader('Castellan-Position', events.position);
    const work = (admitted: Admission) =>
      onAccountOf(originOf(req, res, admission.caller), () => handler({ ...input, ...inputOf(admitted) }));
    // Judges again itself, whenever it has waited.
    if (isForwarding(route)) return work(admission);
    if (route.method === 'GET') {
      const answer = await work(admission);
      await rejudgeLate(db, admission);
      return answer;
    }
    const write = { admission, isRehearsal: triesOnly(req), asksOthers: asksOthers(route), res };
    return inLineOfWrites(services, write, work);
  };
}

/** The route of the operation's dry run, whose answer has a media type of its own (D121). */
function previewed(route: AppRoute): AppRoute {
  const answer = c.otherResponse({ contentType: PREVIEW_TYPE, body: Preview });
  return { ...route, responses: { ...route.responses, 200: answer } };
}

/**
 * Runs the operation's own handler with services whose writes are rolled back; one on a group in its line, which it
 * waits for before it takes a connection. Level 9 alone learns everything by it.
 */
function rehearsed(handlerOf: (services: Services) => AnyHandler, services: Services): AnyHandler {
  return async (input) => {
    const run = (admitted: Admission) =>
      rehearse(
        services,
        (tried) => handlerOf(tried)({ ...input, ...inputOf(admitted) }),
        async (tx) => {
          const caller = await rejudge(tx, admitted);
          return isAdministrator(caller.level) ? null : answersFor(caller);
        },
      );
    const { admission, params } = input;
    const { group_id } = params;
    const preview =
      group_id === undefined ? run(admission) : services.lines.groups(String(group_id), admission, run);
    return { status: 200, body: await preview };
  };
}

/** Skips the dry run's route unless the query asks for one. */
const unlessPreview: RequestHandler = (req, _res, next) => next(triesOnly(req) ? undefined : 'route');

const triesOnly = (req: Request) => FlagInQuery.safeParse(req.query.dry_run).data === true;

/** Express needs `(*)` for `/ext/{esi_path}` to match the rest of the path, slashes included (docs/rules.md, "Paths"). */
function served(route: AppRoute): AppRoute {
  return isForwarding(route) ? { ...route, path: `${route.path}(*)` } : route;
}

/**
 * Whether a route waits for the provider or the voice server, and so may have to answer that it failed; but for a login
 * URL, which can be made even then.
 */
function asksOthers(route: AppRoute): boolean {
  return 502 in route.responses || route.path === whole.token.startLogin.path;
}

function isForwarding(route: AppRoute): boolean {
  return route.path.endsWith('/:esi_path');
}
