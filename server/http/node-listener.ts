import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';

/** An asynchronous request listener; it rejects with the error that it could not answer. */
export type NodeListener = (req: IncomingMessage, res: ServerResponse) => Promise<void>;

/** Middleware that calls such a listener. Its errors go to the Express error handler. */
export function handTo(listener: NodeListener): RequestHandler {
  return (req, res, next) => {
    listener(req, res).catch(next);
  };
}

/** Scheme and host of a request line in absolute form (RFC 9112, 3.2.2). A path is left of what the router let through. */
const ORIGIN = /^[a-z]+:\/\/[^/\\?#]*/i;

/**
 * Middleware for a listener that derives URLs from the request. It sets host, scheme and path as in BASE_URL, whatever
 * a proxy or an attacker has put into the headers or the request line.
 */
export function addressedTo(baseUrl: string): RequestHandler {
  const { host, protocol, pathname } = new URL(baseUrl);
  const path = pathname.replace(/\/$/, '');
  return (req, _res, next) => {
    req.headers.host = host;
    req.headers['x-forwarded-proto'] = protocol.slice(0, -1);
    delete req.headers['x-forwarded-host'];
    req.url = req.url.replace(ORIGIN, '');
    req.originalUrl = path + req.url;
    next();
  };
}
