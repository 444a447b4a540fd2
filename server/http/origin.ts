import type { Request, Response } from 'express';
import type { Caller } from '../access/caller.queries.ts';
import { callerAsActor, type Origin } from '../event/origin.ts';

/** The longest user agent that is kept of a request. */
const LONGEST_AGENT = 200;

/** On whose account a request is, and from where it came; of one without a token nobody's, until it is known whose. */
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
