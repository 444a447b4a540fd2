import { Readable } from 'node:stream';
import type { Request, Response } from 'express';
import type { Compliance, ComplianceDay } from '../../contract/compliance.ts';
import type { Caller } from '../access/caller.queries.ts';
import type { TrackedOrganization } from '../grant/tracking.queries.ts';
import type { Services } from '../services/services.ts';
import { findDays } from './compliance.queries.ts';
import { getCompliance } from './compliance.ts';
import { daysAsTable, toTable } from './table.ts';

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
      const body = await getCompliance(services, asked.caller, asked.params);
      return { status: 200 as const, body: asWanted<Compliance>(asked, body, toTable) };
    },
    complianceDays: async (asked: Asked<Params>) => {
      const body = (await findDays(services.db, asked.params)) as ComplianceDay[];
      return { status: 200 as const, body: asWanted(asked, body, daysAsTable) };
    },
  };
}

/** A body as JSON, or as a table for whoever accepts that alone or rather. */
function asWanted<Body>(
  { req, res }: Pick<Asked<unknown>, 'req' | 'res'>,
  body: Body,
  tableOf: (body: Body) => string,
): Body {
  res.vary('Accept');
  if (req.accepts(['application/json', 'text/csv']) !== 'text/csv') return body;
  res.setHeader('Content-Type', 'text/csv; charset=utf-8');
  // ts-rest can pipe a stream into the response, but its types do not allow one.
  return Readable.from([tableOf(body)]) as unknown as Body;
}
