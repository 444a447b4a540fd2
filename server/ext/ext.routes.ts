import { RequestValidationError } from '@ts-rest/express';
import type { Response } from 'express';
import { type ExternalForwardAnswer, ExternalForwardRequest } from '../../contract/ext.ts';
import type { contract } from '../../contract/index.ts';
import type { Handlers } from '../http/mount.ts';
import { written } from '../http/written-body.ts';
import type { Services } from '../services/services.ts';
import { invalid } from '../shared/domain-error.ts';
import { createForward, type Forwarded } from './forward.ts';

export function extHandlers(services: Services): Handlers<typeof contract.ext> {
  const forward = createForward(services);
  return {
    forward: async ({ admission, params, body, res }) => {
      return forwarded(res, await forward({ admission, path: params.esi_path, fields: body, from: 'body' }));
    },
    forwardGet: async ({ admission, params, query, req, res }) => {
      const sent = requestOf(req.body);
      const [inQuery] = Object.keys(req.query);
      if (sent !== undefined && inQuery !== undefined) {
        throw invalid(['query', inQuery], 'The fields come in the query or in the body, not in both');
      }
      const from = sent === undefined ? 'query' : 'body';
      return forwarded(res, await forward({ admission, path: params.esi_path, fields: sent ?? query, from }));
    },
  };
}

/** What the JSON body of a GET says, as existing clients send one (D30); undefined where it has no field. */
function requestOf(body: unknown): ExternalForwardRequest | undefined {
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
  if (isObject && Object.keys(body).length === 0) return undefined;
  const parsed = ExternalForwardRequest.safeParse(body);
  if (!parsed.success) throw new RequestValidationError(null, null, null, parsed.error);
  return parsed.data;
}

/**
 * Destroys the connection when a streamed answer fails, so that the client does not take the truncated answer for
 * complete.
 */
function forwarded(res: Response, answer: Forwarded) {
  if (answer.kind === 'whole') return { status: 200 as const, body: written(res, answer.json) };
  const { stream, bytes } = answer;
  stream.once('error', () => res.destroy());
  if (res.closed) stream.destroy();
  else res.once('close', () => stream.destroy());
  res.setHeader('Content-Type', 'application/json');
  res.setHeader('Content-Length', bytes);
  // ts-rest can pipe a stream into the response, but its types do not allow one.
  return { status: 200 as const, body: stream as unknown as ExternalForwardAnswer };
}
