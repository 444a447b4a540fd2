import { RequestValidationError } from '@ts-rest/express';
import type { Response } from 'express';
import { type ExternalForwardAnswer, ExternalForwardRequest } from '../../contract/ext.ts';
import type { contract } from '../../contract/index.ts';
import { listLocations, storeLocation } from '../history/location.ts';
import { getMail, listMails } from '../history/mail.ts';
import type { Page } from '../history/page.ts';
import { listSkillPoints } from '../history/skill-points.ts';
import { listBalances } from '../history/wallet.ts';
import type { Handlers } from '../http/mount.ts';
import { purseOf } from '../provider/purse.ts';
import type { Services } from '../services/services.ts';
import { DomainError } from '../shared/errors.ts';
import { createForward, type Forwarded } from './forward.ts';

export function extHandlers(services: Services): Handlers<typeof contract.ext> {
  const forward = createForward(services);
  return {
    locations: async ({ params, headers, res }) =>
      paged(res, await listLocations(services, params.character_id, headers.page)),
    mails: async ({ params, headers, res }) =>
      paged(res, await listMails(services, params.character_id, headers.page)),
    mail: async ({ caller, params }) => ({
      status: 200,
      body: await getMail(services, params.character_id, params.mail_id, purseOf(caller)),
    }),
    skillPoints: async ({ params, headers, res }) =>
      paged(res, await listSkillPoints(services, params.character_id, headers.page)),
    wallet: async ({ params, headers, res }) =>
      paged(res, await listBalances(services, params.character_id, headers.page)),
    storeLocation: async ({ caller, params }) => ({
      status: 200,
      body: await storeLocation(services, params.character_id, services.clock.now(), purseOf(caller)),
    }),
    forward: async ({ caller, params, body, res }) => {
      const request = { caller, path: params.esi_path, fields: body, from: 'body' } as const;
      return forwarded(res, await forward({ ...request, gone: () => goneWith(res) }));
    },
    forwardGet: async ({ caller, params, query, req, res }) => {
      const sent = requestOf(req.body);
      const from = sent === undefined ? 'query' : 'body';
      const request = { caller, path: params.esi_path, fields: sent ?? query, from } as const;
      return forwarded(res, await forward({ ...request, gone: () => goneWith(res) }));
    },
  };
}

function paged<Entry>(res: Response, { entries, pages }: Page<Entry>) {
  res.setHeader('X-Pages', pages);
  return { status: 200 as const, body: [...entries] };
}

/** A GET's JSON body with any field in it stands in place of the query: existing clients send one (D30). */
function requestOf(body: unknown): ExternalForwardRequest | undefined {
  if (typeof body === 'object' && body !== null && Object.keys(body).length === 0) return undefined;
  const parsed = ExternalForwardRequest.safeParse(body);
  if (!parsed.success) throw new RequestValidationError(null, null, null, parsed.error);
  return parsed.data;
}

/** Aborted when the connection closes; nobody is left to read why. */
function goneWith(res: Response): AbortSignal {
  const gone = new AbortController();
  const abort = () => gone.abort(new DomainError('forwarding_busy', 'The client went away.'));
  if (res.closed) abort();
  else res.once('close', abort);
  return gone.signal;
}

/** An answer that breaks off takes its connection along: what came of it must not look whole. */
function forwarded(res: Response, answer: Forwarded) {
  if (answer.kind === 'whole') return { status: 200 as const, body: answer.body };
  const { stream, bytes } = answer;
  stream.once('error', () => res.destroy());
  if (res.closed) stream.destroy();
  else res.once('close', () => stream.destroy());
  res.setHeader('Content-Type', 'application/json; charset=utf-8');
  res.setHeader('Content-Length', bytes);
  // ts-rest pipes a stream into the response, which its types do not know of.
  return { status: 200 as const, body: stream as unknown as ExternalForwardAnswer };
}
