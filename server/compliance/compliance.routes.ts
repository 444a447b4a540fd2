import type { Request, Response } from 'express';
import type { Compliance, ComplianceDay } from '../../contract/compliance.ts';
import type { Admission } from '../access/admission.ts';
import { lineKeyOf } from '../access/lines.ts';
import type { TrackedOrganization } from '../grant/tracking.queries.ts';
import { CSV, otherForm } from '../http/media-types.ts';
import { written, writtenAs } from '../http/written-body.ts';
import type { Services } from '../services/services.ts';
import { findDays } from './compliance.queries.ts';
import { getCompliance } from './compliance.ts';
import { daysAsTable, toJson, toTable } from './table.ts';

interface Asked<Params> {
  readonly admission: Admission;
  readonly params: Params;
  readonly req: Pick<Request, 'accepts'>;
  readonly res: Response;
}

/** The two operations on compliance, which corporations, alliances and coalitions have alike. */
export function complianceHandlers<Params extends TrackedOrganization>(services: Services) {
  return {
    compliance: async (asked: Asked<Params>) => {
      const { admission, params, res } = asked;
      const asTable = wantsTable(asked);
      const read = async ({ caller }: Admission) => {
        const compliance = await getCompliance(services, caller, params);
        return asTable
          ? writtenAs<Compliance>(res, CSV, await toTable(compliance))
          : written(res, await toJson(compliance));
      };
      const body = await services.lines.compliance(lineKeyOf(admission.caller), admission, read);
      return { status: 200 as const, body };
    },
    complianceDays: async (asked: Asked<Params>) => {
      const days = (await findDays(services.db, asked.params)) as ComplianceDay[];
      const body = wantsTable(asked) ? writtenAs<ComplianceDay[]>(asked.res, CSV, daysAsTable(days)) : days;
      return { status: 200 as const, body };
    },
  };
}

const wantsTable = ({ req, res }: Pick<Asked<unknown>, 'req' | 'res'>) => otherForm(req, res, [CSV]) === CSV;
