import { randomBytes } from 'node:crypto';
import { RequestValidationError } from '@ts-rest/express';
import { type Request, type Response, Router } from 'express';
import { type PostLogin, tokenRoutes } from '../../contract/token.ts';
import { HttpError, methodNotAllowed } from '../http/http-error.ts';
import { readBody } from '../http/input/body.ts';
import { validator } from '../http/input/validator.ts';
import { withinLimit } from '../http/rate-limit.ts';
import type { Services } from '../services/services.ts';
import { startLogin, unknownStateCode } from '../sign-in/start-login.ts';
import { isInvitation } from '../sign-in/state-code.queries.ts';
import { type ConsoleBuild, type ConsoleFile, readConsoleBuild } from './build.ts';
import { consoleApplication, SIGNED_IN_PATH } from './console-token.ts';

/** Path prefix of the console; browsers are redirected to it from `/`. */
const PATH = '/console/';
const SIGN_IN_PATH = '/console/sign-in';
const MOST_BYTES = 32 * 1024;

/**
 * The routers of the web console by path prefix (D130); empty when it is disabled or not built, so that these paths are
 * unknown.
 */
export function consoleRouters(services: Services, folder: string | undefined): [string, Router][] {
  if (!services.settings.console) return [];
  if (folder === undefined) {
    // In production it was meant to be there, and was left behind when `dist` was copied.
    const level = services.settings.production ? 'warn' : 'info';
    services.log[level]('the console is not built (npm run build:console), so there is none');
    return [];
  }
  const prefix = new URL(services.settings.baseUrl).pathname.replace(/\/$/, '');
  return [
    ['', entrance(prefix)],
    ['console', consoleRouter(services, readConsoleBuild(folder, prefix))],
  ];
}

/** Redirects browsers from `/`; other clients get a 404. */
function entrance(prefix: string): Router {
  const router = Router();
  router.get('/', (req, res, next) => {
    if (req.accepts(['json', 'html']) !== 'html') return next();
    res.set('Location', `${prefix}${PATH}`).vary('Accept');
    res.status(302).end();
  });
  return router;
}

function consoleRouter(services: Services, build: ConsoleBuild): Router {
  const router = Router({ caseSensitive: true });
  router.use((_req, res, next) => {
    // One label of the metrics for all files and pages.
    res.locals.route = `${PATH}*`;
    next();
  });
  const limited = withinLimit(services);
  const { body: schema } = tokenRoutes.startLogin;
  const check = validator(schema, { noun: 'field' });
  router.post(SIGN_IN_PATH, limited, ...readBody(schema, MOST_BYTES), (req, res, next) => {
    const checked = check.safeParse(req.body);
    if (!checked.success) return next(new RequestValidationError(null, null, null, checked.error));
    begin(services, checked.data as PostLogin).then((login) => res.json(login), next);
  });
  router.get(SIGNED_IN_PATH, (req, res, next) => {
    // Ignores the service's own call of the callback (D29): the session begins in the browser that began the sign-in.
    if (req.headers['castellan-event'] === undefined) return next();
    res.status(204).end();
  });
  router.get(`${PATH}*`, (req, res, next) => {
    const path = req.path.slice(PATH.length);
    const file = build.file(path);
    if (file !== undefined) return sendFile(req, res, file);
    if (path.startsWith('assets/')) return next();
    limited(req, res, (error?: unknown) => (error === undefined ? sendPage(res, build) : next(error)));
  });
  router.all(SIGN_IN_PATH, (_req, _res, next) => next(methodNotAllowed(['GET', 'HEAD', 'POST'])));
  router.get('/console', (_req, res) => res.redirect(301, `.${PATH}`));
  router.all([PATH, `${PATH}*`], (req, _res, next) => {
    const known = ['GET', 'HEAD'].includes(req.method);
    next(known ? new HttpError('path_unknown', 'There is no such file.') : methodNotAllowed(['GET', 'HEAD']));
  });
  return router;
}

/**
 * A code that is sent along has to be an invitation: whoever began a sign-in knows its state, and a browser that took it
 * over by a link to the invitation page could be signed in as somebody else.
 */
async function begin(services: Services, request: PostLogin) {
  const { state_code } = request;
  if (state_code != null && !(await isInvitation(services.db, state_code)))
    throw unknownStateCode(state_code);
  return startLogin(services, await consoleApplication(services), request);
}

function sendFile(req: Request, res: Response, file: ConsoleFile): void {
  res.set({
    'Content-Type': file.type,
    'Cache-Control': file.immutable ? 'public, max-age=31536000, immutable' : 'public, max-age=86400',
  });
  res.vary('Accept-Encoding');
  // Not the browser's favourite: those that take Brotli name gzip first.
  const best = file.compressed.find(({ coding }) => req.acceptsEncodings(coding) === coding);
  if (best !== undefined) res.set('Content-Encoding', best.coding);
  const content = best?.content ?? file.plain;
  res.set('Content-Length', String(content.length)).end(content);
}

/** Sends the page with a policy that allows only its own scripts and styles, and requests to this service only. */
function sendPage(res: Response, build: ConsoleBuild): void {
  const nonce = randomBytes(16).toString('base64');
  res.set({
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': [
      "default-src 'none'",
      `script-src 'nonce-${nonce}' 'strict-dynamic'`,
      `style-src 'self' 'nonce-${nonce}'`,
      "img-src 'self' data:",
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Referrer-Policy': 'no-referrer',
  });
  res.end(build.page(nonce));
}
