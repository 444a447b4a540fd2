import { Readable } from 'node:stream';
import type { Request, Response } from 'express';
import type { Compliance, ComplianceDay } from '../../contract/compliance.ts';
import type { Caller } from '../access/caller.queries.ts';
import type { TrackedOrganization } from '../grant/tracking.queries.ts';
import type { Services } from '../services/services.ts';
import { findDays } from './compliance.queries.ts';
import { getCompliance } from './compliance.ts';
import { toTable } from './table.ts';

interface Asked<Params> {
  readonly caller: Caller;
  readonly params: Params;
  readonly req: Pick<Request, 'accepts'>;
  readonly res: Response;
}

/** The two operations on compliance, which corporations, alliances and coalitions have alike. */
export function complianceHandlers<Params extends TrackedOrganization>(services: Services) {
  return {
    compliance: async ({ caller, params, req, res }: Asked<Params>) => {
      const body = await getCompliance(services, caller, params);
      res.vary('Accept');
      if (req.accepts(['application/json', 'text/csv']) !== 'text/csv') return { status: 200 as const, body };
      res.setHeader('Content-Type', 'text/csv; charset=utf-8');
      // ts-rest can pipe a stream into the response, but its types do not allow one.
      return { status: 200 as const, body: Readable.from([toTable(body)]) as unknown as Compliance };
    },
    complianceDays: async ({ params }: Pick<Asked<Params>, 'params'>) => ({
      status: 200 as const,
      body: (await findDays(services.db, params)) as ComplianceDay[],
    }),
  };
}
