import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';

/** What answers a request by itself; rejects with what it could not answer. */
export type NodeListener = (req: IncomingMessage, res: ServerResponse) => Promise<void>;

/** Middleware that hands requests to such a listener. What it rejects with ends where all errors do. */
export function handTo(listener: NodeListener): RequestHandler {
  return (req, res, next) => {
    listener(req, res).catch(next);
  };
}

/**
 * Middleware for a listener that makes URLs of what a request says: it says what BASE_URL does, whatever host, scheme
 * and path a proxy, or somebody else, has made of it.
 */
export function addressedTo(baseUrl: string): RequestHandler {
  const { host, protocol, pathname } = new URL(baseUrl);
  const path = pathname.replace(/\/$/, '');
  return (req, _res, next) => {
    req.headers.host = host;
    req.headers['x-forwarded-proto'] = protocol.slice(0, -1);
    delete req.headers['x-forwarded-host'];
    req.originalUrl = path + req.url;
    next();
  };
}
