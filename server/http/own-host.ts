import type { RequestHandler } from 'express';
import { isLoopback } from '../config/settings.ts';
import { HttpError } from './http-error.ts';

const HOST = /^(?:\[([\da-f:.]+)\]|([^\s:[\]]+?)\.?)(?::\d*)?$/i;

/**
 * Whether a Host header names this machine (a loopback name or address) or the host of BASE_URL. In a DNS rebinding
 * attack the header has the attacker's host name, which resolves to this machine.
 */
export function isOwnHost(header: string | undefined, baseUrl?: string): boolean {
  const [, six, name = six] = HOST.exec(header ?? '') ?? [];
  if (name === undefined) return false;
  const host = name.toLowerCase();
  if (isLoopback(host) || host.endsWith('.localhost')) return true;
  return baseUrl !== undefined && host === new URL(baseUrl).hostname.replace(/^\[|\]$/g, '');
}

/**
 * Middleware for development, where only this machine may use the service. Production has proxies that may send any
 * Host header.
 */
export function ownHost(baseUrl: string): RequestHandler {
  return (req, _res, next) => {
    if (isOwnHost(req.headers.host, baseUrl)) return next();
    const detail = `Outside production only the hosts localhost and ${new URL(baseUrl).hostname} are answered (BASE_URL names the latter).`;
    next(new HttpError('host_unknown', detail));
  };
}
