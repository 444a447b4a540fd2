import type { Response } from 'express';
import type { contract } from '../../contract/index.ts';
import type { Handlers } from '../http/mount.ts';
import { budgetAccountOf } from '../provider/budget-account.ts';
import type { Services } from '../services/services.ts';
import { listLocations, storeLocation } from './location.ts';
import { getMail, listMails } from './mail.ts';
import type { Page } from './page.ts';
import { listSkillPoints } from './skill-points.ts';
import { listBalances } from './wallet.ts';

export function historyHandlers(services: Services): Handlers<typeof contract.history> {
  return {
    locations: async ({ params, headers, res }) =>
      paged(res, await listLocations(services, params.character_id, headers.page)),
    mails: async ({ params, headers, res }) =>
      paged(res, await listMails(services, params.character_id, headers.page)),
    mail: async ({ caller, params }) => ({
      status: 200,
      body: await getMail(services, params.character_id, params.mail_id, budgetAccountOf(caller)),
    }),
    skillPoints: async ({ params, headers, res }) =>
      paged(res, await listSkillPoints(services, params.character_id, headers.page)),
    wallet: async ({ params, headers, res }) =>
      paged(res, await listBalances(services, params.character_id, headers.page)),
    storeLocation: async ({ caller, params }) => ({
      status: 200,
      body: await storeLocation(services, params.character_id, services.clock.now(), budgetAccountOf(caller)),
    }),
  };
}

function paged<Entry>(res: Response, { entries, pages }: Page<Entry>) {
  res.setHeader('X-Pages', pages);
  return { status: 200 as const, body: [...entries] };
}
