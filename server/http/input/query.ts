import type { RequestHandler } from 'express';
import { badlyEncoded } from './express-problem.ts';

/** Refuses a query that is not percent-encoded UTF-8 (D3): its parser replaces what it cannot decode. */
export const requireEncodedQuery: RequestHandler = ({ originalUrl }, _res, next) => {
  try {
    // With the path, which was decoded before.
    decodeURIComponent(originalUrl);
  } catch {
    return next(badlyEncoded('query'));
  }
  next();
};
