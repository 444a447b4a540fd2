import { randomUUID } from 'node:crypto';
import type { Attributes } from '@opentelemetry/api';
import express, { type Express, type Request, type RequestHandler, type Response } from 'express';
import { API_VERSION } from '../../contract/version.ts';
import { redactText } from '../observability/redact.ts';
import type { Services } from '../services/services.ts';
import { startRequest, type TraceContext } from '../tracing/tracing.ts';
import { crossOrigin, unreadCrossOrigin } from './cross-origin.ts';
import { answerErrors, type StoreCrash } from './error-answers.ts';
import { isForPeople } from './html-page.ts';
import { HttpError, methodNotAllowed } from './http-error.ts';
import { createMessageClasses, dress, type Listener, type MessageClasses } from './message-classes.ts';
import { allowedMethods } from './methods.ts';
import { ownHost } from './own-host.ts';
import { callerWithinLimit, clientAddress, withinLimit } from './rate-limit.ts';
import { refusalLog } from './refusal-log.ts';
import { serviceRoutes } from './service-paths.ts';

/**
 * The whole HTTP service: every middleware, in the order in which a request meets it.
 *
 * @param routers by the one or two segments that the paths of the resource begin with
 */
export function createHttp(
  services: Services,
  routers: ReadonlyMap<string, RequestHandler>,
  storeCrash: StoreCrash,
  messages: MessageClasses = createMessageClasses(),
): Express & Listener {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', 'simple');
  app.set('trust proxy', [...services.settings.trustedProxies]);
  app.response.json = endWithJson;
  app.use(identify(services));
  if (!services.settings.production) app.use(ownHost(services.settings.baseUrl));
  app.use(forScripts(services));
  app.use(byResource(routers, services));
  app.use(serviceRoutes(services));
  app.use(withinLimit(services), nothingHere);
  app.use(answerErrors(services, storeCrash));
  dress(app, messages);
  return Object.assign(app, {
    messages,
    unreadHeaders: unreadCrossOrigin(services.settings.corsOrigins),
    noteRefusal: refusalLog(services.log),
  });
}

/**
 * Selects the resource's router by the beginning of the path, so that a request does not walk the routes of all
 * resources.
 */
function byResource(routers: ReadonlyMap<string, RequestHandler>, services: Services): RequestHandler {
  const limited = withinLimit(services);
  return (req, res, next) => {
    const [, first = '', second] = req.path.split('/', 3);
    const router = routers.get(`${first}/${second}`) ?? routers.get(first);
    const fault = pathFault(req.path);
    if (router === undefined)
      return fault === undefined ? next() : limited(req, res, (error) => next(error ?? fault));
    if (fault === undefined) return router(req, res, next);
    // Express rejects a malformed path before any handler runs, but the token is to be checked first (D6).
    callerWithinLimit(services, req, res).then(() => next(fault), next);
  };
}

/** The error that Express would raise for this path, if any. */
function pathFault(path: string): unknown {
  try {
    decodeURIComponent(path);
    return undefined;
  } catch (error) {
    return error;
  }
}

/** Replaces Express's `res.json`, which looks up replacers, escapes and computes an ETag; a ready buffer is faster. */
const endWithJson: Express['response']['json'] = function (this: Express['response'], body) {
  // The graceful stop has answered this request with 503 meanwhile.
  if (this.writableEnded) return this;
  const buffer = Buffer.from(JSON.stringify(body));
  if (!this.hasHeader('Content-Type')) this.setHeader('Content-Type', 'application/json');
  this.setHeader('Content-Length', buffer.length);
  this.end(buffer);
  return this;
};

/** Metrics label for unknown paths: clients could invent any number of them. */
const UNKNOWN_ROUTE = 'none';

const REQUEST_ID = /^[\w-]{1,64}$/;
/** Characters of a path that are logged: a client may send up to 16 KiB in each request. */
const LOGGED_PATH = 500;

/**
 * Gives each request an id (D2), forbids caching, measures its duration and logs its outcome, without query string and
 * headers.
 */
function identify({ log, metrics }: Services): RequestHandler {
  return (req, res, next) =>
    startRequest(traceOf(req), (span) => {
      metrics.httpInProgress.inc();
      res.locals.traceparent = span?.traceparent;
      const given = req.headers['x-request-id'];
      const id = typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
      const started = performance.now();
      // Read now, because after a disconnect the socket has no remote address any more.
      const address = clientAddress(req);
      res.locals.address = address;
      res.setHeader('X-Request-Id', id);
      res.setHeader('X-Api-Version', API_VERSION);
      res.setHeader('X-Content-Type-Options', 'nosniff');
      res.setHeader('Cache-Control', 'no-store');
      // Stored here, because a mounted router sees `req.path` without its own prefix.
      const { path } = req;
      res.once('close', () => {
        const took = performance.now() - started;
        const { method } = req;
        const status = statusSent(res);
        metrics.httpInProgress.dec();
        const route = (res.locals.route as string | undefined) ?? UNKNOWN_ROUTE;
        metrics.httpDuration.observe({ method, route, status: String(status ?? 'none') }, took / 1000);
        span?.end(`${method} ${route}`, attributesOf({ method, route, status, id }), (status ?? 0) >= 500);
        const milliseconds = Math.round(took * 10) / 10;
        log.info(
          {
            ...(span && { trace_id: span.traceId }),
            request_id: id,
            address,
            method,
            path: redactText(path).slice(0, LOGGED_PATH),
            status,
            ...(!res.writableFinished && { aborted: true }),
            milliseconds,
          },
          'request',
        );
      });
      next();
    });
}

/** The trace context that the client sent in `traceparent`, or a new one if that is missing or invalid. */
function traceOf({ headers }: Request): TraceContext {
  const { traceparent } = headers;
  return typeof traceparent === 'string' ? { traceparent } : {};
}

/** The status that the client got; null when the connection ended before. */
function statusSent(res: Response): number | null {
  if (res.headersSent) return res.statusCode;
  return (res.locals['refusedWith'] as number | undefined) ?? null;
}

function attributesOf(of: { method: string; route: string; status: number | null; id: string }): Attributes {
  return {
    'http.request.method': of.method,
    'http.route': of.route,
    ...(of.status !== null && { 'http.response.status_code': of.status }),
    'castellan.request_id': of.id,
  };
}

/** Not on the paths that browsers are redirected to, where no script has any business (RFC 9700, 2.6). */
function forScripts(services: Services): RequestHandler {
  const allow = crossOrigin(services.settings.corsOrigins);
  const count = withinLimit(services);
  return (req, res, next) => {
    if (!isForPeople(req.path)) return allow(req, res, next);
    if (req.method !== 'OPTIONS') return next();
    // Else Express answers it, and names a HEAD that there is not.
    count(req, res, (error?: unknown) => (error === undefined ? nothingHere(req, res, next) : next(error)));
  };
}

/** Unknown path: 404. Known path, wrong method: 405 with `Allow` (D3). */
const nothingHere: RequestHandler = (req, _res, next) => {
  const allowed = allowedMethods(req.path);
  next(
    allowed.length === 0
      ? new HttpError('path_unknown', 'There is nothing at this path.')
      : methodNotAllowed(allowed),
  );
};
