import type { contract } from '../../contract/index.ts';
import { getTracking } from '../grant/tracking.ts';
import type { Handlers } from '../http/mount.ts';
import { written } from '../http/written-body.ts';
import type { Services } from '../services/services.ts';
import { listCoalitions } from './coalition.queries.ts';
import { createCoalition, getCoalition, removeCoalition, updateCoalition } from './coalition.ts';

export function coalitionHandlers(
  services: Services,
): Omit<Handlers<typeof contract.coalition>, 'compliance' | 'complianceDays'> {
  return {
    list: async () => ({ status: 200, body: await listCoalitions(services.db) }),
    get: async ({ params }) => ({ status: 200, body: await getCoalition(services, params.coalition_id) }),
    create: async ({ admission, body }) => ({
      status: 201,
      body: await createCoalition(services, admission, body),
    }),
    update: async ({ admission, params, body }) => ({
      status: 200,
      body: await updateCoalition(services, admission, params.coalition_id, body),
    }),
    delete: async ({ admission, params }) => {
      await removeCoalition(services, admission, params.coalition_id);
      return { status: 200, body: undefined };
    },
    tracking: async ({ params, res }) => ({
      status: 200,
      body: written(res, await getTracking(services.db, { coalition_id: params.coalition_id })),
    }),
  };
}
