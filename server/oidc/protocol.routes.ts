import express, { type RequestHandler, Router } from 'express';
import { OIDC_ENDPOINTS } from '../../contract/oidc.ts';
import { onAccountOf } from '../event/origin.ts';
import { credentialLimit } from '../http/credential-rate-limit.ts';
import { PAGE_HEADERS } from '../http/html-page.ts';
import { HttpError } from '../http/http-error.ts';
import { addressedTo, handTo } from '../http/node-listener.ts';
import { originOf } from '../http/origin.ts';
import { addressWithinLimit, requireMore } from '../http/rate-limit.ts';
import type { Services } from '../services/services.ts';
import { hasBegun } from './cookies.ts';
import { createInteractions, type Interactions } from './interactions.ts';
import { errors } from './library.ts';
import { errorPage } from './pages.ts';
import { createProtocol } from './provider.ts';

const SPOKEN_WITH_PROGRAMS = ['token', 'userinfo', 'introspection', 'revocation'] as const;
const SPOKEN_WITH_BROWSERS = ['authorization', 'resume', 'logout', 'confirmLogout', 'loggedOut'] as const;
const STATUS = { page: 200, refusal: 403, fault: 400 } as const;
/** Maximum size of a form in bytes. */
const MOST_BYTES = 56 * 1024;
/** Characters of a query for the authorization or the logout, and of one of its parameters: as many as a redirect URI has. */
const LONGEST_QUERY = 8_000;
const LONGEST_VALUE = 2_000;
/** Endpoints whose query the library stores for an hour, so that it has to be bounded. */
const STORED: ReadonlySet<string> = new Set(['authorization', 'logout']);
/** Characters of such a query from which on each {@link PER_REQUEST} count as one more request (D60). */
const USUAL = 1024;
const PER_REQUEST = 512;

/** Routes of OpenID Connect: the library's endpoints and the steps of interactions (D80). */
export function oidcProtocol(services: Services): Router {
  const { settings } = services;
  const { provider, speak } = createProtocol(services);
  const interactions = createInteractions(services, provider);
  const addressed = addressedTo(settings.baseUrl);
  const front = [noReading, addressWithinLimit(services), addressed];
  const byLength = chargeLength(services);
  const begunHere = inItsBrowser(services);
  const { count, judge } = credentialLimit(services);
  const router = Router({ caseSensitive: true });
  for (const { path, methods } of Object.values(OIDC_ENDPOINTS)) {
    for (const method of methods) router[verbOf(method)](path, labelled(path));
  }
  for (const name of ['authorization', 'logout'] as const) {
    const { path } = OIDC_ENDPOINTS[name];
    router.post(
      path,
      ...front,
      express.urlencoded({ extended: false, limit: MOST_BYTES }),
      (req, res, next) => {
        const query = String(queryOf(req.body));
        // Here already: servers and proxies refuse a long Location or request line in their own way.
        const refusal = refusalOf(query);
        if (refusal !== undefined) return next(refusal);
        res.redirect(303, `${settings.baseUrl}${path}?${query}`);
      },
    );
  }
  router.get(OIDC_ENDPOINTS.discovery.path, ...front, inJson, handTo(speak));
  const judged = handTo((req, res) => speak(req, res, judge));
  for (const name of SPOKEN_WITH_PROGRAMS) {
    const { path, methods } = OIDC_ENDPOINTS[name];
    for (const method of methods) router[verbOf(method)](path, count, addressed, inJson, judged);
  }
  for (const name of SPOKEN_WITH_BROWSERS) {
    const { path, methods } = OIDC_ENDPOINTS[name];
    const before = [
      ...front,
      ...(STORED.has(name) ? [storableQuery, byLength] : []),
      ...(name === 'resume' ? [begunHere] : []),
    ];
    for (const method of methods) router[verbOf(method)](path, ...before, handTo(speak));
  }
  const steps: Readonly<Record<keyof Interactions, keyof typeof OIDC_ENDPOINTS>> = {
    begin: 'interaction',
    login: 'login',
    again: 'again',
    deny: 'deny',
    consent: 'consent',
  };
  for (const [step, name] of Object.entries(steps) as [keyof Interactions, keyof typeof OIDC_ENDPOINTS][]) {
    const { path, methods } = OIDC_ENDPOINTS[name];
    for (const method of methods)
      router[verbOf(method)](path, ...front, begunHere, taking(interactions[step]));
  }
  return router;
}

