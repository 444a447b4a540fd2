import express, { type RequestHandler, Router } from 'express';
import { OIDC_ENDPOINTS } from '../../contract/oidc.ts';
import { addressedTo, handTo } from '../http/node-listener.ts';
import { PAGE_HEADERS } from '../http/page.ts';
import { withinLimit } from '../http/within-limit.ts';
import type { Services } from '../services/services.ts';
import { createInteractions, type Interactions } from './interactions.ts';
import { createProtocol } from './provider.ts';

const SPOKEN = ['discovery', 'resume', 'token', 'userinfo', 'introspection', 'revocation'] as const;
const SPOKEN_WITH_BROWSERS = ['authorization', 'logout', 'confirmLogout', 'loggedOut'] as const;
const STATUS = { page: 200, refusal: 403, fault: 400 } as const;
/** Maximum size of a form in bytes. */
const MOST_BYTES = 56 * 1024;

/** Routes of OpenID Connect: the library's endpoints and the steps of interactions (D80). */
export function oidcProtocol(services: Services): Router {
  const { settings } = services;
  const { provider, speak } = createProtocol(services);
  const interactions = createInteractions(services, provider);
  const front = [noReading, withinLimit(services), addressedTo(settings.baseUrl)];
  const router = Router({ caseSensitive: true });
  for (const name of ['authorization', 'logout'] as const) {
    const { path } = OIDC_ENDPOINTS[name];
    router.post(path, ...front, express.urlencoded({ extended: false, limit: MOST_BYTES }), (req, res) => {
      res.redirect(303, `${settings.baseUrl}${path}?${queryOf(req.body)}`);
    });
  }
  for (const name of [...SPOKEN, ...SPOKEN_WITH_BROWSERS]) {
    const { path, methods } = OIDC_ENDPOINTS[name];
    for (const method of methods) router[verbOf(method)](path, ...front, handTo(speak));
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
    for (const method of methods) router[verbOf(method)](path, ...front, taking(interactions[step]));
  }
  return router;
}

function verbOf(method: 'GET' | 'POST'): 'get' | 'post' {
  return method === 'GET' ? 'get' : 'post';
}

/** Link previews send HEAD; that must neither begin nor end an interaction. */
const noReading: RequestHandler = (req, _res, next) => {
  if (req.method === 'HEAD' && req.path !== OIDC_ENDPOINTS.discovery.path) next('router');
  else next();
};

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
    step({ req, res, uid: String(req.params.uid) })
      .then((answer) => {
        if ('redirectTo' in answer) {
          if (answer.cookie !== undefined) res.append('Set-Cookie', answer.cookie);
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
