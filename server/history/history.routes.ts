import type { Response } from 'express';
import type { contract } from '../../contract/index.ts';
import type { ExtScope } from '../../contract/scopes.ts';
import { rejudge } from '../access/admission.ts';
import type { Caller } from '../access/caller.queries.ts';
import { recordUse } from '../event/record-use.ts';
import type { Handlers } from '../http/mount.ts';
import { budgetAccountOf } from '../provider/error-budget.ts';
import type { Services } from '../services/services.ts';
import { listLocations, storeLocationFor } from './location.ts';
import { getMail, listMails } from './mail.ts';
import type { Page } from './page.ts';
import { listSkillPoints } from './skill-points.ts';
import { listBalances } from './wallet.ts';

export function historyHandlers(services: Services): Handlers<typeof contract.history> {
  const { db, clock } = services;
  // Told of what was found, before it is sent: who is refused has read nothing.
  const tell = (caller: Caller, characterId: number, what: string, scope?: ExtScope) =>
    recordUse(db, 'history.read', caller, characterId, what, clock.now(), scope);
  return {
    locations: async ({ caller, params, headers, res }) => {
      const page = await listLocations(services, params.character_id, headers.page);
      await tell(caller, params.character_id, 'location');
      return paged(res, page);
    },
    mails: async ({ caller, params, headers, res }) => {
      const page = await listMails(services, params.character_id, headers.page);
      await tell(caller, params.character_id, 'mail');
      return paged(res, page);
    },
    mail: async ({ caller, params, admission }) => {
      const reader = { on: budgetAccountOf(caller), rejudge: () => rejudge(db, admission) };
      const body = await getMail(services, params.character_id, params.mail_id, reader);
      await tell(caller, params.character_id, 'mail');
      return { status: 200, body };
    },
    skillPoints: async ({ caller, params, headers, res }) => {
      const page = await listSkillPoints(services, params.character_id, headers.page);
      await tell(caller, params.character_id, 'skillpoints');
      return paged(res, page);
    },
    wallet: async ({ caller, params, headers, res }) => {
      const page = await listBalances(services, params.character_id, headers.page);
      await tell(caller, params.character_id, 'wallet');
      return paged(res, page);
    },
    storeLocation: async ({ caller, params, admission }) => {
      // Before, as for other calls on behalf of somebody: the game is asked whether or not it answers.
      await tell(caller, params.character_id, 'location', 'ext-location.read_location.v1');
      return { status: 200, body: await storeLocationFor(services, admission, params.character_id) };
    },
  };
}

function paged<Entry>(res: Response, { entries, pages }: Page<Entry>) {
  res.setHeader('X-Pages', pages);
  return { status: 200 as const, body: [...entries] };
}
