import type { Event } from '../../contract/event.ts';
import type { contract } from '../../contract/index.ts';
import { CSV, NDJSON, otherForm } from '../http/media-types.ts';
import type { Handlers } from '../http/mount.ts';
import { tellNextPage } from '../http/next-page.ts';
import { writtenAs } from '../http/written-body.ts';
import type { Services } from '../services/services.ts';
import { findAudit } from './audit.ts';
import { toTable } from './table.ts';

/** Renders a page in the media types besides JSON. */
const FORMS = {
  [NDJSON]: (events: readonly Event[]) => events.map((event) => `${JSON.stringify(event)}\n`).join(''),
  [CSV]: toTable,
};

export function auditHandlers(services: Services): Handlers<typeof contract.audit> {
  return {
    list: async ({ admission, query, req, res }) => {
      const { events, next } = await findAudit(services, admission, query);
      tellNextPage(res, next);
      const form = otherForm(req, res, [NDJSON, CSV]);
      const body = form === undefined ? events : writtenAs<Event[]>(res, form, FORMS[form](events));
      return { status: 200, body };
    },
  };
}
