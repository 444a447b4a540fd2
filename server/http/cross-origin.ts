import type { IncomingMessage, ServerResponse } from 'node:http';
import cors from 'cors';

type Handle = (req: IncomingMessage, res: ServerResponse, next: () => void) => void;

/** The headers that scripts can read. */
const EXPOSED = [
  'X-Pages',
  'X-Next',
  'Castellan-Position',
  'X-Request-Id',
  'X-Api-Version',
  'Retry-After',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'RateLimit-Policy',
  // Why an access token is refused, as RFC 6750 says it.
  'WWW-Authenticate',
];

/** The headers that scripts can send. With one that is not here, such as those that tracing adds, no request is sent. */
const ACCEPTED = ['Authorization', 'Content-Type', 'Page', 'X-Request-Id', 'traceparent', 'tracestate'];

/**
 * CORS headers of answers to what is not readable as HTTP. There are none with CORS_ORIGINS: which of these is allowed
 * depends on the request's origin, and that was not read.
 */
export function unreadCrossOrigin(origins: readonly string[] | undefined): readonly string[] {
  if (origins !== undefined) return [];
  return ['Access-Control-Allow-Origin: *', `Access-Control-Expose-Headers: ${EXPOSED.join(',')}`];
}

/**
 * CORS headers, and answers to preflights: every origin is allowed by default, because tokens are sent in a header and
 * never in cookies (D62).
 */
export function crossOrigin(origins: readonly string[] | undefined): Handle {
  return cors({
    origin: origins === undefined ? '*' : [...origins],
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
    allowedHeaders: ACCEPTED,
    exposedHeaders: EXPOSED,
    maxAge: 600,
  }) as Handle;
}
