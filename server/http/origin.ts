import type { Request, Response } from 'express';
import type { Caller } from '../access/caller.queries.ts';
import { callerAsActor, type Origin } from '../event/origin.ts';

/** Characters of a request's user agent that are stored. */
const LONGEST_AGENT = 200;

/**
 * The origin that events of this request are recorded with: the user who acts, address and user agent. Without a token
 * there is no user until the operation finds out (as a sign-in does).
 */
export function originOf(req: Request, res: Response, caller?: Caller): Partial<Origin> {
  const agent = req.headers['user-agent'];
  return {
    ...(caller && { actor: callerAsActor(caller) }),
    context: {
      request_id: String(res.getHeader('X-Request-Id')),
      address: String(res.locals.address),
      user_agent: agent?.slice(0, LONGEST_AGENT) ?? null,
    },
  };
}
