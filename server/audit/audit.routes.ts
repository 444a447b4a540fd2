import { Readable } from 'node:stream';
import type { Event } from '../../contract/event.ts';
import type { contract } from '../../contract/index.ts';
import type { Handlers } from '../http/mount.ts';
import { tellNextPage } from '../http/next-page.ts';
import type { Services } from '../services/services.ts';
import { findAudit } from './audit.ts';
import { toTable } from './table.ts';

const JSON_TYPE = 'application/json';

/** Renders a page in the media types besides JSON. */
const FORMS: Readonly<Record<string, (events: readonly Event[]) => string>> = {
  'application/x-ndjson': (events) => events.map((event) => `${JSON.stringify(event)}\n`).join(''),
  'text/csv': toTable,
};

export function auditHandlers(services: Services): Handlers<typeof contract.audit> {
  return {
    list: async ({ caller, query, req, res }) => {
      const { events, next } = await findAudit(services, caller, query);
      tellNextPage(res, next);
      const wanted = req.accepts([JSON_TYPE, ...Object.keys(FORMS)]) || JSON_TYPE;
      const form = FORMS[wanted];
      res.vary('Accept');
      if (form === undefined) return { status: 200, body: events };
      res.setHeader('Content-Type', `${wanted}; charset=utf-8`);
      // ts-rest can pipe a stream into the response, but its types do not allow one.
      return { status: 200, body: Readable.from([form(events)]) as unknown as Event[] };
    },
  };
}
