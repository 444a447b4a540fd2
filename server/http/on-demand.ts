import type { RequestHandler } from 'express';
import { once } from '../shared/once.ts';

/** A handler that is loaded for its first request, so that starts do not wait for it. */
export function onDemand(load: () => Promise<RequestHandler>): RequestHandler {
  const loaded = once(load);
  return (req, res, next) => {
    loaded()
      .then((handle) => handle(req, res, next))
      .catch(next);
  };
}
