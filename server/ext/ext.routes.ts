import { RequestValidationError } from '@ts-rest/express';
import type { Response } from 'express';
import { ExternalForwardRequest } from '../../contract/ext.ts';
import type { contract } from '../../contract/index.ts';
import { listLocations, storeLocation } from '../history/location.ts';
import { getMail, listMails } from '../history/mail.ts';
import type { Page } from '../history/page.ts';
import { listSkillPoints } from '../history/skill-points.ts';
import { listBalances } from '../history/wallet.ts';
import type { Handlers } from '../http/mount.ts';
import type { Parts } from '../parts.ts';
import { budgetOf } from '../token/budget.ts';
import { forward } from './forward.ts';

export function extHandlers(parts: Parts): Handlers<typeof contract.ext> {
  return {
    locations: async ({ params, headers, res }) =>
      paged(res, await listLocations(parts, params.character_id, headers.page)),
    mails: async ({ params, headers, res }) =>
      paged(res, await listMails(parts, params.character_id, headers.page)),
    mail: async ({ caller, params }) => ({
      status: 200,
      body: await getMail(parts, params.character_id, params.mail_id, budgetOf(caller)),
    }),
    skillPoints: async ({ params, headers, res }) =>
      paged(res, await listSkillPoints(parts, params.character_id, headers.page)),
    wallet: async ({ params, headers, res }) =>
      paged(res, await listBalances(parts, params.character_id, headers.page)),
    storeLocation: async ({ caller, params }) => ({
      status: 200,
      body: await storeLocation(parts, params.character_id, parts.clock.now(), budgetOf(caller)),
    }),
    forward: async ({ caller, params, body }) => ({
      status: 200,
      body: await forward(parts, caller, params.esi_path, body, 'body'),
    }),
    forwardGet: async ({ caller, params, query, req }) => {
      const fields = requestOf(req.body);
      return {
        status: 200,
        body: await forward(parts, caller, params.esi_path, fields ?? query, fields ? 'body' : 'query'),
      };
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
