import { Readable } from 'node:stream';
import type { Event } from '../../contract/event.ts';
import type { contract } from '../../contract/index.ts';
import type { Handlers } from '../http/mount.ts';
import type { Services } from '../services/services.ts';
import { findAudit } from './audit.ts';
import { toTable } from './table.ts';

const JSON_TYPE = 'application/json';

/** How a page looks in the media types that it can be had in besides JSON. */
const FORMS: Readonly<Record<string, (events: readonly Event[]) => string>> = {
  'application/x-ndjson': (events) => events.map((event) => `${JSON.stringify(event)}\n`).join(''),
  'text/csv': toTable,
};

export function auditHandlers(services: Services): Handlers<typeof contract.audit> {
  return {
    list: async ({ caller, query, req, res }) => {
      const { events, next } = await findAudit(services, caller, query);
      if (next !== undefined) res.setHeader('X-Next', next);
      const wanted = req.accepts([JSON_TYPE, ...Object.keys(FORMS)]) || JSON_TYPE;
      const form = FORMS[wanted];
      res.vary('Accept');
      if (form === undefined) return { status: 200, body: events };
      res.setHeader('Content-Type', `${wanted}; charset=utf-8`);
      // ts-rest pipes a stream into the response, which its types do not know of.
      return { status: 200, body: Readable.from([form(events)]) as unknown as Event[] };
    },
  };
}