function verbOf(method: 'GET' | 'POST'): 'get' | 'post' {
  return method === 'GET' ? 'get' : 'post';
}

/** The request metrics use the endpoint's template as a label, not the actual path. */
function labelled(path: string): RequestHandler {
  return (_req, res, next) => {
    res.locals.route = path;
    next();
  };
}

/** Link previews send HEAD; that must neither begin nor end an interaction. */
const noReading: RequestHandler = (req, _res, next) => {
  if (req.method === 'HEAD' && req.path !== OIDC_ENDPOINTS.discovery.path) next('router');
  else next();
};

/** Counts a long query as several requests, before anything is stored of it. */
function chargeLength(services: Services): RequestHandler {
  return (req, res, next) => {
    const more = Math.ceil((req.originalUrl.length - USUAL) / PER_REQUEST);
    requireMore(services, res, 'address', more).then(() => next(), next);
  };
}

/** Lets an interaction go on, and end, only in the browser that began it (D82). */
function inItsBrowser({ settings }: Pick<Services, 'settings'>): RequestHandler {
  return (req, res, next) => {
    if (hasBegun(settings, String(req.params.uid), req.headers.cookie)) return next();
    const lost = new errors.SessionNotFound('another browser');
    res.set(PAGE_HEADERS).status(STATUS.fault).send(errorPage(lost, lost));
  };
}

/**
 * Errors, too, are JSON for programs (RFC 6749, 5.2). The library sends a page to those that name HTML first among what
 * they accept, as Java's own client does.
 */
const inJson: RequestHandler = (req, _res, next) => {
  req.headers.accept = 'application/json';
  next();
};

/** Bounds the query before the library stores it, which needs no credential. PostgreSQL cannot store U+0000. */
const storableQuery: RequestHandler = (req, _res, next) => {
  const at = req.originalUrl.indexOf('?');
  next(refusalOf(at < 0 ? '' : req.originalUrl.slice(at + 1)));
};

function refusalOf(query: string): HttpError | undefined {
  const fault = faultOf(query);
  return fault === undefined ? undefined : new HttpError('invalid_request', fault, { status: 400 });
}

function faultOf(query: string): string | undefined {
  if (query.length > LONGEST_QUERY) return `The query has more than ${LONGEST_QUERY} characters.`;
  for (const [name, value] of new URLSearchParams(query)) {
    // Our own ID tokens may be longer, as they repeat what an application has sent as nonce.
    if (value.length > LONGEST_VALUE && name !== 'id_token_hint')
      return `The parameter ${name} has more than ${LONGEST_VALUE} characters.`;
    if (value.includes('\0')) return `The parameter ${name} contains U+0000.`;
  }
  return undefined;
}

/**
 * Converts an authorization request by POST, which the standard allows, to a GET: our cookies are SameSite=Lax and sent
 * with a GET only.
 */
function queryOf(body: Readonly<Record<string, string | readonly string[]>>): URLSearchParams {
  return new URLSearchParams(
    Object.entries(body).flatMap(([name, value]) =>
      [value].flat().map((one): [string, string] => [name, one]),
    ),
  );
}

function taking(step: Interactions[keyof Interactions]): RequestHandler {
  return (req, res, next) => {
    onAccountOf(originOf(req, res), () => step({ req, res, uid: String(req.params.uid) }))
      .then((answer) => {
        if ('redirectTo' in answer) {
          if (answer.cookies !== undefined) res.append('Set-Cookie', [...answer.cookies]);
          res.set({ 'Referrer-Policy': 'no-referrer' }).redirect(303, answer.redirectTo);
          return;
        }
        res.set(PAGE_HEADERS);
        if (answer.policy !== undefined) res.set('Content-Security-Policy', answer.policy);
        res.status(STATUS[answer.is]).send(answer.html);
      })
      .catch(next);
  };
}
