import type { RequestHandler } from 'express';
import { once } from '../shared/once.ts';

/** Milliseconds from the start after which it is loaded in any case. */
const AT_LATEST = 1_000;

/**
 * A handler that is loaded for its first request, so that starts do not wait for it, or shortly after the start: Node
 * does not try again to load a module, and later a process may have no descriptor left.
 */
export function onDemand(load: () => Promise<RequestHandler>): RequestHandler {
  const loaded = once(load);
  // A failure is the answer to the first request.
  setTimeout(() => loaded().catch(() => undefined), AT_LATEST).unref();
  return (req, res, next) => {
    loaded()
      .then((handle) => handle(req, res, next))
      .catch(next);
  };
}
