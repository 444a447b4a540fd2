import type { IncomingMessage, ServerResponse } from 'node:http';
import cors from 'cors';

type Handle = (req: IncomingMessage, res: ServerResponse, next: () => void) => void;

/**
 * CORS headers, and answers to preflights: every origin is allowed by default, because tokens are sent in a header and
 * never in cookies (D62).
 */
export function crossOrigin(origins: readonly string[] | undefined): Handle {
  return cors({
    origin: origins === undefined ? '*' : [...origins],
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
    allowedHeaders: ['Authorization', 'Content-Type', 'Page'],
    exposedHeaders: [
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
    ],
    maxAge: 600,
  }) as Handle;
}
