import { Readable } from 'node:stream';
import type { Request, Response } from 'express';
import type { Compliance, ComplianceDay } from '../../contract/compliance.ts';
import type { Caller } from '../access/caller.queries.ts';
import type { TrackedOrganization } from '../grant/tracking.queries.ts';
import { written } from '../http/send-json.ts';
import type { Services } from '../services/services.ts';
import { findDays } from './compliance.queries.ts';
import { getCompliance } from './compliance.ts';
import { daysAsTable, toJson, toTable } from './table.ts';

interface Asked<Params> {
  readonly caller: Caller;
  readonly params: Params;
  readonly req: Pick<Request, 'accepts'>;
  readonly res: Response;
}

/** The two operations on compliance, which corporations, alliances and coalitions have alike. */
export function complianceHandlers<Params extends TrackedOrganization>(services: Services) {
  return {
    compliance: async (asked: Asked<Params>) => {
      const { caller, params, res } = asked;
      const compliance = await getCompliance(services, caller, params);
      const body = wantsTable(asked)
        ? table<Compliance>(res, await toTable(compliance))
        : written(res, await toJson(compliance));
      return { status: 200 as const, body };
    },
    complianceDays: async (asked: Asked<Params>) => {
      const days = (await findDays(services.db, asked.params)) as ComplianceDay[];
      const body = wantsTable(asked) ? table<ComplianceDay[]>(asked.res, daysAsTable(days)) : days;
      return { status: 200 as const, body };
    },
  };
}

/** Whether the caller accepts a table alone, or rather than JSON. */
function wantsTable({ req, res }: Pick<Asked<unknown>, 'req' | 'res'>): boolean {
  res.vary('Accept');
  return req.accepts(['application/json', 'text/csv']) === 'text/csv';
}

function table<Body>(res: Response, text: string): Body {
  res.setHeader('Content-Type', 'text/csv; charset=utf-8');
  // ts-rest can pipe a stream into the response, but its types do not allow one.
  return Readable.from([text]) as unknown as Body;
}
