import type { contract } from '../../contract/index.ts';
import { getTracking } from '../grant/tracking.ts';
import type { Handlers } from '../http/mount.ts';
import { written } from '../http/written-body.ts';
import type { Services } from '../services/services.ts';
import { listAlliances } from './alliance.queries.ts';
import { getAlliance, registerAlliance, updateAlliance } from './alliance.ts';

export function allianceHandlers(
  services: Services,
): Omit<Handlers<typeof contract.alliance>, 'compliance' | 'complianceDays'> {
  return {
    list: async () => ({ status: 200, body: await listAlliances(services.db) }),
    get: async ({ params }) => ({ status: 200, body: await getAlliance(services, params.alliance_id) }),
    tracking: async ({ params, res }) => ({
      status: 200,
      body: written(res, await getTracking(services.db, { alliance_id: params.alliance_id })),
    }),
    register: async ({ admission, params }) => ({
      status: 200,
      body: await registerAlliance(services, admission, params.alliance_id),
    }),
    update: async ({ admission, params, body }) => ({
      status: 200,
      body: await updateAlliance(services, admission, params.alliance_id, body),
    }),
  };
}
